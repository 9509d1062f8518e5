/* NVIDIA's cuSOLVER, which brings Cholesky to the peer cublas. */
#ifndef BENCH_PEER_CUSOLVER_H
#define BENCH_PEER_CUSOLVER_H

#include "bench/cuda_library.h"

/* The environment variable that names the library to load instead of searching. */
#define BENCH_PEER_CUSOLVER "QUERN_PEER_CUSOLVER"

typedef struct bench_cusolver bench_cusolver;

/* NULL where there is none that starts. Works on `stream` of the card. */
bench_cusolver *bench_cusolver_open(qn_device *device, void *stream);
void bench_cusolver_close(bench_cusolver *solver);

bool bench_cusolver_has(const bench_cusolver *solver, qn_dtype dtype);

/* Enqueues the factorization of a. Its workspace is kept for the next of the same size. */
bool bench_cusolver_potrf(bench_cusolver *solver, qn_dtype dtype, qn_uplo uplo, qn_matrix a);

#endif
