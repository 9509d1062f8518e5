/* Fills through the public interface: what they hold, how far they move, the same bits whatever the
 * threads, and what they refuse. */
#include "rng/reference.h"
#include <quern/quern.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static qn_device *device;
static qn_stream *stream;

static int open_cpu(void **unused) {
  (void)unused;
  if (qn_device_open("cpu", &device) != QN_OK) return -1;
  return qn_stream_create(device, &stream);
}

static int close_cpu(void **unused) {
  (void)unused;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

typedef qn_status fill_fn(qn_stream *, qn_rng *, qn_matrix);

static qn_matrix filled(fill_fn *fill, qn_rng *rng, qn_dtype dtype, int64_t rows, int64_t cols) {
  qn_matrix m;
  assert_int_equal(qn_matrix_alloc(device, dtype, rows, cols, &m), QN_OK);
  assert_int_equal(fill(stream, rng, m), QN_OK);
  return m;
}

static void fills_continue_one_another(void **unused) {
  (void)unused;
  qn_rng rng = qn_rng_make(1);
  uint64_t state = rng.state;
  for (int part = 0; part < 3; part++) {
    qn_matrix m = filled(qn_rng_uniform, &rng, QN_F64, 100, 17);
    const double *x = qn_buffer_host(m.buffer);
    for (int i = 0; i < 1700; i++) assert_true(x[i] == ref_next(&state));
    qn_buffer_free(m.buffer);
  }
  assert_int_equal(rng.state, state);
}

/* 1, 1024 and 1025 normals begin one, one and two blocks. */
static void normals_move_by_blocks(void **unused) {
  (void)unused;
  static const int64_t counts[] = {1, 1024, 1025, 2048, 5000};
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    qn_rng rng = qn_rng_make(3), want = rng;
    qn_matrix m = filled(qn_rng_normal, &rng, QN_F32, counts[i], 1);
    uint64_t blocks = (uint64_t)(counts[i] + QN_RNG_NORMAL_BLOCK - 1) / QN_RNG_NORMAL_BLOCK;
    qn_rng_skip(&want, blocks * QN_RNG_NORMAL_SPAN);
    assert_int_equal(rng.state, want.state);
    qn_buffer_free(m.buffer);
  }
  /* a block drawn by itself is that block of the whole */
  qn_rng rng = qn_rng_make(3), third = rng;
  qn_rng_skip(&third, 2 * QN_RNG_NORMAL_SPAN);
  qn_matrix whole = filled(qn_rng_normal, &rng, QN_F64, 4 * QN_RNG_NORMAL_BLOCK, 1);
  qn_matrix part = filled(qn_rng_normal, &third, QN_F64, QN_RNG_NORMAL_BLOCK, 1);
  assert_memory_equal((double *)qn_buffer_host(whole.buffer) + 2 * QN_RNG_NORMAL_BLOCK,
                      qn_buffer_host(part.buffer), QN_RNG_NORMAL_BLOCK * sizeof(double));
  qn_buffer_free(whole.buffer);
  qn_buffer_free(part.buffer);
}

static void threads_do_not_change_bits(void **unused) {
  (void)unused;
  enum { ROWS = 1001, COLS = 2003 };
  for (int which = 0; which < 4; which++) {
    fill_fn *fill = which & 1 ? qn_rng_normal : qn_rng_uniform;
    qn_dtype dtype = which & 2 ? QN_F32 : QN_F64;
    size_t bytes = (size_t)ROWS * COLS * qn_dtype_size(dtype);
    void *one = malloc(bytes);
    for (int threads = 1; threads <= 3; threads++) {
      qn_rng rng = qn_rng_make(11);
      assert_int_equal(qn_set_num_threads(threads), QN_OK);
      qn_matrix m = filled(fill, &rng, dtype, ROWS, COLS);
      if (threads == 1)
        memcpy(one, qn_buffer_host(m.buffer), bytes);
      else
        assert_memory_equal(one, qn_buffer_host(m.buffer), bytes);
      qn_buffer_free(m.buffer);
    }
    free(one);
  }
  qn_set_num_threads(0);
}

static void views_keep_their_gaps(void **unused) {
  (void)unused;
  enum { ROWS = 301, COLS = 40, LD = 310, AT = 13 };
  double *memory = malloc(sizeof(double) * (AT + LD * COLS));
  for (int i = 0; i < AT + LD * COLS; i++) memory[i] = -7.0;
  qn_matrix m = {.offset = AT, .rows = ROWS, .cols = COLS, .ld = LD, .dtype = QN_F64};
  assert_int_equal(qn_buffer_wrap(device, memory, sizeof(double) * (AT + LD * COLS), &m.buffer),
                   QN_OK);
  qn_rng rng = qn_rng_make(8);
  uint64_t state = rng.state;
  assert_int_equal(qn_rng_uniform(stream, &rng, m), QN_OK);
  for (int i = 0; i < AT; i++) assert_true(memory[i] == -7.0);
  for (int j = 0; j < COLS; j++)
    for (int i = 0; i < LD; i++)
      assert_true(memory[AT + i + j * LD] == (i < ROWS ? ref_next(&state) : -7.0));
  qn_buffer_free(m.buffer);
  free(memory);
}

static void refusals(void **unused) {
  (void)unused;
  qn_rng rng = qn_rng_make(5);
  qn_matrix m;
  assert_int_equal(qn_matrix_alloc(device, QN_C64, 4, 4, &m), QN_OK);
  assert_int_equal(qn_rng_uniform(stream, &rng, m), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "qn_rng_uniform: out is c64"));
  m.dtype = QN_F32;
  assert_int_equal(qn_rng_normal(stream, NULL, m), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "qn_rng_normal: rng is NULL"));
  assert_int_equal(qn_rng_normal(NULL, &rng, m), QN_EINVAL);
  m.ld = 3;
  assert_int_equal(qn_rng_normal(stream, &rng, m), QN_EINVAL);
  m.ld = 1000;
  assert_int_equal(qn_rng_normal(stream, &rng, m), QN_EINVAL);
  m.ld = 4;
  m.cols = 0;
  assert_int_equal(qn_rng_normal(stream, &rng, m), QN_OK);
  assert_int_equal(rng.state, 5); /* nothing above moved it */
  qn_buffer_free(m.buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fills_continue_one_another),
      cmocka_unit_test(normals_move_by_blocks),
      cmocka_unit_test(threads_do_not_change_bits),
      cmocka_unit_test(views_keep_their_gaps),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
