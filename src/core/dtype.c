/* The table of element types. */
#include "core.h"
#include <strings.h>

static const struct {
  const char *name;
  size_t size;
} dtypes[QN_DTYPE_COUNT] = {
    [QN_F16] = {"f16", 2}, [QN_BF16] = {"bf16", 2}, [QN_F32] = {"f32", 4},
    [QN_F64] = {"f64", 8}, [QN_C64] = {"c64", 8},   [QN_C128] = {"c128", 16},
};

size_t qn_dtype_size(qn_dtype dtype) {
  return (unsigned)dtype < QN_DTYPE_COUNT ? dtypes[dtype].size : 0;
}

const char *qn_dtype_name(qn_dtype dtype) {
  return (unsigned)dtype < QN_DTYPE_COUNT ? dtypes[dtype].name : "?";
}

qn_status qn_dtype_parse(const char *name, qn_dtype *dtype) {
  if (!name || !dtype) return qn_fail(QN_EINVAL, "qn_dtype_parse", "name or dtype is NULL");
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (strcasecmp(name, dtypes[t].name) == 0) {
      *dtype = (qn_dtype)t;
      return QN_OK;
    }
  }
  return qn_fail(QN_EINVAL, "qn_dtype_parse", "'%s' is none of f16 bf16 f32 f64 c64 c128", name);
}
