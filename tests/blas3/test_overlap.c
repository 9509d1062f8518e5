/* Copies and kernels at the same time, measured: copies from and to pinned memory beside products
 * on another stream, and matrices that go through the device in pieces on three streams. On the
 * device that QUERN_TEST_DEVICE names, the first of OpenCL by default; skipped on a cpu, whose
 * copies are the work of the cores that compute. */
#include <quern/quern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

enum { ORDER = 4096, PIECES = 16, STREAMS = 3, PRODUCTS = 4, ROUNDS = 5 };

static qn_device *device;
static qn_stream *streams[STREAMS];
static qn_buffer *pinned[2];    /* what goes in, what comes out */
static qn_matrix a, b, c, d, e; /* c = a b beside d in and e out */

#define ok(call)                                                                                   \
  do {                                                                                             \
    if ((call) != QN_OK) fail_msg("%s: %s", #call, qn_last_error());                               \
  } while (0)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *x, const void *y) {
  const double a0 = *(const double *)x, b0 = *(const double *)y;
  return (a0 > b0) - (a0 < b0);
}

/* Median seconds of work that is enqueued on several streams. */
static double seconds(void (*enqueue)(void)) {
  double all[ROUNDS];
  for (int r = -1; r < ROUNDS; r++) { /* the first makes everything ready */
    const double begun = now();
    enqueue();
    for (int s = 0; s < STREAMS; s++) ok(qn_stream_sync(streams[s]));
    if (r >= 0) all[r] = now() - begun;
  }
  qsort(all, ROUNDS, sizeof *all, by_size);
  return all[ROUNDS / 2];
}

static void products(void) {
  const qn_scalar one = qn_real(1), zero = qn_real(0);
  for (int i = 0; i < PRODUCTS; i++)
    ok(qn_gemm(streams[0], QN_NOTRANS, QN_NOTRANS, one, a, b, zero, c));
}

static void copies(void) {
  for (int i = 0; i < PRODUCTS; i++) {
    ok(qn_matrix_write(streams[1], d, qn_buffer_host(pinned[0]), ORDER));
    ok(qn_matrix_read(streams[2], qn_buffer_host(pinned[1]), ORDER, e));
  }
}

static void both(void) {
  products();
  copies();
}

static void copies_beside_products(void **state) {
  (void)state;
  const double alone = seconds(products), copied = seconds(copies), together = seconds(both);
  const double shorter = alone < copied ? alone : copied;
  const double hidden = (alone + copied - together) / shorter;
  print_message("products %.2f ms, copies %.2f ms, both %.2f ms: %.0f %% of the shorter hidden\n",
                1e3 * alone, 1e3 * copied, 1e3 * together, 100 * hidden);
  assert_true(hidden > 0.5);
}

/* Columns in, through a kernel, and out again, each piece on one of `count` streams. */
static void pieces(int count) {
  const int64_t width = ORDER / PIECES;
  char *in = qn_buffer_host(pinned[0]), *out = qn_buffer_host(pinned[1]);
  for (int p = 0; p < PIECES; p++) {
    qn_stream *stream = streams[p % count];
    const qn_matrix piece = qn_matrix_sub(d, 0, p * width, ORDER, width);
    const size_t at = (size_t)p * (size_t)width * ORDER * sizeof(float);
    ok(qn_matrix_write(stream, piece, in + at, ORDER));
    ok(qn_matrix_axpby(stream, qn_real(2), piece, qn_real(0), piece));
    ok(qn_matrix_read(stream, out + at, ORDER, piece));
  }
}
static void in_one(void) {
  pieces(1);
}
static void in_three(void) {
  pieces(STREAMS);
}

static void pieces_on_three_streams(void **state) {
  (void)state;
  float *in = qn_buffer_host(pinned[0]), *out = qn_buffer_host(pinned[1]);
  for (int i = 0; i < ORDER * ORDER; i++) in[i] = (float)(i % 1000);
  const double one = seconds(in_one), three = seconds(in_three);
  for (int i = 0; i < ORDER * ORDER; i++) assert_true(out[i] == 2 * in[i]);
  print_message("in pieces: %.2f ms on one stream, %.2f ms on three\n", 1e3 * one, 1e3 * three);
  assert_true(three < 0.85 * one);
}

static int set_up(void **state) {
  (void)state;
  const size_t bytes = (size_t)ORDER * ORDER * sizeof(float);
  qn_matrix *all[] = {&a, &b, &c, &d, &e};
  for (int s = 0; s < STREAMS; s++)
    if (qn_stream_create(device, &streams[s])) return -1;
  for (int m = 0; m < 5; m++) {
    if (qn_matrix_alloc(device, QN_F32, ORDER, ORDER, all[m])) return -1;
    if (qn_fill(streams[0], all[m]->buffer, 0, bytes, 0, 4)) return -1;
  }
  for (int p = 0; p < 2; p++)
    if (qn_buffer_alloc(device, QN_MEMORY_PINNED, bytes, &pinned[p])) return -1;
  return qn_stream_sync(streams[0]);
}

static int tear_down(void **state) {
  (void)state;
  qn_matrix all[] = {a, b, c, d, e};
  for (int m = 0; m < 5; m++) qn_buffer_free(all[m].buffer);
  for (int p = 0; p < 2; p++) qn_buffer_free(pinned[p]);
  for (int s = 0; s < STREAMS; s++) qn_stream_free(streams[s]);
  return 0;
}

int main(void) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  qn_device_info info;
  if (qn_device_open(name ? name : "opencl:0", &device) || qn_device_query(device, &info)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  if (info.kind == QN_DEVICE_CPU) {
    printf("skipped: %s is a cpu, where copies do not run beside kernels\n", info.id);
    qn_device_close(device);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies_beside_products),
                                     cmocka_unit_test(pieces_on_three_streams)};
  const int failed = cmocka_run_group_tests(tests, set_up, tear_down);
  qn_device_close(device);
  return failed;
}
