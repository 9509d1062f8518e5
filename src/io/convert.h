/* Changing the dtype of a matrix that was read. */
#ifndef QN_IO_CONVERT_H
#define QN_IO_CONVERT_H

#include "io/io.h"

/* dst[e] := src[e] for `count` elements, rounded once, to nearest and ties to even. Real becomes
 * complex with a zero imaginary part; complex to real is the caller's error. */
void qn_io_convert(void *dst, qn_dtype to, const void *src, qn_dtype from, size_t count);

/* Makes *m hold `dtype`, in new memory where it did not already; `file` names it in errors. */
qn_status qn_io_convert_matrix(const char *file, qn_dtype dtype, qn_file_matrix *m);

#endif
