/* Operands as tensor-core kernels read them: 16 bytes at a time, from 16-byte boundaries. */
#ifndef QN_BLAS3_OPERAND_H
#define QN_BLAS3_OPERAND_H

#include "blas3/problem.h"

/* Whether every column begins at a multiple of 16 bytes. */
bool qn_operand_aligned(qn_matrix m);

/* Seconds that qn_operand_align takes, about. */
double qn_operand_cost(qn_matrix m);

/* Operands that have been replaced by copies, whose columns end in zeros up to ld. */
enum { QN_COPIED_A = 1, QN_COPIED_B = 2 };

/* Runs `launch` on g with both operands aligned: where one is not, a copy in workspace takes its
 * place. Without workspace the portable tiles do the product: slower, never a failure. */
typedef qn_status (*qn_aligned_launch)(qn_stream *stream, const qn_gemm_problem *g, unsigned copied,
                                       const void *tile);
qn_status qn_operands_align(qn_stream *stream, const qn_gemm_problem *g, qn_aligned_launch launch,
                            const void *tile);

/* Whether tensor-core kernels of halves do such a product: the whole of C, something to add to it,
 * and places within 32 bits, of a tile beyond the end too. */
bool qn_operands_fit(const qn_gemm_problem *g);

#endif
