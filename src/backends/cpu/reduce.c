/* qn_cpu_ops.reduce: sums, norms and extremes, in f64 whatever the dtype.
 *
 *   vector, the columns of m behind one another:  | chunk 0 | chunk 1 | ...
 *                                                      |         |
 *                                                    state     state      joined in order
 *
 * A thread does whole chunks, so the bits do not depend on their number. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runs.h"
#include "backends/cpu/threads.h"
#include <math.h>
#include <string.h>

enum { CHUNK = 8192, LANES = 16, ELEMENT_FLOPS = 4 };

/* The sum (of real and imaginary parts), the largest or smallest in part[0]; of a norm the squares
 * of low, middle and high parts, scaled as in kernels/portable/norm.cl. */
typedef struct state {
  double part[3];
} state;

static const double SMALL = 0x1p-511, LARGE = 0x1p486, UP = 0x1p537, DOWN = 0x1p-538;

static bool beats(qn_reduction op, double x, double best) {
  return (op == QN_REDUCE_MIN ? x < best : x > best) || isnan(x);
}

static state nothing(qn_reduction op) {
  return (state){{op == QN_REDUCE_MAX ? -INFINITY : op == QN_REDUCE_MIN ? INFINITY : 0}};
}

static state join(qn_reduction op, state a, state b) {
  if (op >= QN_REDUCE_MAX_ABS) return beats(op, b.part[0], a.part[0]) ? b : a;
  for (int i = 0; i < 3; i++) a.part[i] += b.part[i];
  return a;
}

/* ---- runs ---- */

/* Lanes side by side become vector instructions; complex parts alternate. */
static state sum(int64_t n, const double *x) {
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += x[i + l];
  for (int l = 0; i < n; i++, l++) lane[l] += x[i];
  state s = {{0}};
  for (int l = 0; l < LANES; l++) s.part[l % 2] += lane[l];
  return s;
}

static state squares_by_size(int64_t n, const double *x) {
  state s = {{0}};
  for (int64_t i = 0; i < n; i++) {
    const double size = fabs(x[i]);
    if (size > LARGE) {
      s.part[2] += (size * DOWN) * (size * DOWN);
    } else if (size < SMALL) {
      s.part[0] += (size * UP) * (size * UP);
    } else {
      s.part[1] += size * size;
    }
  }
  return s;
}

/* A plain sum that neither overflowed nor is so small that what underflowed would count will do. */
static state squares(int64_t n, const double *x) {
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += x[i + l] * x[i + l];
  for (int l = 0; i < n; i++, l++) lane[l] += x[i] * x[i];
  double all = 0;
  for (int l = 0; l < LANES; l++) all += lane[l];
  return all > 0x1p-900 && all < LARGE * LARGE ? (state){{0, all, 0}} : squares_by_size(n, x);
}

/* The smallest is the largest of the opposites. A lane that has met a NaN keeps it. */
static state extreme(qn_reduction op, int64_t n, const double *x) {
  const double sign = op == QN_REDUCE_MIN ? -1 : 1;
  double lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = sign * nothing(op).part[0];
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) {
      const double value = sign * x[i + l];
      const int taken = (value > lane[l]) | (value != value);
      lane[l] = taken ? value : lane[l];
    }
  state s = nothing(op);
  for (int l = 0; l < LANES; l++) s = join(op, s, (state){{sign * lane[l]}});
  for (; i < n; i++) s = join(op, s, (state){{x[i]}});
  return s;
}

/* ---- elements to f64 ---- */

static void moduli(int64_t n, const double *pair, double *size) {
  for (int64_t i = 0; i < n; i++) size[i] = hypot(pair[2 * i], pair[2 * i + 1]);
}

/* State of a run of elements: as f64, complex ones as pairs, or by their moduli. */
static state of_run(const qn_cpu_reduce *p, const void *elements, int64_t n) {
  const qn_reduction op = p->op;
  const bool pairs = qn_dtype_is_complex(p->dtype);
  const bool wide = p->dtype == QN_F64 || p->dtype == QN_C128;
  double room[2 * QN_RUN];
  const double *x = elements;
  if (!wide) {
    qn_run_cast(pairs ? 2 * n : n, QN_F64, room, pairs ? QN_F32 : p->dtype, elements);
    x = room;
  }
  if (op == QN_REDUCE_SUM) return sum(pairs ? 2 * n : n, x);
  if (op == QN_REDUCE_NORM) return squares(pairs ? 2 * n : n, x);
  if (op == QN_REDUCE_SUM_ABS || op == QN_REDUCE_MAX_ABS) {
    if (pairs) {
      moduli(n, x, room);
    } else {
      for (int64_t i = 0; i < n; i++) room[i] = fabs(x[i]);
    }
    x = room;
  }
  return op == QN_REDUCE_SUM_ABS ? sum(n, x) : extreme(op, n, x);
}

/* ---- chunks ---- */

typedef struct job {
  const qn_cpu_reduce *p;
  int64_t rows, count, chunks; /* of one vector */
  state *states;
} job;

/* n elements of a vector from `at` on, its columns beginning at column `first`: where they lie, or
 * brought together in `room` where they cross from one column to the next. */
static const void *run_at(const job *j, int64_t first, int64_t at, int64_t n, void *room) {
  const qn_cpu_matrix x = j->p->x;
  const size_t size = qn_dtype_size(j->p->dtype);
  int64_t i = at % j->rows, column = first + at / j->rows;
  if (i + n <= j->rows || x.ld == j->rows) return qn_run_at(x, j->p->dtype, i, column);
  for (char *to = room; n > 0; i = 0, column++) {
    const int64_t length = qn_min64(n, j->rows - i);
    memcpy(to, qn_run_at(x, j->p->dtype, i, column), (size_t)length * size);
    to += (size_t)length * size;
    n -= length;
  }
  return room;
}

static state of_chunk(const job *j, int64_t first, int64_t begin, int64_t end) {
  double room[2 * QN_RUN] = {0};
  state all = nothing(j->p->op);
  for (int64_t at = begin; at < end; at += QN_RUN) {
    const int64_t n = qn_min64(QN_RUN, end - at);
    all = join(j->p->op, all, of_run(j->p, run_at(j, first, at, n, room), n));
  }
  return all;
}

static void part(void *arg, int thread, int threads) {
  const job *j = arg;
  const int64_t all = j->chunks * j->p->vectors;
  for (int64_t at = all * thread / threads; at < all * (thread + 1) / threads; at++) {
    const int64_t begin = at % j->chunks * CHUNK;
    j->states[at] = of_chunk(j, at / j->chunks, begin, qn_min64(begin + CHUNK, j->count));
  }
}

/* ---- the result ---- */

/* 0 1 2 3 4 -> 01 23 4 -> 0123 4 -> 01234: an error grows with the logarithm of their number. */
static state in_pairs(qn_reduction op, state *s, int64_t count) {
  for (int64_t width = 1; width < count; width *= 2)
    for (int64_t at = 0; at + width < count; at += 2 * width)
      s[at] = join(op, s[at], s[at + width]);
  return s[0];
}

static double norm(state s) {
  if (s.part[2] > 0) return sqrt(s.part[2] + s.part[1] * DOWN * DOWN) / DOWN;
  return hypot(sqrt(s.part[1]), sqrt(s.part[0]) / UP);
}

static void store(const qn_cpu_reduce *p, state s, int64_t vector) {
  double value[2] = {s.part[0], s.part[1]};
  if (p->op == QN_REDUCE_NORM) value[0] = norm(s);
  const bool real_sum = p->op <= QN_REDUCE_SUM_ABS && qn_reduce_dtype(p->op, p->dtype) < QN_C64;
  if (real_sum) value[0] += value[1];
  const qn_dtype out = qn_reduce_dtype(p->op, p->dtype);
  const bool pair = qn_dtype_is_complex(out);
  const qn_dtype part_type = out == QN_C64 ? QN_F32 : out == QN_C128 ? QN_F64 : out;
  qn_run_cast(pair ? 2 : 1, part_type, qn_run_at(p->out, out, 0, vector), QN_F64, value);
}

qn_status qn_cpu_reduce_run(const qn_cpu_reduce *p) {
  job j = {.p = p, .rows = p->x.rows, .count = p->x.rows};
  if (p->vectors == 1) j.count *= p->x.cols;
  j.chunks = qn_max64(1, qn_ceil_div(j.count, CHUNK));
  const size_t bytes = (size_t)(j.chunks * p->vectors) * sizeof *j.states;
  j.states = qn_host_alloc(bytes);
  if (!j.states)
    return qn_fail(QN_ENOMEM, "qn_matrix_reduce", "no host memory for %zu bytes", bytes);
  qn_team_run(qn_team_size(ELEMENT_FLOPS * (double)j.count * (double)p->vectors), part, &j);
  for (int64_t v = 0; v < p->vectors; v++)
    store(p, in_pairs(p->op, j.states + v * j.chunks, j.chunks), v);
  qn_host_free(j.states, bytes);
  return QN_OK;
}
