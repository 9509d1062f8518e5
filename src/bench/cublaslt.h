/* NVIDIA's cuBLASLt, for products of halves: for each problem its heuristics name up to eight
 * algorithms, each is timed once, and the fastest is kept. */
#ifndef BENCH_CUBLASLT_H
#define BENCH_CUBLASLT_H

#include "bench/cuda_library.h"

enum { BENCH_CUBLASLT_CANDIDATES = 8 };

typedef struct bench_cublaslt bench_cublaslt;

/* NULL where there is none that starts. Works on the stream of `place`, which must outlive it. */
bench_cublaslt *bench_cublaslt_open(const bench_cuda_place *place);
void bench_cublaslt_close(bench_cublaslt *lt);

/* Another way to the same product, timed beside the algorithms. */
typedef struct bench_cublaslt_other {
  bool (*gemm)(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
               qn_matrix c);
  const bench_peer *peer;
} bench_cublaslt_other;

/* Enqueues the product by the fastest way, `other` (unless NULL) among them; the first call with a
 * problem tries them all. False when each is refused. */
bool bench_cublaslt_enqueue(bench_cublaslt *lt, const bench_problem *p, qn_matrix a, qn_matrix b,
                            qn_matrix c, const bench_cublaslt_other *other);

#endif
