/* Every portable kernel once on small, ragged shapes, on the first OpenCL device, with the results
 * held against the cpu device's: what oclgrind watches for races and bounds.
 * Prints one line a routine and dtype; fails where a result is far off.
 * usage: small <dtype>... */
#include "blas3/target.h"
#include <quern/quern.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 5000 };

static qn_stream *streams[2]; /* the cpu's, the device's */
static int failures;

static void must(qn_status status) {
  if (!status) return;
  fprintf(stderr, "%s\n", qn_last_error());
  exit(1);
}

/* Operands as f64, the same on both devices, rounded to the dtype there by a cast or a copy. */
static double value(int64_t i, int64_t j, int64_t n, bool triangle) {
  if (triangle && i == j) return 4.0 + (double)n;
  return (double)((i * 7 + j * 13) % 9 - 4) / 4.0;
}

static void put(unsigned char *to, qn_dtype dtype, double x) {
  const float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  const uint16_t bf16 = (uint16_t)(bits >> 16);
  /* quarters up to 60 are exact in both halves */
  const uint16_t f16 = x == 0
                           ? 0
                           : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 |
                                        (bits >> 13 & 0x3ff));
  const double pair[2] = {x, 0.5 * x};
  const float fpair[2] = {f, 0.5f * f};
  switch (dtype) {
  case QN_F16:
    memcpy(to, &f16, 2);
    break;
  case QN_BF16:
    memcpy(to, &bf16, 2);
    break;
  case QN_F32:
    memcpy(to, &f, 4);
    break;
  case QN_F64:
    memcpy(to, &x, 8);
    break;
  case QN_C64:
    memcpy(to, fpair, 8);
    break;
  case QN_C128:
    memcpy(to, pair, 16);
    break;
  }
}

static double part(const unsigned char *from, qn_dtype dtype) {
  uint16_t half;
  float f;
  double x;
  if (dtype == QN_F64 || dtype == QN_C128) {
    memcpy(&x, from, 8);
    return x;
  }
  if (!qn_dtype_is_half(dtype)) {
    memcpy(&f, from, 4);
    return f;
  }
  memcpy(&half, from, 2);
  if (dtype == QN_BF16) {
    const uint32_t bits = (uint32_t)half << 16;
    memcpy(&f, &bits, 4);
    return f;
  }
  const int exponent = half >> 10 & 31;
  x = ldexp(exponent ? 1024 + (half & 1023) : half & 1023, (exponent ? exponent : 1) - 25);
  return half & 0x8000 ? -x : x;
}

static qn_matrix matrix(qn_stream *stream, qn_dtype dtype, int64_t rows, int64_t cols,
                        bool triangle) {
  static unsigned char host[ROOM * 16];
  const size_t size = qn_dtype_size(dtype);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++)
      put(host + (size_t)(i + j * rows) * size, dtype, value(i, j, rows, triangle));
  qn_matrix m;
  must(qn_matrix_alloc(qn_stream_device(stream), dtype, rows, cols, &m));
  must(qn_matrix_write(stream, m, host, rows));
  return m;
}

/* Reads both results, frees them, compares. */
static void judge(const char *what, qn_dtype dtype, qn_matrix c[2]) {
  static unsigned char host[2][ROOM * 16];
  const size_t size = qn_dtype_size(dtype), parts = qn_dtype_is_complex(dtype) ? 2 : 1;
  for (int d = 0; d < 2; d++) {
    must(qn_matrix_read(streams[d], host[d], c[d].rows, c[d]));
    must(qn_stream_sync(streams[d]));
    qn_buffer_free(c[d].buffer);
  }
  double worst = 0, largest = 0;
  for (size_t e = 0; e < (size_t)(c[0].rows * c[0].cols) * parts; e++) {
    const double x = part(host[0] + e * size / parts, dtype);
    worst = fmax(worst, fabs(x - part(host[1] + e * size / parts, dtype)));
    largest = fmax(largest, fabs(x));
  }
  static const double bound[] = {4e-3, 3e-2, 1e-5, 1e-13, 1e-5, 1e-13};
  const bool good = worst <= bound[dtype] * largest && largest > 0;
  failures += !good;
  printf("%-18s %-5s %s (off by %.1e of %.1e)\n", what, qn_dtype_name(dtype), good ? "ok" : "WRONG",
         worst, largest);
}

/* ---- the routines ---- */

/* The device's variant by its launch, so that each runs whatever its cost here. */
static void product(int d, const qn_gemm_variant *v, qn_gemm_problem *p, const qn_epilogue *e) {
  qn_stream *stream = streams[d];
  const qn_epilogue_args args = {.bias_n = matrix(stream, p->a.dtype, p->c.cols, 1, false),
                                 .operand = {matrix(stream, p->a.dtype, p->c.rows, 1, false)},
                                 .scalar = {qn_real(0.75)}};
  qn_epilogue_use use;
  if (d == 0) {
    must(qn_gemm_ex(stream, p->transa, p->transb, p->alpha, p->a, p->b, p->beta, p->c, e, &args));
  } else {
    if (e) must(qn_epilogue_check(stream, e, &args, p->a.dtype, p->c, &use));
    p->epilogue = e ? &use : NULL;
    must(v->launch(stream, p));
  }
  qn_buffer_free(args.bias_n.buffer);
  qn_buffer_free(args.operand[0].buffer);
}

static void gemm(const qn_gemm_variant *v, qn_trans ta, qn_trans tb, qn_dtype dtype, int64_t m,
                 int64_t n, int64_t k, const qn_epilogue *e) {
  qn_matrix c[2];
  for (int d = 0; d < 2; d++) {
    qn_gemm_problem p = {.transa = ta, .transb = tb, .alpha = qn_real(0.5), .beta = qn_real(2)};
    p.a = ta == QN_NOTRANS ? matrix(streams[d], dtype, m, k, false)
                           : matrix(streams[d], dtype, k, m, false);
    p.b = tb == QN_NOTRANS ? matrix(streams[d], dtype, k, n, false)
                           : matrix(streams[d], dtype, n, k, false);
    p.c = c[d] = matrix(streams[d], dtype, m, n, false);
    p.region = QN_REGION_ALL;
    product(d, v, &p, e);
    qn_buffer_free(p.a.buffer);
    qn_buffer_free(p.b.buffer);
  }
  char what[64];
  snprintf(what, sizeof what, "%s %c%c%s", v->name, (char)ta, (char)tb, e ? " epilogue" : "");
  judge(what, dtype, c);
}

static void gemms(qn_dtype dtype) {
  static const qn_trans trans[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  const int forms = qn_dtype_is_complex(dtype) ? 3 : 2;
  const qn_target *target = qn_target_of(qn_stream_device(streams[1]));
  qn_epilogue *e;
  must(qn_epilogue_create("row == 1 ? c : acc + bias_n + x * s", "s", "x", &e));
  for (unsigned v = 0; v < target->gemms; v++) {
    const qn_gemm_problem p = {.a.dtype = dtype, .c.dtype = dtype};
    if (!target->gemm[v]->applicable(streams[1], &p)) continue;
    for (int f = 0; f < forms; f++)
      gemm(target->gemm[v], trans[f], trans[forms - 1 - f], dtype, 19, 11, 21, f ? NULL : e);
  }
  qn_epilogue_free(e);
}

/* An order of several blocks, the last of them ragged. */
static void triangular(const char *what, qn_dtype dtype, bool solve, qn_side side, qn_uplo uplo,
                       qn_trans trans) {
  const int64_t n = 69, others = 5;
  qn_matrix b[2];
  for (int d = 0; d < 2; d++) {
    const qn_matrix a = matrix(streams[d], dtype, n, n, true);
    b[d] = side == QN_LEFT ? matrix(streams[d], dtype, n, others, false)
                           : matrix(streams[d], dtype, others, n, false);
    must((solve ? qn_trsm : qn_trmm)(streams[d], side, uplo, trans, QN_NONUNIT, qn_real(0.25), a,
                                     b[d]));
    qn_buffer_free(a.buffer);
  }
  judge(what, dtype, b);
}

/* The textbook's solve, which no choice leads to. */
static void columns(qn_dtype dtype) {
  const int64_t n = 37, others = 5;
  qn_matrix b[2];
  for (int d = 0; d < 2; d++) {
    b[d] = matrix(streams[d], dtype, others, n, false);
    const qn_triangular_problem p = {
        QN_RIGHT,   QN_UPPER,      QN_TRANS,
        QN_NONUNIT, qn_real(0.25), matrix(streams[d], dtype, n, n, true),
        b[d],       NULL,          0};
    must(d == 0 ? qn_trsm(streams[d], p.side, p.uplo, p.trans, p.diag, p.alpha, p.a, p.b)
                : qn_target_of(qn_stream_device(streams[d]))->trsm_columns(streams[d], &p));
    qn_buffer_free(p.a.buffer);
  }
  judge("trsm, columns", dtype, b);
}

/* A A^T of nothing known would do; a dominant diagonal is enough. */
static void potrf(qn_dtype dtype) {
  const int64_t n = 41;
  qn_matrix a[2];
  for (int d = 0; d < 2; d++) {
    int64_t info = -1;
    a[d] = matrix(streams[d], dtype, n, n, true);
    must(qn_potrf(streams[d], QN_LOWER, a[d], &info));
    must(qn_stream_sync(streams[d]));
    if (info != 0) failures++;
  }
  judge("potrf", dtype, a);
}

static void transpose(qn_dtype dtype) {
  qn_matrix b[2];
  for (int d = 0; d < 2; d++) {
    const qn_matrix a = matrix(streams[d], dtype, 35, 40, false);
    b[d] = matrix(streams[d], dtype, 40, 35, true);
    must(qn_matrix_copy(streams[d], QN_CONJTRANS, a, b[d]));
    qn_buffer_free(a.buffer);
  }
  judge("transpose", dtype, b);
}

static void axpby(qn_dtype dtype) {
  qn_matrix y[2];
  for (int d = 0; d < 2; d++) {
    const qn_matrix x = matrix(streams[d], dtype, 35, 4, false);
    y[d] = matrix(streams[d], dtype, 35, 4, true);
    must(qn_matrix_axpby(streams[d], qn_real(2), x, qn_real(0.5), y[d]));
    qn_buffer_free(x.buffer);
  }
  judge("axpby", dtype, y);
}

static void map(qn_dtype dtype, qn_map map) {
  qn_matrix y[2];
  for (int d = 0; d < 2; d++) {
    y[d] = matrix(streams[d], dtype, 35, 4, false);
    must(qn_matrix_map(streams[d], map, y[d], y[d]));
  }
  judge("map", dtype, y);
}

/* Each column alone, and all together in two chunks. */
static void reduce(qn_dtype dtype, qn_reduction op) {
  qn_matrix out[2][2];
  for (int d = 0; d < 2; d++) {
    const qn_matrix x = matrix(streams[d], dtype, ROOM / 4, 4, false);
    for (int all = 0; all < 2; all++) {
      qn_matrix *to = &out[all][d];
      must(qn_matrix_alloc(qn_stream_device(streams[d]), qn_reduce_dtype(op, dtype), 1, all ? 1 : 4,
                           to));
      must(qn_matrix_reduce(streams[d], op, x, *to));
    }
    qn_buffer_free(x.buffer);
  }
  judge("reduce columns", out[0][0].dtype, out[0]);
  judge("reduce", out[1][0].dtype, out[1]);
}

static void elementwise(qn_dtype dtype) {
  axpby(dtype);
  map(dtype, QN_MAP_ABS);
  if (!qn_dtype_is_complex(dtype)) map(dtype, QN_MAP_TANH);
  reduce(dtype, QN_REDUCE_SUM);
  reduce(dtype, QN_REDUCE_NORM);
  reduce(dtype, QN_REDUCE_MAX_ABS);
}

static void rng(qn_dtype dtype, bool normal) {
  qn_matrix m[2];
  for (int d = 0; d < 2; d++) {
    qn_rng r = qn_rng_make(7);
    must(qn_matrix_alloc(qn_stream_device(streams[d]), dtype, 30, 20, &m[d]));
    must((normal ? qn_rng_normal : qn_rng_uniform)(streams[d], &r, m[d]));
  }
  judge(normal ? "normal" : "uniform", dtype, m);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  static const char *const names[] = {"cpu", "opencl:0"};
  for (int d = 0; d < 2; d++) {
    qn_device *device;
    must(qn_device_open(names[d], &device));
    must(qn_stream_create(device, &streams[d]));
    qn_device_close(device);
  }
  for (int t = 1; t < argc; t++) {
    qn_dtype dtype;
    must(qn_dtype_parse(argv[t], &dtype));
    gemms(dtype);
    transpose(dtype);
    elementwise(dtype);
    triangular("trsm", dtype, true, QN_LEFT, QN_LOWER, QN_NOTRANS);
    triangular("trsm, right", dtype, true, QN_RIGHT, QN_UPPER, QN_CONJTRANS);
    triangular("trmm", dtype, false, QN_LEFT, QN_UPPER, QN_TRANS);
    if (!qn_dtype_is_half(dtype)) columns(dtype);
    if (!qn_dtype_is_half(dtype)) potrf(dtype);
    if (dtype == QN_F32 || dtype == QN_F64) rng(dtype, false);
    if (dtype == QN_F64) rng(dtype, true);
  }
  for (int d = 0; d < 2; d++) qn_stream_free(streams[d]);
  printf("%d wrong\n", failures);
  return failures != 0;
}
