/* Copies that routines make for themselves. */
#ifndef QN_BLAS3_COPY_H
#define QN_BLAS3_COPY_H

#include "blas3/problem.h"

/* b := a^T by a kernel, of a the region at least. Nothing is checked. */
qn_status qn_copy_transposed(qn_stream *stream, qn_region region, qn_matrix a, qn_matrix b);

#endif
