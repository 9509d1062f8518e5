/* A BLAS of this machine to compare with, found at run time. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench/problem.h"

/* The environment variable that names the library to load instead of searching. */
#define BENCH_PEER_VARIABLE "QUERN_PEER_CBLAS"

typedef struct bench_peer bench_peer;

/* Loads the library that QUERN_PEER_CBLAS names, else the first found of OpenBLAS, MKL, BLIS and
 * the system's cblas or blas, which the system's LAPACK may complete. NULL when there is none;
 * `message` then says in one line what was tried. Free with bench_peer_close. */
bench_peer *bench_peer_open(char *message, size_t message_size);
void bench_peer_close(bench_peer *peer);

/* Which library answered, its version and the kernels it chose, in one line. */
const char *bench_peer_text(const bench_peer *peer);

/* Sets its threads; false where it has no such call (it then keeps its own number). */
bool bench_peer_set_threads(const bench_peer *peer, int threads);

/* Whether it has the routine in this dtype (f32 f64 c64 c128) at these sizes (32-bit integers). */
bool bench_peer_has(const bench_peer *peer, const bench_problem *p);

/* Does what bench_call does, on host matrices. Only where bench_peer_has says so. */
void bench_peer_call(const bench_peer *peer, const bench_problem *p, const bench_matrix *a,
                     const bench_matrix *b, const bench_matrix *c, int64_t *info);

#endif
