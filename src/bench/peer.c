/* Peers by name, and what all of them share. */
#include "bench/peer_ops.h"
#include <dlfcn.h>
#include <limits.h>
#include <string.h>

static const struct {
  const char *name;
  bench_peer_opener open;
} peers[] = {{"cblas", bench_peer_open_cblas},
             {"cublas", bench_peer_open_cublas},
             {"cublaslt", bench_peer_open_cublaslt},
             {"clblast", bench_peer_open_clblast}};

static bench_peer_opener opener_of(const char *name) {
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
    if (strcmp(name, peers[i].name) == 0) return peers[i].open;
  return NULL;
}

bool bench_peer_known(const char *name) {
  return opener_of(name) != NULL;
}

bench_peer *bench_peer_open(const char *name, qn_device *device, char *message,
                            size_t message_size) {
  bench_peer_opener open = opener_of(name);
  return open ? open(device, message, message_size) : NULL;
}

void bench_peer_close(bench_peer *peer) {
  if (peer) peer->ops->close(peer);
}

const char *bench_peer_text(const bench_peer *peer) {
  return peer->text;
}

bool bench_peer_set_threads(const bench_peer *peer, int threads) {
  return !peer->ops->set_threads || peer->ops->set_threads(peer, threads);
}

bool bench_peer_has(const bench_peer *peer, const bench_problem *p) {
  return peer->ops->has(peer, p);
}

void bench_peer_call(const bench_peer *peer, const bench_problem *p, const bench_matrix *a,
                     const bench_matrix *b, const bench_matrix *c, int64_t *info) {
  peer->ops->call(peer, p, a, b, c, info);
}

void *bench_peer_stream(const bench_peer *peer) {
  return peer->stream;
}

bool bench_peer_enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                        qn_matrix c) {
  return peer->ops->enqueue(peer, p, a, b, c);
}

bench_symbol bench_find_symbol(void *library, const char *name) {
  void *address = library ? dlsym(library, name) : NULL;
  bench_symbol function;
  memcpy(&function, &address, sizeof function);
  return function;
}

bench_factor bench_factor_of(qn_dtype dtype, qn_scalar s) {
  bench_factor f;
  if (dtype == QN_F64 || dtype == QN_C128) {
    f.f64[0] = s.re;
    f.f64[1] = s.im;
  } else {
    f.f32[0] = (float)s.re;
    f.f32[1] = (float)s.im;
  }
  return f;
}

bool bench_fits_int(const bench_problem *p) {
  return p->m <= INT_MAX && p->n <= INT_MAX && p->k <= INT_MAX;
}

int bench_cblas_trans(qn_trans t) {
  return t == QN_NOTRANS ? 111 : t == QN_TRANS ? 112 : 113;
}
int bench_cblas_uplo(qn_uplo u) {
  return u == QN_UPPER ? 121 : 122;
}
int bench_cblas_diag(qn_diag d) {
  return d == QN_NONUNIT ? 131 : 132;
}
int bench_cblas_side(qn_side s) {
  return s == QN_LEFT ? 141 : 142;
}
