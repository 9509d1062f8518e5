/* NVIDIA's libraries, by dlopen, and the card's context and stream for them to work on. */
#ifndef BENCH_CUDA_LIBRARY_H
#define BENCH_CUDA_LIBRARY_H

#include "bench/peer_ops.h"

/* lib<stem>.so.13, .12 or .11, where the loader looks or where NVIDIA's packages put it; the file
 * that the environment names goes before. NULL when there is none. */
void *bench_cuda_library(const char *stem, const char *variable);

/* The driver, to be closed by dlclose; NULL where there is none. */
void *bench_cuda_driver(void);

/* The primary context of a card, made current for this thread, and a stream in it. */
typedef struct bench_cuda_place {
  void *driver, *context, *stream;
  int card;
} bench_cuda_place;

/* A function of the driver by its name, for the caller to cast; NULL when it has none. */
bench_symbol bench_cuda_function(const bench_cuda_place *place, const char *name);

/* False where `device` is no card of the cuda backend; `message` then says so. */
bool bench_cuda_place_open(bench_cuda_place *place, qn_device *device, char *message,
                           size_t message_size);
void bench_cuda_place_close(bench_cuda_place *place);

/* A peer over one of the libraries; each kind's own struct begins with it. */
typedef struct bench_cuda_peer {
  bench_peer peer;
  qn_device *device;
  bench_cuda_place place;
  void *library;
} bench_cuda_peer;

typedef struct bench_cuda_kind {
  const bench_peer_ops *ops;
  const char *name, *stem, *variable;   /* "cuBLAS", "cublas", what names the file */
  size_t size;                          /* of the own struct */
  bool (*start)(bench_cuda_peer *peer); /* place and library are there */
} bench_cuda_kind;

/* As bench_peer_open. Where it fails it calls ops->close, which ends with bench_cuda_peer_close. */
bench_peer *bench_cuda_peer_open(const bench_cuda_kind *kind, qn_device *device, char *message,
                                 size_t message_size);
void bench_cuda_peer_close(bench_cuda_peer *peer);

/* The library's number for a real dtype (cudaDataType). */
int bench_cuda_type(qn_dtype dtype);

/* Where a matrix begins on the card. */
void *bench_cuda_address(qn_matrix m);

#endif
