/* The computation, step by step, on whatever device the stream belongs to. */
#include "co2_forecast.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Every call of the library answers with a status; the text says which argument and why. */
static void must(qn_status status) {
  if (status == QN_OK) return;
  fprintf(stderr, "co2_forecast: %s\n", qn_last_error());
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for the step that began at `start`, prints what it took and, where there is an amount of
 * work, the rate in `unit`; returns the time from which the next step counts. */
static double report(qn_stream *stream, double start, double amount, const char *unit,
                     const char *step) {
  must(qn_stream_sync(stream));
  double seconds = now() - start;
  printf("  %-62s %9.2f ms", step, 1e3 * seconds);
  if (amount > 0.0) printf(" %8.1f %s", amount / seconds, unit);
  printf("\n");
  return now();
}

static qn_matrix matrix(qn_stream *stream, qn_dtype dtype, int64_t rows, int64_t cols) {
  qn_matrix m;
  must(qn_matrix_alloc(qn_stream_device(stream), dtype, rows, cols, &m));
  return m;
}

/* `info` of a factorization that has been waited for. */
static void must_be_definite(int64_t info, const char *name) {
  if (info == 0) return;
  fprintf(stderr, "co2_forecast: %s is not positive definite at order %lld\n", name,
          (long long)info);
  exit(1);
}

/* ---- regression ----
 *
 * The record y, the trend H and the months to come (starred) make one symmetric matrix, of which
 * two pivots are eliminated, first the record and then the trend:
 *
 *        n   p   1  m
 *   n |  K   H   y  K*  |     K = L L',   W = L^-1 [H y K*]
 *   p |  H'  0   0  H*' |     S = corner - W' W      the corner is all but the first row and column
 *   1 |  y'  0   0  0   |     G = H' K^-1 H = C C',  T = C^-1 (first p rows of S, but for their H)
 *   m |  K*' H*  0  K** |     S + T' T: its m x m block is the forecast's covariance, the column of
 *                             y is the forecast with its sign turned */
typedef struct regression {
  qn_matrix k, w, s, g;
} regression;

/* Writes K, W and the corner, which it returns, in host memory. */
static double *assemble(co2_forecast *f) {
  const int n = f->record.count, m = f->months, p = CO2_TRENDS, q = p + 1 + m;
  const size_t ldn = (size_t)n, ldq = (size_t)q;
  double *corner = co2_room(ldq * ldq);
  f->unknowns = q;
  f->k = co2_room(ldn * ldn);
  f->l = co2_room(ldn * ldn);
  f->w = co2_room(ldn * ldq);
  f->solved = co2_room(ldn * ldq);
  co2_covariance(f->record.first, n, f->record.first, n, f->k, ldn);
  co2_trend(f->record.first, n, f->w, ldn);
  memcpy(f->w + p * n, f->record.ppm, ldn * sizeof(double));
  co2_covariance(f->record.first, n, f->first, m, f->w + (p + 1) * n, ldn);
  co2_trend(f->first, m, corner + p + 1, ldq);
  for (int i = p + 1; i < q; i++)
    for (int j = 0; j < p; j++) corner[j + i * q] = corner[i + j * q];
  co2_covariance(f->first, m, f->first, m, corner + (p + 1) * (q + 1), ldq);
  return corner;
}

static double eliminate_record(qn_stream *stream, const co2_forecast *f, regression *r,
                               double start) {
  const int n = f->record.count, q = f->unknowns;
  const double dn = n, dq = q;
  int64_t info;
  char text[96];
  must(qn_potrf(stream, QN_LOWER, r->k, &info));
  snprintf(text, sizeof text, "qn_potrf      K = L L', n = %d", n);
  start = report(stream, start, 1e-9 * dn * dn * dn / 3.0, "GFLOP/s", text);
  must_be_definite(info, "the covariance of the record");

  must(qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1.0), r->k, r->w));
  snprintf(text, sizeof text, "qn_trsm       W = L^-1 [H y K*], %d x %d", n, q);
  start = report(stream, start, 1e-9 * dn * dn * dq, "GFLOP/s", text);

  must(qn_gemm(stream, QN_TRANS, QN_NOTRANS, qn_real(-1.0), r->w, r->w, qn_real(1.0), r->s));
  snprintf(text, sizeof text, "qn_gemm       S = corner - W' W, %d x %d x %d", q, q, n);
  return report(stream, start, 2e-9 * dn * dq * dq, "GFLOP/s", text);
}

static double eliminate_trend(qn_stream *stream, const co2_forecast *f, regression *r,
                              double start) {
  const int n = f->record.count, p = CO2_TRENDS, rest = f->unknowns - p;
  const qn_scalar one = qn_real(1.0), zero = qn_real(0.0);
  int64_t info;
  qn_matrix h = qn_matrix_sub(r->w, 0, 0, n, p);
  qn_matrix t = qn_matrix_sub(r->s, 0, p, p, rest);
  qn_matrix s = qn_matrix_sub(r->s, p, p, rest, rest);
  must(qn_gemm(stream, QN_TRANS, QN_NOTRANS, one, h, h, zero, r->g));
  must(qn_potrf(stream, QN_LOWER, r->g, &info));
  must(qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, one, r->g, t));
  must(qn_gemm(stream, QN_TRANS, QN_NOTRANS, one, t, t, one, s));
  start = report(stream, start, 0, "", "gemm, potrf, trsm, gemm for the trend");
  must_be_definite(info, "the trend's information");
  return start;
}

void co2_regress(qn_stream *stream, co2_forecast *f) {
  const int n = f->record.count, m = f->months, p = CO2_TRENDS, q = p + 1 + m;
  double start = now();
  double *corner = assemble(f);
  start = report(stream, start, 0, "", "covariance of the record and the months to come (host)");

  regression r = {matrix(stream, QN_F64, n, n), matrix(stream, QN_F64, n, q),
                  matrix(stream, QN_F64, q, q), matrix(stream, QN_F64, p, p)};
  must(qn_matrix_write(stream, r.k, f->k, n));
  must(qn_matrix_write(stream, r.w, f->w, n));
  must(qn_matrix_write(stream, r.s, corner, q));
  start = report(stream, start, 0, "", "to the device");
  start = eliminate_record(stream, f, &r, start);
  start = eliminate_trend(stream, f, &r, start);

  qn_matrix mean = qn_matrix_sub(r.s, p + 1, p, m, 1);
  qn_matrix covariance = qn_matrix_sub(r.s, p + 1, p + 1, m, m);
  f->mean = co2_room((size_t)m);
  f->covariance = co2_room((size_t)m * (size_t)m);
  f->factor = co2_room((size_t)m * (size_t)m);
  must(qn_matrix_read(stream, f->mean, m, mean));
  must(qn_matrix_read(stream, f->covariance, m, covariance));
  must(qn_matrix_read(stream, f->l, n, r.k));
  must(qn_matrix_read(stream, f->solved, n, r.w));
  start = report(stream, start, 0, "", "to the host");
  for (int i = 0; i < m; i++) f->mean[i] = -f->mean[i];

  int64_t info;
  char text[96];
  must(qn_potrf(stream, QN_LOWER, covariance, &info));
  snprintf(text, sizeof text, "qn_potrf      covariance of the forecast, n = %d", m);
  report(stream, start, 1e-9 / 3.0 * m * m * m, "GFLOP/s", text);
  must_be_definite(info, "the covariance of the forecast");
  must(qn_matrix_read(stream, f->factor, m, covariance));
  must(qn_stream_sync(stream));
  qn_buffer_free(r.k.buffer);
  qn_buffer_free(r.w.buffer);
  qn_buffer_free(r.s.buffer);
  qn_buffer_free(r.g.buffer);
  free(corner);
}

/* ---- simulation ---- */

/* Host doubles to a device matrix of either dtype, and back. */
static void put(qn_stream *stream, qn_matrix to, const double *from) {
  const size_t count = (size_t)(to.rows * to.cols);
  const float *narrow = NULL;
  if (to.dtype == QN_F32) {
    float *copy = co2_room(count);
    for (size_t i = 0; i < count; i++) copy[i] = (float)from[i];
    narrow = copy;
  }
  must(qn_matrix_write(stream, to, narrow ? (const void *)narrow : from, to.rows));
  must(qn_stream_sync(stream));
  free((void *)narrow);
}

/* Where the host finds a whole matrix: in place on the cpu, else in a copy, which *copy names. */
static const void *reach(qn_stream *stream, qn_matrix m, void **copy) {
  *copy = NULL;
  must(qn_stream_sync(stream));
  if (qn_buffer_host(m.buffer)) return qn_buffer_host(m.buffer);
  *copy = co2_room((size_t)(m.rows * m.cols));
  must(qn_matrix_read(stream, *copy, m.rows, m));
  must(qn_stream_sync(stream));
  return *copy;
}

static double *get(qn_stream *stream, qn_matrix from) {
  const size_t count = (size_t)(from.rows * from.cols);
  double *to = co2_room(count);
  void *native = from.dtype == QN_F64 ? to : co2_room(count);
  must(qn_matrix_read(stream, native, from.rows, from));
  must(qn_stream_sync(stream));
  if (native != to) {
    for (size_t i = 0; i < count; i++) to[i] = ((const float *)native)[i];
    free(native);
  }
  return to;
}

/* Means of twelve months that follow one another, as a matrix: row i averages months i .. i + 11.
 */
static double *averaging(int rows, int months) {
  double *a = co2_room((size_t)rows * (size_t)months);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < CO2_YEAR; j++) a[i + (i + j) * rows] = 1.0 / CO2_YEAR;
  return a;
}

/* A column of either dtype as doubles. */
static void load(double *to, qn_dtype dtype, const void *from, int64_t column, int count) {
  const float *narrow = (const float *)from + column * count;
  const double *wide = (const double *)from + column * count;
  for (int i = 0; i < count; i++) to[i] = dtype == QN_F32 ? (double)narrow[i] : wide[i];
}

/* The twelve-month means of the forecast itself. */
static double *expected_means(const co2_forecast *f, int rows) {
  double *expected = co2_room((size_t)rows);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < CO2_YEAR; j++) expected[i] += f->mean[i + j] / CO2_YEAR;
  return expected;
}

/* One future: x is its course and y how many of the levels each twelve-month mean is above. */
static void count_future(co2_forecast *f, const double *x, const double *y) {
  const double share = 1.0 / (double)f->futures;
  bool passed = false;
  for (int i = 0; i < f->months; i++) {
    f->sample_mean[i] += share * (x[i] - f->mean[i]);
    if (x[i] > f->threshold) f->above[i] += share;
    if (i < CO2_YEAR - 1) continue;
    int levels = (int)y[i - CO2_YEAR + 1];
    for (int level = 0; level < levels; level++) f->year_above[level][i] += share;
    passed = passed || levels == CO2_LEVELS;
    if (passed) f->passed[i] += share;
  }
}

/* Counts over all futures; `departures` hold what departs from the forecast. */
static void tally(co2_forecast *f, const void *departures, const void *levels) {
  const int m = f->months, rows = m - CO2_YEAR + 1;
  double x[CO2_MAX_MONTHS], y[CO2_MAX_MONTHS];
  f->sample_mean = co2_room((size_t)m);
  f->above = co2_room((size_t)m);
  f->passed = co2_room((size_t)m);
  for (int level = 0; level < CO2_LEVELS; level++) f->year_above[level] = co2_room((size_t)m);
  for (int64_t future = 0; future < f->futures; future++) {
    load(x, f->dtype, departures, future, m);
    load(y, f->dtype, levels, future, rows);
    for (int i = 0; i < m; i++) x[i] += f->mean[i];
    if (future < CO2_SHOWN) memcpy(f->shown[future], x, sizeof(double) * (size_t)m);
    count_future(f, x, y);
  }
}

/* Futures are factor times normals: each column of X one possible course of the months to come,
 * less the forecast. */
static double draw_futures(qn_stream *stream, co2_forecast *f, qn_matrix l, qn_matrix x,
                           double start) {
  const double dm = f->months, dn = (double)f->futures;
  qn_matrix some = qn_matrix_sub(x, 0, 0, x.rows, CO2_SHOWN);
  qn_rng rng = qn_rng_make(CO2_SEED);
  char text[96];
  must(qn_rng_normal(stream, &rng, x));
  snprintf(text, sizeof text, "qn_rng_normal Z, %d x %lld", f->months, (long long)f->futures);
  report(stream, start, 1e-6 * dm * dn, "M/s", text);
  f->normals = get(stream, some);

  start = now();
  must(qn_trmm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1.0), l, x));
  snprintf(text, sizeof text, "qn_trmm       X = factor Z, %d x %lld", f->months,
           (long long)f->futures);
  report(stream, start, 1e-9 * dm * dm * dn, "GFLOP/s", text);
  f->coloured = get(stream, some);
  return now();
}

/* Y(i, s) := how many of the levels the mean of months i .. i + 11 of future s is above. The
 * product averages what departs from the forecast; the epilogue adds the forecast's own mean and
 * compares, so that no pass over Y follows. */
static double count_levels(qn_stream *stream, const co2_forecast *f, qn_matrix x, qn_matrix y,
                           double start) {
  const int rows = (int)y.rows;
  double *weights = averaging(rows, f->months), *expected = expected_means(f, rows);
  qn_matrix a = matrix(stream, f->dtype, rows, f->months), mean = matrix(stream, f->dtype, rows, 1);
  qn_epilogue_args args = {.bias_m = mean};
  qn_epilogue *epilogue;
  char text[96];
  put(stream, a, weights);
  put(stream, mean, expected);
  for (int level = 0; level < CO2_LEVELS; level++)
    args.scalar[level] = qn_real(co2_level(f, level));
  must(qn_epilogue_create("(acc + bias_m > low) + (acc + bias_m > middle) + (acc + bias_m > high)",
                          "low middle high", NULL, &epilogue));
  must(qn_gemm_ex(stream, QN_NOTRANS, QN_NOTRANS, qn_real(1.0), a, x, qn_real(0.0), y, epilogue,
                  &args));
  snprintf(text, sizeof text, "qn_gemm_ex    twelve-month means above the levels, %d x %lld x %d",
           rows, (long long)f->futures, f->months);
  start =
      report(stream, start, 2e-9 * (double)rows * (double)f->futures * f->months, "GFLOP/s", text);
  qn_epilogue_free(epilogue);
  qn_buffer_free(a.buffer);
  qn_buffer_free(mean.buffer);
  free(weights);
  free(expected);
  return start;
}

void co2_simulate(qn_stream *stream, co2_forecast *f) {
  const int m = f->months, rows = m - CO2_YEAR + 1;
  const double dm = m, dn = (double)f->futures;
  char text[96];
  double start = now();
  qn_matrix l = matrix(stream, f->dtype, m, m), x = matrix(stream, f->dtype, m, f->futures);
  qn_matrix c = matrix(stream, f->dtype, m, m);
  qn_matrix y = matrix(stream, f->dtype, rows, f->futures);
  put(stream, l, f->factor);
  /* touched once, so that the steps to come are timed without the system's paging */
  must(qn_fill(stream, x.buffer, 0, qn_buffer_size(x.buffer), 0, 4));
  must(qn_fill(stream, y.buffer, 0, qn_buffer_size(y.buffer), 0, 4));
  start = report(stream, start, 0, "", "room for the futures, factor to the device");

  start = draw_futures(stream, f, l, x, start);
  start = count_levels(stream, f, x, y, start);

  must(qn_gemm(stream, QN_NOTRANS, QN_TRANS, qn_real(1.0 / dn), x, x, qn_real(0.0), c));
  snprintf(text, sizeof text, "qn_gemm       sample covariance, %d x %d x %lld", m, m,
           (long long)f->futures);
  start = report(stream, start, 2e-9 * dm * dm * dn, "GFLOP/s", text);

  void *copies[2];
  const void *departures = reach(stream, x, &copies[0]), *levels = reach(stream, y, &copies[1]);
  f->sample_covariance = get(stream, c);
  start = report(stream, start, 0, "", "to the host (where it is not there already)");
  tally(f, departures, levels);
  report(stream, start, 0, "", "counting months and years above the threshold (host)");

  free(copies[0]);
  free(copies[1]);
  qn_buffer_free(l.buffer);
  qn_buffer_free(x.buffer);
  qn_buffer_free(c.buffer);
  qn_buffer_free(y.buffer);
}
