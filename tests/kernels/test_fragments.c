/* The tables of docs/learn/tensor-cores.md, proved on a card lane by lane: what ldmatrix brings to
 * which register, and which element of A, B and C each register of mma.sync holds.
 * QUERN_TEST_DEVICE names the card; skipped without one of compute capability 8.0. */
#include <quern/kernel.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 32, SKIPPED = 77 };

/* Lines of 8 halves, number 8 l + e each: element e of line l. */
static const char source[] =
    "#include \"portable/prelude.cl\"\n"
    "#include \"portable/halves.cl\"\n"
    "#include \"portable/element.cl\"\n"
    "#include \"portable/out.cl\"\n"
    "#include \"cuda/mma.cu\"\n"
    "QN_KERNEL void lines(qn_u32 *r) {\n"
    "  __shared__ __align__(16) qn_u16 tile[32][8];\n"
    "  const int lane = threadIdx.x;\n"
    "  for (int e = 0; e < 8; e++) tile[lane][e] = (qn_u16)(8 * lane + e);\n"
    "  __syncwarp();\n"
    "  ldmatrix_1(r + 11 * lane, shared_of(tile[lane]));\n"
    "  ldmatrix_2(r + 11 * lane + 1, shared_of(tile[lane]));\n"
    "  ldmatrix_4(r + 11 * lane + 3, shared_of(tile[lane]));\n"
    "  ldmatrix_4_trans(r + 11 * lane + 7, shared_of(tile[lane]));\n"
    "}\n"
    /* each lane's registers come and go as they are */
    "QN_KERNEL void multiply(const qn_u32 *x, const qn_u32 *y, float *d, int k) {\n"
    "  const int lane = threadIdx.x;\n"
    "  float sum[4] = {0, 0, 0, 0};\n"
    "  if (k == 16)\n"
    "    mma_16816(sum, x + 4 * lane, y + 2 * lane);\n"
    "  else\n"
    "    mma_1688(sum, x + 4 * lane, y[2 * lane]);\n"
    "  for (int e = 0; e < 4; e++) d[4 * lane + e] = sum[e];\n"
    "}\n";

static qn_device *device;
static qn_stream *stream;

static qn_buffer *buffer_with(const void *data, size_t bytes) {
  qn_buffer *buffer;
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &buffer), QN_OK);
  if (data) assert_int_equal(qn_copy_in(stream, buffer, 0, data, bytes), QN_OK);
  return buffer;
}

static void run(const char *name, int dtype, const qn_kernel_arg *args, unsigned count) {
  char options[64];
  qn_kernel *kernel;
  snprintf(options, sizeof options, "-DQN_T=%d -DC_F32=1 -DEPILOGUE_F32=0", dtype);
  if (qn_kernel_create(device, name, source, options, &kernel)) fail_msg("%s", qn_last_error());
  assert_int_equal(qn_kernel_launch(stream, kernel, qn_grid_1d(LANES, LANES), args, count), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  qn_kernel_free(kernel);
}

/* Matrix s of a load, register of a lane = 4 g + q: line g, elements 2 q and 2 q + 1; transposed,
 * lines 2 q and 2 q + 1, element g. */
static void check_matrix(uint32_t r, int lane, int s, bool transposed) {
  const int g = lane / 4, q = lane % 4;
  for (int e = 0; e < 2; e++) {
    const int line = 8 * s + (transposed ? 2 * q + e : g), element = transposed ? g : 2 * q + e;
    assert_int_equal(r >> 16 * e & 0xffff, 8 * line + element);
  }
}

static void test_ldmatrix(void **state) {
  (void)state;
  uint32_t r[LANES][11];
  qn_buffer *out = buffer_with(NULL, sizeof r);
  const qn_kernel_arg args[] = {qn_arg_buffer(out)};
  run("lines", QN_F16, args, 1);
  assert_int_equal(qn_copy_out(stream, r, out, 0, sizeof r), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  for (int lane = 0; lane < LANES; lane++) {
    check_matrix(r[lane][0], lane, 0, false);
    for (int s = 0; s < 2; s++) check_matrix(r[lane][1 + s], lane, s, false);
    for (int s = 0; s < 4; s++) check_matrix(r[lane][3 + s], lane, s, false);
    for (int s = 0; s < 4; s++) check_matrix(r[lane][7 + s], lane, s, true);
  }
  qn_buffer_free(out);
}

/* 0 to 15, exact in both halves. */
static uint16_t half_of(int dtype, int value) {
  const float f = (float)value;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (value == 0) return 0;
  return (uint16_t)(dtype == QN_BF16 ? bits >> 16 : (bits - (112U << 23)) >> 13);
}

static uint32_t two(int dtype, int lo, int hi) {
  return half_of(dtype, lo) | (uint32_t)half_of(dtype, hi) << 16;
}

/* A is 16 x k, B k x 8, of small whole numbers that no permutation of rows or columns leaves as
 * they are; C by the tables has to be their product, exactly. */
static void check_product(int dtype, int k) {
  int a[16][16], b[16][8];
  uint32_t x[LANES][4] = {{0}}, y[LANES][2] = {{0}};
  float d[LANES][4];
  for (int i = 0; i < 16; i++)
    for (int p = 0; p < k; p++) a[i][p] = (7 * i + 5 * p + i * p) % 16;
  for (int p = 0; p < k; p++)
    for (int j = 0; j < 8; j++) b[p][j] = (3 * j + 11 * p + j * j * p) % 16;
  for (int lane = 0; lane < LANES; lane++) {
    const int g = lane / 4, q = lane % 4;
    for (int s = 0; s < k / 8; s++) {
      for (int h = 0; h < 2; h++)
        x[lane][h + 2 * s] =
            two(dtype, a[8 * h + g][8 * s + 2 * q], a[8 * h + g][8 * s + 2 * q + 1]);
      y[lane][s] = two(dtype, b[8 * s + 2 * q][g], b[8 * s + 2 * q + 1][g]);
    }
  }
  qn_buffer *bx = buffer_with(x, sizeof x), *by = buffer_with(y, sizeof y);
  qn_buffer *bd = buffer_with(NULL, sizeof d);
  const qn_kernel_arg args[] = {qn_arg_buffer(bx), qn_arg_buffer(by), qn_arg_buffer(bd),
                                qn_arg_i32(k)};
  run("multiply", dtype, args, 4);
  assert_int_equal(qn_copy_out(stream, d, bd, 0, sizeof d), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  for (int lane = 0; lane < LANES; lane++) {
    for (int r = 0; r < 4; r++) {
      const int row = 8 * (r / 2) + lane / 4, column = 2 * (lane % 4) + r % 2;
      int exact = 0;
      for (int p = 0; p < k; p++) exact += a[row][p] * b[p][column];
      assert_float_equal(d[lane][r], (float)exact, 0);
    }
  }
  qn_buffer_free(bx);
  qn_buffer_free(by);
  qn_buffer_free(bd);
}

static void test_mma(void **state) {
  (void)state;
  check_product(QN_F16, 16);
  check_product(QN_BF16, 16);
  check_product(QN_F16, 8);
  check_product(QN_BF16, 8);
}

static int close_device(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

int main(void) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  qn_device_info info;
  if (!name || strncmp(name, "cuda", 4) != 0 || qn_device_open(name, &device) ||
      qn_device_query(device, &info) || strncmp(info.arch, "sm_", 3) != 0 ||
      atoi(info.arch + 3) < 80) {
    printf("skipped: QUERN_TEST_DEVICE names no card with mma.sync\n");
    return SKIPPED;
  }
  if (qn_stream_create(device, &stream)) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ldmatrix), cmocka_unit_test(test_mma)};
  return cmocka_run_group_tests(tests, NULL, close_device);
}
