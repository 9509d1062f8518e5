/* Moving stored elements into place: transposing by tiles, reversing bytes. */
#ifndef QN_IO_TRANSPOSE_H
#define QN_IO_TRANSPOSE_H

#include <stddef.h>

/* dst[i + j * ld_dst] = src[i * ld_src + j] for a tile of rows x cols elements of `size` bytes (2,
 * 4, 8 or 16); src may stand at any address. */
void qn_io_transpose(void *dst, size_t ld_dst, const void *src, size_t ld_src, size_t rows,
                     size_t cols, size_t size);

/* Reverses the bytes of each of `count` words of `width` bytes (2, 4 or 8). */
void qn_io_swap(void *words, size_t count, size_t width);

#endif
