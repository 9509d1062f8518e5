/* The contract behind proc(dev, QN_PROC_TENSOR_MAP): descriptors for the copy engine of NVIDIA
 * cards of capability 9.0 and newer, which moves boxes of a tensor into shared memory. NULL
 * elsewhere.
 *
 * A descriptor goes to a kernel by value (QN_ARG_VALUE of its 128 bytes), there a
 * `const __grid_constant__` parameter. */
#ifndef QN_TENSOR_MAP_H
#define QN_TENSOR_MAP_H

#include "device/backend.h"
#include <stdalign.h>

#define QN_PROC_TENSOR_MAP "tensor_map"

enum { QN_TENSOR_RANK = 5 };

typedef struct qn_tensor_map {
  alignas(64) uint64_t opaque[16];
} qn_tensor_map;

/* How a box's rows are permuted in shared memory, by the width of the pattern. */
typedef enum qn_swizzle {
  QN_SWIZZLE_NONE,
  QN_SWIZZLE_32,
  QN_SWIZZLE_64,
  QN_SWIZZLE_128
} qn_swizzle;

/* Dimension 0 is contiguous. What lies outside `size` reads as zero. */
typedef struct qn_tensor_spec {
  qn_dtype dtype; /* f16 bf16 f32 f64 */
  unsigned rank;  /* 1 .. QN_TENSOR_RANK */
  qn_mem base;
  size_t offset;                   /* bytes; base + offset is a multiple of 16 */
  uint64_t size[QN_TENSOR_RANK];   /* elements */
  uint64_t stride[QN_TENSOR_RANK]; /* bytes, multiples of 16; of dimension 0 not looked at */
  uint32_t box[QN_TENSOR_RANK];    /* elements, at most 256 each */
  qn_swizzle swizzle;
} qn_tensor_spec;

typedef struct qn_tensor_map_ops {
  /* `self` is the table it was taken from, which belongs to one device. */
  qn_status (*encode)(const struct qn_tensor_map_ops *self, const qn_tensor_spec *spec,
                      qn_tensor_map *map);
} qn_tensor_map_ops;

#endif
