/* qn_cpu_ops.gemm against the definition in a wider precision: every dtype, transpose, region, odd
 * size and edge of tile and block. QUERN_CPU_ISA chooses the kernels; without them: skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "skip.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const qn_dtype dtypes[][2] = {{QN_F32, QN_F32},   {QN_F64, QN_F64}, {QN_C64, QN_C64},
                                     {QN_C128, QN_C128}, {QN_F16, QN_F16}, {QN_BF16, QN_BF16},
                                     {QN_F16, QN_F32},   {QN_BF16, QN_F32}};
enum { PAIRS = sizeof dtypes / sizeof *dtypes };
static const char letters[] = "NTC";

static void expect_good(const gemm_shape *s, enum gemm_family family, bool all) {
  gemm_problem p;
  gemm_problem_init(&p, s, family);
  assert_int_equal(qn_cpu_ops_get()->gemm(&p.call), QN_OK);
  long double share = gemm_problem_error(&p, all);
  if (!(share <= 1))
    fail_msg("%s%s m %d n %d k %d trans %c%c region %d beta %g: %.3Lg of the bound",
             qn_dtype_name(s->dtype), s->ctype == s->dtype ? "" : "->f32", (int)s->m, (int)s->n,
             (int)s->k, s->transa, s->transb, (int)s->region, s->beta.re, share);
  gemm_problem_free(&p);
}

static gemm_shape shape_of(int pair, int64_t m, int64_t n, int64_t k, int trans) {
  return (gemm_shape){.dtype = dtypes[pair][0],
                      .ctype = dtypes[pair][1],
                      .m = m,
                      .n = n,
                      .k = k,
                      .transa = letters[trans % 3],
                      .transb = letters[trans / 3],
                      .alpha = {1, 0},
                      .beta = {0, 0},
                      .region = QN_REGION_ALL,
                      .gap = 3};
}

/* Each size of 1..70, in each place for some of the dtypes, the others drawn; each transpose,
 * factor and region comes by. */
static void small_sizes(void **unused) {
  (void)unused;
  static const qn_scalar factors[] = {{0, 0}, {1, 0}, {-0.75, 0.5}, {2, 0}};
  check_random_seed(3);
  int turn = 0;
  for (int pair = 0; pair < PAIRS; pair++) {
    for (int64_t size = 1; size <= 70; size++, turn++) {
      int64_t d[3];
      for (int i = 0; i < 3; i++) d[i] = 1 + (int64_t)(fabs(check_random()) * 50);
      d[(size + pair) % 3] = size;
      gemm_shape s = shape_of(pair, d[0], d[1], d[2], turn % 9);
      s.alpha = factors[1 + turn % 3];
      s.beta = factors[turn / 3 % 4];
      s.region = (qn_region)(turn / 5 % 3);
      s.gap = turn % 4;
      expect_good(&s, turn % 2 ? FAMILY_UNIFORM : FAMILY_POSITIVE, true);
    }
  }
}

/* Sizes one off the edges of tiles and of the block of k. */
static void edges(void **unused) {
  (void)unused;
  for (int pair = 0; pair < PAIRS; pair++) {
    const qn_tile_kernels *tile = &qn_cpu_isa_get()->dtype[dtypes[pair][0]];
    int64_t kc = qn_cpu_blocking(qn_dtype_compute(dtypes[pair][0]))->kc;
    for (int delta = -1; delta <= 1; delta++) {
      for (int trans = 0; trans < 9; trans++) {
        gemm_shape s = shape_of(pair, 2 * tile->mr + delta, 2 * tile->nr + delta,
                                trans % 2 ? kc + delta : 2 * kc + delta, trans);
        s.beta = qn_complex(trans % 3 - 1, pair % 2);
        expect_good(&s, FAMILY_POSITIVE, false);
      }
    }
  }
}

/* Large enough for several blocks, and for threads; C's edge tiles and regions among them. */
static void large(void **unused) {
  (void)unused;
  for (int pair = 0; pair < PAIRS; pair++) {
    for (int region = 0; region < 3; region++) {
      gemm_shape s = shape_of(pair, 801, 603, 131, (pair * 3 + region) % 9);
      s.beta = qn_real(region - 1);
      s.region = (qn_region)region;
      expect_good(&s, s.dtype == QN_F16 ? FAMILY_UNIFORM : FAMILY_SPREAD, false);
    }
  }
}

static void skinny(void **unused) {
  (void)unused;
  static const int64_t sizes[][3] = {{1, 3000, 700}, {3000, 1, 700}, {700, 800, 1},  {5, 2100, 333},
                                     {2100, 5, 333}, {64, 2000, 65}, {2000, 64, 65}, {7, 9, 20000}};
  for (int pair = 0; pair < PAIRS; pair++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      gemm_shape s = shape_of(pair, sizes[i][0], sizes[i][1], sizes[i][2], (int)i % 9);
      expect_good(&s, FAMILY_UNIFORM, false);
    }
  }
}

/* alpha = 0 and k = 0: A and B do not influence, beta scales what is in the region. */
static void without_a_product(void **unused) {
  (void)unused;
  for (int pair = 0; pair < PAIRS; pair++) {
    for (int turn = 0; turn < 18; turn++) {
      gemm_shape s = shape_of(pair, 33, 17, turn % 2 ? 0 : 9, turn % 9);
      s.alpha = qn_real(turn % 2);
      s.beta = qn_real(turn / 2 % 3 - 1);
      s.region = (qn_region)(turn % 3);
      gemm_problem p;
      gemm_problem_init(&p, &s, FAMILY_UNIFORM);
      if (s.k > 0) { /* neither A nor B may influence: all NaN */
        memset(p.call.a.data, 0xff, (size_t)(p.call.a.ld * p.call.a.cols) * qn_dtype_size(s.dtype));
        memset(p.call.b.data, 0xff, (size_t)(p.call.b.ld * p.call.b.cols) * qn_dtype_size(s.dtype));
      }
      assert_int_equal(qn_cpu_ops_get()->gemm(&p.call), QN_OK);
      p.shape.k = 0;
      assert_true(gemm_problem_error(&p, true) <= 1);
      gemm_problem_free(&p);
    }
  }
}

/* A NaN in A's row and an Inf in B's column reach that row and column and nothing else. */
static void special_values_travel(void **unused) {
  (void)unused;
  enum { M = 50, N = 40, K = 30, ROW = 37, COL = 13 };
  for (int trans = 0; trans < 9; trans++) {
    gemm_shape s = shape_of(1, M, N, K, trans);
    gemm_problem p;
    gemm_problem_init(&p, &s, FAMILY_POSITIVE);
    double *a = p.call.a.data, *b = p.call.b.data;
    a[s.transa == 'N' ? ROW + 7 * p.call.a.ld : 7 + ROW * p.call.a.ld] = NAN;
    b[s.transb == 'N' ? 9 + COL * p.call.b.ld : COL + 9 * p.call.b.ld] = INFINITY;
    assert_int_equal(qn_cpu_ops_get()->gemm(&p.call), QN_OK);
    for (int j = 0; j < N; j++) {
      for (int i = 0; i < M; i++) {
        double x = ((double *)p.call.c.data)[i + j * p.call.c.ld];
        if (i == ROW) {
          assert_true(isnan(x));
        } else if (j == COL) {
          assert_true(isinf(x) && x > 0);
        } else {
          assert_true(isfinite(x));
        }
      }
    }
    gemm_problem_free(&p);
  }
}

int main(void) {
  skip_unless_isa();
  const char *name = getenv("QUERN_CPU_ISA");
  if (name && strcmp(qn_cpu_ops_get()->isa, name) != 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_sizes),
      cmocka_unit_test(edges),
      cmocka_unit_test(large),
      cmocka_unit_test(skinny),
      cmocka_unit_test(without_a_product),
      cmocka_unit_test(special_values_travel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
