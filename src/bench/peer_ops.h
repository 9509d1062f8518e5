/* What a peer is made of: each begins with this struct and fills the table. */
#ifndef BENCH_PEER_OPS_H
#define BENCH_PEER_OPS_H

#include "bench/peer.h"

typedef struct bench_peer_ops {
  void (*close)(bench_peer *peer);
  bool (*has)(const bench_peer *peer, const bench_problem *p);
  bool (*set_threads)(const bench_peer *peer, int threads); /* NULL: threads mean nothing to it */
  /* one of the two */
  void (*call)(const bench_peer *peer, const bench_problem *p, const bench_matrix *a,
               const bench_matrix *b, const bench_matrix *c, int64_t *info);
  bool (*enqueue)(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                  qn_matrix c);
} bench_peer_ops;

struct bench_peer {
  const bench_peer_ops *ops;
  void *stream; /* of a peer on the device */
  char text[256];
};

typedef bench_peer *(*bench_peer_opener)(qn_device *device, char *message, size_t message_size);
bench_peer *bench_peer_open_cblas(qn_device *device, char *message, size_t message_size);
bench_peer *bench_peer_open_cublaslt(qn_device *device, char *message, size_t message_size);
bench_peer *bench_peer_open_clblast(qn_device *device, char *message, size_t message_size);
bench_peer *bench_peer_open_cublas(qn_device *device, char *message, size_t message_size);

/* An object of a library as a function: ISO C has no such cast. */
typedef void (*bench_symbol)(void);
bench_symbol bench_find_symbol(void *library, const char *name);

/* Scalars as BLAS takes them by address, in the precision of the dtype. */
typedef union bench_factor {
  float f32[2];
  double f64[2];
} bench_factor;
bench_factor bench_factor_of(qn_dtype dtype, qn_scalar s);

/* CBLAS's numbers for the letters, which CLBlast has too. */
int bench_cblas_trans(qn_trans t);
int bench_cblas_uplo(qn_uplo u);
int bench_cblas_diag(qn_diag d);
int bench_cblas_side(qn_side s);

/* Whether the sizes fit the 32-bit integers of the usual interfaces. */
bool bench_fits_int(const bench_problem *p);

#endif
