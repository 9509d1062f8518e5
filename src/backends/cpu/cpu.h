/* The inside of the cpu backend: the functions behind the table of device/cpu_ops.h. */
#ifndef QN_CPU_H
#define QN_CPU_H

#include "device/cpu_ops.h"

/* The table, made at the first call. */
const qn_cpu_ops *qn_cpu_ops_get(void);

/* gemm.c */
qn_status qn_cpu_gemm_run(const qn_cpu_gemm *p);

/* blas.c: loads the library of QUERN_CPU_BLAS, once; whether there is one. Its product, for what
 * the contract of gemm_blas says. */
bool qn_cpu_blas_load(void);
qn_status qn_cpu_blas_gemm(const qn_cpu_gemm *p);

/* trsm.c, trmm.c, potrf.c */
qn_status qn_cpu_trsm(const qn_cpu_triangular *p);
qn_status qn_cpu_trmm(const qn_cpu_triangular *p);
int64_t qn_cpu_trsm_block(const qn_cpu_triangular *p);
int64_t qn_cpu_trmm_block(const qn_cpu_triangular *p);
qn_status qn_cpu_potrf(qn_dtype dtype, qn_uplo uplo, qn_cpu_matrix a, int64_t *info);
int64_t qn_cpu_potrf_block(qn_dtype dtype);

/* cast.c, scale.c */
void qn_cpu_cast(qn_dtype dst_type, qn_cpu_matrix dst, qn_dtype src_type, qn_cpu_matrix src);
void qn_cpu_scale(qn_dtype dtype, qn_scalar alpha, qn_cpu_matrix x);
/* x := alpha x over a region. */
void qn_cpu_scale_region(qn_dtype dtype, qn_scalar alpha, qn_cpu_matrix x, qn_region region);

/* axpby.c, map.c, reduce.c */
void qn_cpu_axpby_run(const qn_cpu_axpby *p);
void qn_cpu_map_run(const qn_cpu_map *p);
qn_status qn_cpu_reduce_run(const qn_cpu_reduce *p);

/* rng_*.c */
void qn_cpu_rng_uniform(qn_dtype dtype, uint64_t state, qn_cpu_matrix out);
void qn_cpu_rng_normal(qn_dtype dtype, uint64_t state, qn_cpu_matrix out);

#endif
