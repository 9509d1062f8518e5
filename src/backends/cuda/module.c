/* CUDA code: from source to a cubin that can be kept, from the cubin to kernels. */
#include "backends/cuda/cuda.h"
#include "backends/cuda/nvrtc.h"
#include "device/code.h"
#include <stdio.h>
#include <string.h>

qn_status qn_cu_identity(qn_bdev *dev, char *text, size_t size) {
  char target[32], version[16];
  qn_status status = qn_nvrtc_target(dev->capability, target, sizeof target);
  if (status) return status;
  qn_nvrtc_version(version, sizeof version);
  snprintf(text, size, "cuda | %s | NVRTC %s", target, version);
  return QN_OK;
}

qn_status qn_cu_compile(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log) {
  char target[32];
  *log = NULL;
  qn_status status = qn_nvrtc_target(dev->capability, target, sizeof target);
  return status ? status : qn_nvrtc_compile(target, source, binary, log);
}

static qn_status compile_to(qn_bdev *dev, const qn_source *source, qn_code form, qn_blob *code,
                            char **log) {
  char target[32];
  *log = NULL;
  qn_status status = qn_nvrtc_target(dev->capability, target, sizeof target);
  if (status) return status;
  if (form == QN_CODE_PTX) return qn_nvrtc_ptx(target, source, code, log);
  if (strncmp(target, "sm_", 3) != 0)
    return qn_fail(QN_EUNSUPPORTED, "nvrtc",
                   "the driver makes the machine code of sm_%d: NVRTC knows up to %s",
                   dev->capability, target);
  return qn_nvrtc_compile(target, source, code, log);
}

const void *qn_cu_proc(qn_bdev *dev, const char *name) {
  static const qn_code_ops code = {compile_to};
  if (strcmp(name, QN_PROC_CODE) == 0) return &code;
  if (strcmp(name, QN_PROC_TENSOR_MAP) == 0) return qn_cu_tensor_maps(dev);
  return NULL;
}

qn_status qn_cu_module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module) {
  qn_bmodule *m = qn_host_zalloc(sizeof *m);
  if (!m) return qn_fail(QN_ENOMEM, "cuda", "no host memory for a module");
  m->dev = dev;
  qn_status status = qn_cu_enter(dev);
  if (!status)
    status = qn_cu_leave(
        qn_cu_check(qn_cu.cuModuleLoadData(&m->module, binary->data), "cuModuleLoadData"));
  if (status) {
    qn_host_free(m, sizeof *m);
    return status;
  }
  pthread_mutex_init(&m->lock, NULL);
  *module = m;
  return QN_OK;
}

void qn_cu_module_free(qn_bmodule *module) {
  if (!module) return;
  if (qn_cu_enter(module->dev) == QN_OK) {
    qn_cu.cuModuleUnload(module->module);
    qn_cu_leave(QN_OK);
  }
  for (qn_bkernel *k = module->kernels, *next; k; k = next) {
    next = k->next;
    qn_host_free(k, sizeof *k);
  }
  pthread_mutex_destroy(&module->lock);
  qn_host_free(module, sizeof *module);
}

static uint32_t attribute(CUfunction function, int which) {
  int value = 0;
  if (qn_cu.cuFuncGetAttribute(&value, which, function) != CUDA_SUCCESS || value < 0) return 0;
  return (uint32_t)value;
}

/* Sizes of the parameters; whether one is an address cannot be told. */
static void describe_params(CUfunction function, qn_kernel_info *info) {
  info->params = -1;
  if (!qn_cu.cuFuncGetParamInfo) return;
  size_t offset, size;
  uint32_t count = 0;
  while (count < QN_MAX_KERNEL_ARGS &&
         qn_cu.cuFuncGetParamInfo(function, count, &offset, &size) == CUDA_SUCCESS)
    info->param[count++].size = (uint32_t)size;
  info->params = (int32_t)count;
}

static void describe(CUfunction function, qn_kernel_info *info) {
  memset(info, 0, sizeof *info);
  info->registers = attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  info->local_bytes = attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info->spill_bytes = attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  info->max_group = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  describe_params(function, info);
}

static qn_status find_function(qn_bmodule *module, const char *name, CUfunction *function,
                               qn_kernel_info *info) {
  qn_status status = qn_cu_enter(module->dev);
  if (status) return status;
  CUresult code = qn_cu.cuModuleGetFunction(function, module->module, name);
  if (code == CUDA_ERROR_NOT_FOUND)
    status = qn_fail(QN_EINVAL, "cuModuleGetFunction", "the source has no kernel '%s'", name);
  else
    status = qn_cu_check(code, "cuModuleGetFunction");
  if (!status) describe(*function, info);
  return qn_cu_leave(status);
}

qn_status qn_cu_residency(qn_bdev *dev, qn_bkernel *kernel, uint32_t group, uint32_t *items,
                          uint32_t *most) {
  int groups = 0, threads = 0;
  *items = *most = 0;
  if (!qn_cu.cuOccupancyMaxActiveBlocksPerMultiprocessor) return QN_OK;
  qn_status status = qn_cu_enter(dev);
  if (status) return status;
  status = qn_cu_check(
      qn_cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel->function, (int)group, 0),
      "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (!status)
    status =
        qn_cu_check(qn_cu.cuDeviceGetAttribute(
                        &threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, dev->device),
                    "cuDeviceGetAttribute");
  *items = (uint32_t)groups * group;
  *most = (uint32_t)threads;
  return qn_cu_leave(status);
}

qn_status qn_cu_kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                           qn_kernel_info *info) {
  CUfunction function;
  qn_status status = find_function(module, name, &function, info);
  if (status) return status;
  qn_bkernel *k = qn_host_zalloc(sizeof *k);
  if (!k) return qn_fail(QN_ENOMEM, "cuda", "no host memory for a kernel");
  k->function = function;
  pthread_mutex_lock(&module->lock);
  k->next = module->kernels;
  module->kernels = k;
  pthread_mutex_unlock(&module->lock);
  *kernel = k;
  return QN_OK;
}
