/* A library to compare with, found at run time.
 *
 *   cblas    the BLAS of this machine: host matrices, host threads
 *   cublas   NVIDIA's, on the card that ours computes on: device matrices, work on a stream; halves
 *            by the fastest of cublasGemmEx and what cuBLASLt's heuristics propose
 *   cublaslt likewise, halves alone, without cublasGemmEx
 *   clblast  on an OpenCL device: device matrices, work on a queue */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench/problem.h"

/* Environment variables that name the library to load instead of searching. */
#define BENCH_PEER_CBLAS    "QUERN_PEER_CBLAS"
#define BENCH_PEER_CUBLAS   "QUERN_PEER_CUBLAS"
#define BENCH_PEER_CUBLASLT "QUERN_PEER_CUBLASLT"
#define BENCH_PEER_CLBLAST  "QUERN_PEER_CLBLAST"

/* The names that bench_peer_open knows. */
#define BENCH_PEER_NAMES "cblas, cublas, cublaslt or clblast"

typedef struct bench_peer bench_peer;

bool bench_peer_known(const char *name);

/* Loads the peer of that name for the device that ours runs on. NULL when there is none; `message`
 * then says in one line what was tried. Free with bench_peer_close. */
bench_peer *bench_peer_open(const char *name, qn_device *device, char *message,
                            size_t message_size);
void bench_peer_close(bench_peer *peer);

/* Which library answered, its version and the kernels it chose, in one line. */
const char *bench_peer_text(const bench_peer *peer);

/* Sets its threads; false where it has no such call (it then keeps its own number). */
bool bench_peer_set_threads(const bench_peer *peer, int threads);

/* Whether it has the routine in this dtype at these sizes (32-bit integers). */
bool bench_peer_has(const bench_peer *peer, const bench_problem *p);

/* ---- a peer on the host: does what bench_call does. Only where bench_peer_has says so. ---- */
void bench_peer_call(const bench_peer *peer, const bench_problem *p, const bench_matrix *a,
                     const bench_matrix *b, const bench_matrix *c, int64_t *info);

/* ---- a peer on the device ---- */

/* The native stream it works on, for qn_stream_wrap: ours then works on it too. It lives as long as
 * the peer. NULL for a peer on the host. */
void *bench_peer_stream(const bench_peer *peer);

/* Enqueues one call and returns; false when the library refuses it. */
bool bench_peer_enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                        qn_matrix c);

#endif
