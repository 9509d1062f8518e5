/* Transposition by tiles and byte swapping, one loop for each element size. */
#include "io/transpose.h"
#include <stdint.h>

/* Elements of a file stand at any address, and their words are read as what they are not. */
typedef uint16_t __attribute__((aligned(1), may_alias)) any2;
typedef uint32_t __attribute__((aligned(1), may_alias)) any4;
typedef uint64_t __attribute__((aligned(1), may_alias)) any8;
typedef struct __attribute__((may_alias)) {
  any8 low, high;
} any16;

#define DEFINE_TRANSPOSE(name, type)                                                               \
  static void name(type *restrict dst, size_t ld_dst, const type *restrict src, size_t ld_src,     \
                   size_t rows, size_t cols) {                                                     \
    for (size_t i = 0; i < rows; i++)                                                              \
      for (size_t j = 0; j < cols; j++) dst[i + j * ld_dst] = src[i * ld_src + j];                 \
  }

DEFINE_TRANSPOSE(transpose2, any2)
DEFINE_TRANSPOSE(transpose4, any4)
DEFINE_TRANSPOSE(transpose8, any8)
DEFINE_TRANSPOSE(transpose16, any16)

void qn_io_transpose(void *dst, size_t ld_dst, const void *src, size_t ld_src, size_t rows,
                     size_t cols, size_t size) {
  switch (size) {
  case 2:
    transpose2(dst, ld_dst, src, ld_src, rows, cols);
    break;
  case 4:
    transpose4(dst, ld_dst, src, ld_src, rows, cols);
    break;
  case 8:
    transpose8(dst, ld_dst, src, ld_src, rows, cols);
    break;
  default:
    transpose16(dst, ld_dst, src, ld_src, rows, cols);
    break;
  }
}

void qn_io_swap(void *words, size_t count, size_t width) {
  switch (width) {
  case 2:
    for (any2 *w = words; count > 0; count--, w++) *w = __builtin_bswap16(*w);
    break;
  case 4:
    for (any4 *w = words; count > 0; count--, w++) *w = __builtin_bswap32(*w);
    break;
  default:
    for (any8 *w = words; count > 0; count--, w++) *w = __builtin_bswap64(*w);
    break;
  }
}
