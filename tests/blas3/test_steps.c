/* What the routines are made of: the trace, the base order, the workspace, the choice of a variant.
 */
#include "blas3/workload.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static qn_device *device;
static qn_stream *stream;

static int open_device(void **state) {
  (void)state;
  return qn_device_open("cpu", &device) || qn_stream_create(device, &stream);
}

static int close_device(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

/* ---- the trace ---- */

typedef struct tally {
  int gemm, base, other;
  int64_t largest_base;
  double flops, seconds;
  char variant[32];
} tally;

static void count(void *user, const qn_trace_step *step) {
  tally *t = user;
  assert_non_null(step->kind);
  assert_non_null(step->variant);
  assert_non_null(step->why);
  assert_true(step->seconds >= 0.0);
  t->seconds += step->seconds;
  t->flops += step->flops;
  if (strcmp(step->kind, "gemm") == 0) {
    t->gemm++;
    strncpy(t->variant, step->variant, sizeof t->variant - 1);
  } else if (strcmp(step->kind, "base") == 0) {
    t->base++;
    int64_t order = step->k ? step->k : step->m;
    if (order > t->largest_base) t->largest_base = order;
  } else {
    t->other++;
  }
}

static tally traced(int kind, int64_t n) {
  tally t = {0};
  workload w;
  assert_int_equal(workload_open(&w, stream, kind, n), QN_OK);
  assert_int_equal(workload_fill(&w, stream), QN_OK);
  assert_int_equal(qn_stream_set_trace(stream, count, &t), QN_OK);
  assert_int_equal(workload_run(&w, stream), QN_OK);
  assert_int_equal(qn_stream_set_trace(stream, NULL, NULL), QN_OK);
  workload_close(&w);
  return t;
}

static void close_to(double got, double want) {
  assert_true(got > 0.99 * want && got < 1.01 * want);
}

/* All the work of a routine is seen: base blocks no larger than asked, one product fewer than there
 * are base blocks, and operations that add up. */
static void triangular_steps(void **state) {
  (void)state;
  const double n = 300;
  for (int kind = WORK_TRSM; kind <= WORK_TRMM; kind++) {
    (kind == WORK_TRSM ? qn_device_set_trsm_block : qn_device_set_trmm_block)(device, 40);
    tally t = traced(kind, (int64_t)n);
    assert_true(t.largest_base <= 40);
    assert_true(t.base >= 8);
    assert_int_equal(t.gemm, t.base - 1);
    close_to(t.flops, n * n * n);
    (kind == WORK_TRSM ? qn_device_set_trsm_block : qn_device_set_trmm_block)(device, 1000);
    t = traced(kind, (int64_t)n);
    assert_int_equal(t.base, 1);
    assert_int_equal(t.gemm, 0);
    close_to(t.flops, n * n * n);
    (kind == WORK_TRSM ? qn_device_set_trsm_block : qn_device_set_trmm_block)(device, 0);
  }
}

static void other_steps(void **state) {
  (void)state;
  tally t = traced(WORK_GEMM, 64);
  assert_int_equal(t.gemm, 1);
  assert_string_equal(t.variant, "cpu_packed");
  close_to(t.flops, 2.0 * 64 * 64 * 64);
  t = traced(WORK_POTRF, 400);
  assert_true(t.base >= 2);
  close_to(t.flops, 400.0 * 400 * 400 / 3);
  t = traced(WORK_TRSM_HALF, 100);
  assert_true(t.other >= 3); /* workspace, into f32, out of it */
}

/* The result is the same solution whatever the base order; 0 restores the default's very bits. */
static void block_orders(void **state) {
  (void)state;
  workload w;
  assert_int_equal(workload_open(&w, stream, WORK_TRSM, 130), QN_OK);
  float *first = malloc(workload_bytes(&w)), *again = malloc(workload_bytes(&w));
  assert_non_null(first);
  assert_non_null(again);
  const int64_t orders[] = {0, 1, 3, 17, 64, 100, 129, 130, 100000, 0};
  for (int i = 0; i < 10; i++) {
    assert_int_equal(qn_device_set_trsm_block(device, orders[i]), QN_OK);
    assert_int_equal(workload_fill(&w, stream), QN_OK);
    assert_int_equal(workload_run(&w, stream), QN_OK);
    assert_int_equal(workload_read(&w, stream, i ? again : first), QN_OK);
    for (int64_t e = 0; i && e < 130 * 130; e++)
      assert_true(again[e] - first[e] < 1e-8 && first[e] - again[e] < 1e-8);
  }
  assert_memory_equal(first, again, workload_bytes(&w));
  free(first);
  free(again);
  workload_close(&w);
}

/* ---- half types on slabs and tiles ---- */

static float widened(uint16_t bf16) {
  uint32_t bits = (uint32_t)bf16 << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Large enough for several slabs of B and several tiles in one product, and for base blocks beyond
 * a tile if these were not kept within it: the bf16 result is the f32 one of the same operands,
 * rounded once. */
static void check_half_tiles(int64_t block) {
  assert_int_equal(qn_device_set_trsm_block(device, block), QN_OK);
  assert_int_equal(qn_device_set_trmm_block(device, block), QN_OK);
  const int64_t n = 1100;
  float *single = malloc((size_t)(n * n) * sizeof *single);
  uint16_t *half = malloc((size_t)(n * n) * sizeof *half);
  assert_non_null(single);
  assert_non_null(half);
  for (int kind = WORK_TRSM; kind <= WORK_TRMM; kind++) {
    workload w, h;
    int half_kind = kind == WORK_TRSM ? WORK_TRSM_HALF : WORK_TRMM_HALF;
    assert_int_equal(workload_open(&w, stream, kind, n), QN_OK);
    assert_int_equal(workload_open(&h, stream, half_kind, n), QN_OK);
    assert_int_equal(workload_fill(&w, stream), QN_OK);
    assert_int_equal(workload_fill(&h, stream), QN_OK);
    assert_int_equal(workload_run(&w, stream), QN_OK);
    assert_int_equal(workload_run(&h, stream), QN_OK);
    assert_int_equal(workload_read(&w, stream, single), QN_OK);
    assert_int_equal(workload_read(&h, stream, half), QN_OK);
    float largest = 0.0f;
    for (int64_t i = 0; i < n * n; i++) largest = fmaxf(largest, fabsf(single[i]));
    for (int64_t i = 0; i < n * n; i++) {
      float allowed = 0x1p-8f * fabsf(single[i]) + 1e-5f * largest;
      assert_true(fabsf(widened(half[i]) - single[i]) <= allowed);
    }
    workload_close(&w);
    workload_close(&h);
  }
  assert_int_equal(qn_device_set_trsm_block(device, 0), QN_OK);
  assert_int_equal(qn_device_set_trmm_block(device, 0), QN_OK);
  free(single);
  free(half);
}

static void half_tiles(void **state) {
  (void)state;
  check_half_tiles(0);
  check_half_tiles(5000);
}

/* ---- workspace ---- */

static atomic_llong now_held, most_held;

static void *watched_alloc(void *user, size_t size, size_t alignment) {
  (void)user;
  long long held = atomic_fetch_add(&now_held, (long long)size) + (long long)size;
  if (held > atomic_load(&most_held)) atomic_store(&most_held, held);
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void watched_free(void *user, void *pointer, size_t size) {
  (void)user;
  atomic_fetch_sub(&now_held, (long long)size);
  free(pointer);
}

/* Host memory and pool beyond the operands: 8 MiB and a little for each row. */
static void workspace(void **state) {
  (void)state;
  static const int kinds[] = {WORK_TRSM, WORK_TRMM, WORK_TRSM_HALF, WORK_TRMM_HALF};
  const int64_t n = 1600;
  const qn_allocator watching = {watched_alloc, watched_free, NULL};
  for (int i = 0; i < 4; i++) {
    qn_set_allocator(&watching);
    qn_device *own;
    qn_stream *on;
    workload w;
    assert_int_equal(qn_device_open("cpu", &own), QN_OK);
    assert_int_equal(qn_stream_create(own, &on), QN_OK);
    assert_int_equal(workload_open(&w, on, kinds[i], n), QN_OK);
    assert_int_equal(workload_fill(&w, on), QN_OK);
    long long before = atomic_load(&now_held);
    atomic_store(&most_held, before);
    assert_int_equal(workload_run(&w, on), QN_OK);
    long long used = atomic_load(&most_held) - before;
    if (used > (8 << 20) + 64 * n) fail_msg("workload %d takes %lld bytes", kinds[i], used);
    workload_close(&w);
    qn_stream_free(on);
    qn_device_close(own);
    qn_set_allocator(NULL);
  }
}

/* ---- the variant of gemm ---- */

static void scale_alone(void **state) {
  (void)state;
  qn_matrix a, c;
  tally t = {0};
  assert_int_equal(qn_matrix_alloc(device, QN_F64, 8, 8, &a), QN_OK);
  assert_int_equal(qn_matrix_alloc(device, QN_F64, 8, 8, &c), QN_OK);
  assert_int_equal(qn_stream_set_trace(stream, count, &t), QN_OK);
  assert_int_equal(qn_gemm(stream, QN_NOTRANS, QN_NOTRANS, qn_real(0), a, a, qn_real(0), c), QN_OK);
  assert_int_equal(qn_stream_set_trace(stream, NULL, NULL), QN_OK);
  assert_string_equal(t.variant, "cpu_scale");
  qn_buffer_free(a.buffer);
  qn_buffer_free(c.buffer);
}

/* The program's own word: a variant that cannot do the product refuses it, NULL frees the choice.
 */
static void variant_set(void **state) {
  (void)state;
  qn_gemm_variant_info rows[3];
  unsigned count;
  assert_int_equal(qn_gemm_variants(device, rows, 3, &count), QN_OK);
  assert_int_equal(count, 3);
  assert_string_equal(rows[1].name, "cpu_blas");
  assert_string_equal(rows[2].name, "cpu_scale");
  assert_false(rows[2].f16_sums);
  assert_int_equal(qn_gemm_variants(device, NULL, 0, &count), QN_OK);
  assert_int_equal(qn_gemm_variants(device, NULL, 1, &count), QN_EINVAL);
  assert_int_equal(qn_device_set_gemm_variant(device, "no_such_thing"), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "no_such_thing"));

  workload w;
  assert_int_equal(workload_open(&w, stream, WORK_GEMM, 16), QN_OK);
  assert_int_equal(workload_fill(&w, stream), QN_OK);
  assert_int_equal(qn_device_set_gemm_variant(device, "cpu_scale"), QN_OK);
  assert_int_equal(workload_run(&w, stream), QN_EUNSUPPORTED);
  assert_non_null(strstr(qn_last_error(), "cpu_scale, set for the device"));
  assert_int_equal(qn_device_set_gemm_variant(device, NULL), QN_OK);
  assert_int_equal(workload_run(&w, stream), QN_OK);
  workload_close(&w);
}

/* Under QUERN_GEMM_VARIANT=cpu_scale: a true product is refused, by name. */
static void forced_refuses(void **state) {
  (void)state;
  workload w;
  assert_int_equal(workload_open(&w, stream, WORK_GEMM, 16), QN_OK);
  assert_int_equal(workload_fill(&w, stream), QN_OK);
  assert_int_equal(workload_run(&w, stream), QN_EUNSUPPORTED);
  assert_non_null(strstr(qn_last_error(), "cpu_scale, forced by QUERN_GEMM_VARIANT"));
  workload_close(&w);
}

/* Under QUERN_GEMM_VARIANT=no_such_thing: said in the log, and passed over. */
static int warnings;

static void hear(void *user, qn_log_level level, const char *message) {
  (void)user;
  if (level == QN_LOG_WARNING && strstr(message, "no_such_thing")) warnings++;
}

static void unknown_ignored(void **state) {
  (void)state;
  qn_set_log(hear, NULL);
  tally t = traced(WORK_GEMM, 16);
  qn_set_log(NULL, NULL);
  assert_string_equal(t.variant, "cpu_packed");
  assert_true(warnings > 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest plain[] = {
      cmocka_unit_test(triangular_steps), cmocka_unit_test(other_steps),
      cmocka_unit_test(block_orders),     cmocka_unit_test(half_tiles),
      cmocka_unit_test(workspace),        cmocka_unit_test(scale_alone),
      cmocka_unit_test(variant_set),
  };
  const struct CMUnitTest forced[] = {cmocka_unit_test(forced_refuses)};
  const struct CMUnitTest unknown[] = {cmocka_unit_test(unknown_ignored)};
  if (argc > 1 && strcmp(argv[1], "forced") == 0)
    return cmocka_run_group_tests(forced, open_device, close_device);
  if (argc > 1 && strcmp(argv[1], "unknown") == 0)
    return cmocka_run_group_tests(unknown, open_device, close_device);
  return cmocka_run_group_tests(plain, open_device, close_device);
}
