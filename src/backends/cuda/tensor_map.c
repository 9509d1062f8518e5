/* Descriptors for the copy engine, encoded by the driver on the host. */
#include "backends/cuda/cuda.h"
#include "device/tensor_map.h"

/* Values of CUtensorMapDataType and its siblings. */
enum { TYPE_F16 = 6, TYPE_F32 = 7, TYPE_F64 = 8, TYPE_BF16 = 9 };
enum { INTERLEAVE_NONE = 0, PROMOTE_L2_256B = 3, OUT_OF_BOUNDS_ZERO = 0 };

static int type_of(qn_dtype dtype) {
  switch (dtype) {
  case QN_F16:
    return TYPE_F16;
  case QN_BF16:
    return TYPE_BF16;
  case QN_F32:
    return TYPE_F32;
  case QN_F64:
    return TYPE_F64;
  default:
    return -1;
  }
}

/* The driver wants the device's context current, though a descriptor belongs to none. */
qn_status qn_cu_tensor_map(const qn_tensor_map_ops *self, const qn_tensor_spec *spec,
                           qn_tensor_map *map) {
  const qn_bdev *dev = (const qn_bdev *)self;
  int type = type_of(spec->dtype);
  if (type < 0 || spec->rank < 1 || spec->rank > QN_TENSOR_RANK)
    return qn_fail(QN_EINVAL, "tensor map", "dtype %s, rank %u", qn_dtype_name(spec->dtype),
                   spec->rank);
  static const uint32_t dense[QN_TENSOR_RANK] = {1, 1, 1, 1, 1};
  qn_status status = qn_cu_enter(dev);
  if (status) return status;
  return qn_cu_leave(qn_cu_check(
      qn_cu.cuTensorMapEncodeTiled(map, type, spec->rank, (void *)(spec->base + spec->offset),
                                   spec->size, spec->stride + 1, spec->box, dense, INTERLEAVE_NONE,
                                   (int)spec->swizzle, PROMOTE_L2_256B, OUT_OF_BOUNDS_ZERO),
      "cuTensorMapEncodeTiled"));
}

const qn_tensor_map_ops *qn_cu_tensor_maps(const qn_bdev *dev) {
  return dev->tensor_maps.encode && dev->capability >= 90 && qn_cu.cuTensorMapEncodeTiled
             ? &dev->tensor_maps
             : NULL;
}
