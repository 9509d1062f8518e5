/* Matrix products: naive, through local memory, and the library's. */
#include "probe/families.h"
#include "probe/matmul.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>
#include <stdio.h>

enum { SEED_A = 1, SEED_B = 2, SEED_BIAS = 3, CHECKED_ROWS = 8 };

/* Element (row, col) of A B in f64. */
static double product(int64_t n, int64_t row, int64_t col) {
  double sum = 0.0;
  for (int64_t k = 0; k < n; k++)
    sum += (double)probe_noise((uint32_t)(row * n + k), SEED_A) *
           probe_noise((uint32_t)(k * n + col), SEED_B);
  return sum;
}

void probe_check_product(probe *p, probe_figure *f, const float *c, int64_t n, bool finished) {
  for (int64_t r = 0; c && r < CHECKED_ROWS && !p->status; r++) {
    const int64_t row = r * (n - 1) / (CHECKED_ROWS - 1);
    for (int64_t col = 0; col<n; col += n> 256 ? 7 : 1) {
      double want = product(n, row, col);
      if (finished) want = fmax(want + probe_noise((uint32_t)col, SEED_BIAS), 0.0);
      probe_check(f, fabs(c[row * n + col] - want) <= 1e-4 * sqrt((double)n));
    }
  }
}

probe_product probe_product_make(probe *p) {
  const int64_t n = probe_order(p);
  const uint32_t count = (uint32_t)(n * n);
  return (probe_product){.n = n,
                         .a = probe_noise_buffer(p, count, SEED_A),
                         .b = probe_noise_buffer(p, count, SEED_B),
                         .bias = probe_noise_buffer(p, (uint32_t)n, SEED_BIAS),
                         .c = probe_buffer(p, count * sizeof(float))};
}

probe_launch probe_product_tiled(probe *p, const probe_product *m, int tile, bool fused) {
  char options[64];
  const uint32_t n = (uint32_t)m->n, side = (uint32_t)tile;
  snprintf(options, sizeof options, "-DTILE=%d -DFUSED=%d", tile, fused);
  probe_launch l = {.entry = "matmul_tiled",
                    .grid = qn_grid_2d(n, n, side, side),
                    .count = 5,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_matmul_source, "matmul_tiled", options)};
  l.args[0][0] = qn_arg_buffer(m->a);
  l.args[0][1] = qn_arg_buffer(m->b);
  l.args[0][2] = qn_arg_buffer(m->bias);
  l.args[0][3] = qn_arg_buffer(m->c);
  l.args[0][4] = qn_arg_i32((int32_t)m->n);
  return l;
}

double probe_tiled_local_bytes(int64_t n, int tile) {
  return sizeof(float) * (double)n * (double)n * (double)n * (1.0 + 0.25 + 2.0 / tile);
}

static probe_launch naive(probe *p, const probe_product *m) {
  const uint32_t n = (uint32_t)m->n, side = 16;
  probe_launch l = {.entry = "matmul_naive",
                    .grid = qn_grid_2d(n, n, side, side),
                    .count = 4,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_matmul_source, "matmul_naive", NULL)};
  l.args[0][0] = qn_arg_buffer(m->a);
  l.args[0][1] = qn_arg_buffer(m->b);
  l.args[0][2] = qn_arg_buffer(m->c);
  l.args[0][3] = qn_arg_i32((int32_t)m->n);
  return l;
}

/* By rows C = A B is, by columns, C' = B' A'. */
static qn_status ours(probe *p, void *user, unsigned turn) {
  (void)turn;
  const probe_product *m = user;
  const qn_matrix a = qn_matrix_of(m->a, QN_F32, m->n, m->n, m->n),
                  b = qn_matrix_of(m->b, QN_F32, m->n, m->n, m->n),
                  c = qn_matrix_of(m->c, QN_F32, m->n, m->n, m->n);
  return qn_gemm(p->stream, QN_NOTRANS, QN_NOTRANS, qn_real(1.0), b, a, qn_real(0.0), c);
}

static probe_figure *count_product(probe_figure *f, int64_t n) {
  if (f) {
    f->flops = 2.0 * (double)n * (double)n * (double)n;
    f->bytes = 12.0 * (double)n * (double)n;
  }
  return f;
}

static void time_kernel(probe *p, probe_figure *f, const probe_product *m, const probe_launch *l) {
  count_product(f, m->n);
  probe_time(p, f, l);
  probe_check_product(p, f, probe_fetch(p, m->c, (size_t)(m->n * m->n) * sizeof(float)), m->n,
                      false);
}

static void time_ours(probe *p, probe_product *m) {
  probe_figure *f = probe_add(p, "matmul", NAN, PROBE_GFLOPS, "quern's gemm");
  probe_time_work(p, count_product(f, m->n), ours, m);
  probe_check_product(p, f, probe_fetch(p, m->c, (size_t)(m->n * m->n) * sizeof(float)), m->n,
                      false);
}

static bool group_fits(const probe_launch *l, int items) {
  qn_kernel_report report;
  return !l->kernel || qn_kernel_query(l->kernel, &report) != QN_OK || report.max_group == 0 ||
         report.max_group >= (unsigned)items;
}

/* left_out: the side of the tiles whose group is too large for the device, 0 for none */
static void lesson(probe *p, int left_out) {
  const probe_result *r = p->result;
  if (p->status || r->count < 3) return;
  const probe_figure *f = r->figure, *best = &f[r->count - 1];
  char why[80] = "";
  if (left_out)
    snprintf(why, sizeof why, "; tiles of %d are left out: a group has no room for their items",
             left_out);
  probe_say(p, "%s is %.3g times as fast as %s; %s %.3g times%s", f[1].variant,
            probe_gain(p, &f[0], &f[1]), f[0].variant, best->variant,
            f[0].seconds.median / best->seconds.median, why);
}

void probe_matmul_kernels(probe *p) {
  static const int tiles[] = {16, 32};
  int left_out = 0;
  probe_product m = probe_product_make(p);
  probe_launch l = naive(p, &m);
  time_kernel(p, probe_add(p, "matmul", NAN, PROBE_GFLOPS, "naive"), &m, &l);
  for (int t = 0; t < 2; t++) {
    l = probe_product_tiled(p, &m, tiles[t], false);
    if (!group_fits(&l, tiles[t] * tiles[t])) {
      left_out = tiles[t];
      continue;
    }
    probe_figure *f = probe_add(p, "matmul", NAN, PROBE_GFLOPS, "tiled %d", tiles[t]);
    if (f) f->local = probe_tiled_local_bytes(m.n, tiles[t]);
    time_kernel(p, f, &m, &l);
  }
  time_ours(p, &m);
  lesson(p, left_out);
}

/* ---- the processor: the same three steps in C, on one thread, and ours on all ---- */

typedef struct cpu_product {
  const float *a, *b;
  float *c;
  int64_t n;
} cpu_product;

static void multiply_naive(const cpu_product *m) {
  for (int64_t i = 0; i < m->n; i++) {
    for (int64_t j = 0; j < m->n; j++) {
      float sum = 0.0f;
      for (int64_t k = 0; k < m->n; k++) sum += m->a[i * m->n + k] * m->b[k * m->n + j];
      m->c[i * m->n + j] = sum;
    }
  }
}

static void clear_rows(const cpu_product *m) {
  for (int64_t i = 0; i < m->n * m->n; i++) m->c[i] = 0.0f;
}

/* Rows of B and C are gone along; blocks of both stay in the caches. */
static void multiply_tiled(const cpu_product *m) {
  const int64_t n = m->n, tile = 64;
  clear_rows(m);
  for (int64_t k0 = 0; k0 < n; k0 += tile) {
    const int64_t k1 = k0 + tile < n ? k0 + tile : n;
    for (int64_t i = 0; i < n; i++) {
      for (int64_t k = k0; k < k1; k++) {
        const float a = m->a[i * n + k];
        for (int64_t j = 0; j < n; j++) m->c[i * n + j] += a * m->b[k * n + j];
      }
    }
  }
}

static qn_status run_on_cpu(probe *p, void *user, unsigned turn) {
  (void)p, (void)turn;
  multiply_naive(user);
  return QN_OK;
}

static qn_status run_tiled_on_cpu(probe *p, void *user, unsigned turn) {
  (void)p, (void)turn;
  multiply_tiled(user);
  return QN_OK;
}

void probe_matmul_cpu(probe *p) {
  const probe_work steps[] = {run_on_cpu, run_tiled_on_cpu};
  static const char *const texts[] = {"naive, one thread", "by rows in blocks, one thread"};
  const int64_t n = probe_order(p);
  const size_t bytes = (size_t)(n * n) * sizeof(float);
  const float *a = probe_random(p, (uint32_t)(n * n), SEED_A),
              *b = probe_random(p, (uint32_t)(n * n), SEED_B);
  probe_product m = {.n = n,
                     .a = probe_upload(p, a, bytes),
                     .b = probe_upload(p, b, bytes),
                     .c = probe_buffer(p, bytes)};
  if (p->status) return;
  cpu_product on_host = {a, b, qn_buffer_host(m.c), n};
  for (int s = 0; s < 2; s++) {
    probe_figure *f = probe_add(p, "matmul", NAN, PROBE_GFLOPS, "%s", texts[s]);
    probe_time_work(p, count_product(f, n), steps[s], &on_host);
    probe_check_product(p, f, on_host.c, n, false);
  }
  time_ours(p, &m);
  lesson(p, 0);
}
