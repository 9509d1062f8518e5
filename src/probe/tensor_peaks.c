/* Peaks of NVIDIA's tensor cores: from registers by mma.sync, from shared memory by wgmma. */
#include "probe/families.h"
#include "probe/halves.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHAINS = 8, LINKS = 4, ROUNDS = 128, GROUP = 256, WARP = 32, SEED_A = 1, SEED_B = 2 };

/* One shape of mma.sync: C m x 8 += A m x k, B k x 8. */
typedef struct mma_shape {
  const char *text;
  probe_arithmetic arithmetic;
  int kind, m, k;
  int parts_a, parts_b; /* words a lane */
} mma_shape;

static const mma_shape f16_shape = {"f16 by mma.sync", PROBE_F16_TENSOR, 16, 16, 16, 4, 2};
static const mma_shape tf32_shape = {"tf32 by mma.sync", PROBE_TF32_TENSOR, 32, 16, 8, 4, 2};
static const mma_shape f64_shape = {"f64 by mma.sync", PROBE_F64_TENSOR, 64, 16, 8, 4, 2};
static const mma_shape f64_small = {"f64 by mma.sync", PROBE_F64_TENSOR, 64, 8, 4, 1, 1};

static double element_a(const mma_shape *s, int row, int k) {
  return probe_coarse((uint32_t)(row * s->k + k), SEED_A);
}

static double element_b(const mma_shape *s, int chain, int k, int col) {
  return probe_coarse((uint32_t)((chain * s->k + k) * 8 + col), SEED_B);
}

/* Word `at` of the parts, holding `low`, of f16 `low` and the next along k. */
static void put(void *parts, const mma_shape *s, int at, double low, double high) {
  if (s->kind == 64) {
    ((double *)parts)[at] = low;
  } else if (s->kind == 32) {
    ((float *)parts)[at] = (float)low;
  } else {
    ((uint32_t *)parts)[at] = probe_half_bits(low) | (uint32_t)probe_half_bits(high) << 16;
  }
}

/* What kernels/mma.cl draws: part i of A is row g, or g + 8 for odd i, and the upper half of k from
 * i = 2 on; part i of B the upper half of k for i = 1. f16 has two of k side by side. */
static void lay_out(void *parts, const mma_shape *s) {
  const int pair = s->kind == 16 ? 2 : 1;
  for (int lane = 0; lane < WARP; lane++) {
    const int g = lane / 4, q = lane % 4 * pair;
    for (int i = 0; i < s->parts_a; i++) {
      const int row = g + i % 2 * 8, k = q + i / 2 * (s->k / 2);
      put(parts, s, i * WARP + lane, element_a(s, row, k),
          pair == 2 ? element_a(s, row, k + 1) : 0.0);
    }
    for (int i = 0; i < CHAINS * s->parts_b; i++) {
      const int chain = i / s->parts_b, k = q + i % s->parts_b * (s->k / 2);
      put(parts, s, (s->parts_a + i) * WARP + lane, element_b(s, chain, k, g),
          pair == 2 ? element_b(s, chain, k + 1, g) : 0.0);
    }
  }
}

/* The first warp's sums: all have the same. */
static void check(probe *p, probe_figure *f, const mma_shape *s, qn_buffer *out) {
  const int sums = s->m == 16 ? 4 : 2;
  const float *got = probe_fetch(p, out, (size_t)(WARP * sums) * sizeof *got);
  for (int i = 0; got && i < WARP * sums; i++) {
    const int lane = i / sums, row = lane / 4 + i % sums / 2 * 8, col = lane % 4 * 2 + i % 2;
    double want = 0.0;
    for (int chain = 0; chain < CHAINS; chain++)
      for (int k = 0; k < s->k; k++) want += element_a(s, row, k) * element_b(s, chain, k, col);
    want *= LINKS * ROUNDS;
    probe_check(f, fabs(got[i] - want) <= 1e-3 * (LINKS * ROUNDS + fabs(want)));
  }
}

/* NULL where the compiler does not know the instruction, which is no failure. */
static qn_kernel *known_kernel(probe *p, const char *source, const char *entry,
                               const char *options) {
  qn_kernel *kernel = probe_kernel(p, source, entry, options);
  if (p->status == QN_ECOMPILE) p->status = QN_OK;
  return kernel;
}

static void one_shape(probe *p, const mma_shape *s, uint32_t groups, int arch) {
  const size_t word = s->kind == 64 ? sizeof(double) : sizeof(uint32_t);
  const size_t bytes = (size_t)(s->parts_a + CHAINS * s->parts_b) * WARP * word;
  void *parts = probe_host(p, bytes);
  if (!parts) return;
  lay_out(parts, s);
  char options[64];
  snprintf(options, sizeof options, "-DKIND=%d -DQN_SM=%d -DCHAINS=%d", s->kind, arch, CHAINS);
  qn_buffer *x = probe_upload(p, parts, bytes);
  qn_buffer *out = probe_buffer(p, (size_t)groups * GROUP * 4 * sizeof(float));
  probe_launch l = {.entry = "mma_chains",
                    .grid = {{groups, 1, 1}, {GROUP, 1, 1}},
                    .count = 3,
                    .turns = 1,
                    .kernel = known_kernel(p, probe_mma_source, "mma_chains", options)};
  if (!l.kernel) return;
  probe_figure *f = probe_add(p, "tensor", NAN, PROBE_GFLOPS, "%s", s->text);
  if (!f) return;
  l.args[0][0] = qn_arg_buffer(x);
  l.args[0][1] = qn_arg_buffer(out);
  l.args[0][2] = qn_arg_i32(ROUNDS);
  const double warps = (double)groups * GROUP / WARP;
  f->arithmetic = s->arithmetic;
  f->flops = 2.0 * s->m * 8 * s->k * warps * CHAINS * LINKS * ROUNDS;
  probe_time(p, f, &l);
  check(p, f, s, out);
}

/* ---- wgmma ---- */

enum { WIDE_M = 64, WIDE_N = 256, WIDE_K = 64, PASSES = 2, WIDE_ROUNDS = 64 };

static uint16_t *halves(probe *p, uint32_t count, uint32_t seed) {
  uint16_t *x = probe_host(p, count * sizeof *x);
  for (uint32_t i = 0; x && i < count; i++) x[i] = probe_half_bits(probe_coarse(i, seed));
  return x;
}

static double wide_product(int row, int col) {
  double sum = 0.0;
  for (int k = 0; k < WIDE_K; k++)
    sum += probe_coarse((uint32_t)(row * WIDE_K + k), SEED_A) *
           probe_coarse((uint32_t)(col * WIDE_K + k), SEED_B);
  return sum * PASSES * WIDE_ROUNDS;
}

static void check_wide(probe *p, probe_figure *f, qn_buffer *out) {
  enum { WARPS = 4 };
  const float *got = probe_fetch(p, out, (size_t)(WARPS * WARP) * 4 * sizeof *got);
  for (int i = 0; got && i < WARPS * WARP * 4; i++) {
    const int item = i / 4, lane = item % WARP;
    const int row = item / WARP * 16 + lane / 4 + i % 4 / 2 * 8, col = lane % 4 * 2 + i % 2;
    const double want = wide_product(row, col) + wide_product(row, WIDE_N - 8 + col);
    probe_check(f, fabs(got[i] - want) <= 1e-3 * (PASSES * WIDE_ROUNDS + fabs(want)));
  }
}

static void wide_groups(probe *p, uint32_t groups) {
  const uint16_t *a = halves(p, WIDE_M * WIDE_K, SEED_A), *b = halves(p, WIDE_N * WIDE_K, SEED_B);
  qn_buffer *x = probe_upload(p, a, WIDE_M * WIDE_K * sizeof *a);
  qn_buffer *y = probe_upload(p, b, WIDE_N * WIDE_K * sizeof *b);
  qn_buffer *out = probe_buffer(p, (size_t)groups * GROUP * 4 * sizeof(float));
  probe_launch l = {.entry = "wgmma_chains",
                    .grid = {{groups, 1, 1}, {GROUP, 1, 1}},
                    .count = 4,
                    .turns = 1,
                    .kernel = known_kernel(p, probe_wgmma_source, "wgmma_chains", NULL)};
  if (!l.kernel) return;
  probe_figure *f = probe_add(p, "tensor", NAN, PROBE_GFLOPS, "f16 by wgmma");
  if (!f) return;
  l.args[0][0] = qn_arg_buffer(x);
  l.args[0][1] = qn_arg_buffer(y);
  l.args[0][2] = qn_arg_buffer(out);
  l.args[0][3] = qn_arg_i32(WIDE_ROUNDS);
  f->arithmetic = PROBE_F16_TENSOR;
  f->flops = 2.0 * WIDE_M * WIDE_N * WIDE_K * PASSES * WIDE_ROUNDS * 2.0 * groups;
  probe_time(p, f, &l);
  check_wide(p, f, out);
}

void probe_tensor_peaks(probe *p) {
  enum { FIRST = 80, WGMMA = 90 };
  const int arch = probe_nvidia_arch(p);
  const uint32_t units = p->info.compute_units ? p->info.compute_units : 1;
  if (arch < FIRST) return;
  one_shape(p, &f16_shape, 4 * units, arch);
  one_shape(p, &tf32_shape, 4 * units, arch);
  one_shape(p, arch >= WGMMA ? &f64_shape : &f64_small, 4 * units, arch);
  /* wgmma belongs to this architecture alone, and to CUDA's compiler, whose name for it this is */
  if (strcmp(p->info.arch, "sm_90a") == 0) wide_groups(p, 4 * units);
}
