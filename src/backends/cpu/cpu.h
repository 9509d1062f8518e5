/* The rooms of the cpu backend, as they see one another: the slots of qn_cpu_ops. */
#ifndef QN_CPU_H
#define QN_CPU_H

#include "device/cpu_ops.h"

/* Triangular solve and product, Cholesky of a block: trsm.c, trmm.c, potrf.c. */
qn_status qn_cpu_trsm(const qn_cpu_triangular *p);
qn_status qn_cpu_trmm(const qn_cpu_triangular *p);
int64_t qn_cpu_trsm_block(const qn_cpu_triangular *p);
int64_t qn_cpu_trmm_block(const qn_cpu_triangular *p);
qn_status qn_cpu_potrf(qn_dtype dtype, qn_uplo uplo, qn_cpu_matrix a, int64_t *info);
int64_t qn_cpu_potrf_block(qn_dtype dtype);

#endif
