/* The environment of blas3, read once; the base orders set through the API. */
#include "blas3/settings.h"
#include "device/device.h"
#include <quern/blas3.h>
#include <stdio.h>
#include <string.h>

static qn_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_environment(void) {
  snprintf(settings.gemm_variant, sizeof settings.gemm_variant, "%s",
           qn_env_string("QUERN_GEMM_VARIANT", ""));
  const char *variant = qn_env_string("QUERN_TRSM_VARIANT", "");
  settings.trsm_columns = strcmp(variant, "columns") == 0;
  settings.trsm_tensor = strcmp(variant, "tensor") == 0;
  if (*variant && !settings.trsm_columns && !settings.trsm_tensor)
    qn_log(QN_LOG_WARNING, "QUERN_TRSM_VARIANT=%s ignored: variants are columns and tensor",
           variant);
  settings.triangle_blocks = (int)qn_env_int("QUERN_TRIANGLE_BLOCKS", 0, 1, 8);
  settings.trsm_block = qn_env_int("QUERN_TRSM_BLOCK", 0, 1, INT64_MAX);
  settings.trmm_block = qn_env_int("QUERN_TRMM_BLOCK", 0, 1, INT64_MAX);
  settings.potrf_block = qn_env_int("QUERN_POTRF_BLOCK", 0, 1, INT32_MAX);
}

const qn_settings *qn_settings_get(void) {
  pthread_once(&once, read_environment);
  return &settings;
}

static qn_status check_block(const qn_device *device, int64_t block, const char *function) {
  if (!device) return qn_fail(QN_EINVAL, function, "device is NULL");
  if (block < 0) return qn_fail(QN_EINVAL, function, "block is %lld", (long long)block);
  return QN_OK;
}

qn_status qn_device_set_trsm_block(qn_device *device, int64_t block) {
  QN_TRY(check_block(device, block, "qn_device_set_trsm_block"));
  atomic_store(&device->trsm_block, block);
  return QN_OK;
}

qn_status qn_device_set_trmm_block(qn_device *device, int64_t block) {
  QN_TRY(check_block(device, block, "qn_device_set_trmm_block"));
  atomic_store(&device->trmm_block, block);
  return QN_OK;
}
