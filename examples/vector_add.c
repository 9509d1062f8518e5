/* The first kernel of every textbook: c = a + b, one item an element, with the time of each
 * transfer.
 *
 *   vector_add [DEVICE]      cuda:0, opencl:0 ...; the first that compiles unless given */
#include "first_kernel.h"

enum { N = 1 << 24, GROUP = 256 };

static const char source[] =
    "__kernel void vector_add(__global const float *a, __global const float *b,\n"
    "                         __global float *c, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";

static float *host_array(void) {
  float *x = malloc(N * sizeof *x);
  if (!x) exit(1);
  return x;
}

static int wrong_elements(const float *a, const float *b, const float *c) {
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += c[i] != a[i] + b[i];
  return wrong;
}

int main(int argc, char **argv) {
  const double bytes = (double)N * sizeof(float);
  qn_device *device = open_compiling(argc > 1 ? argv[1] : NULL);
  qn_stream *stream;
  qn_kernel *kernel;
  qn_buffer *a, *b, *c;
  must(qn_kernel_create(device, "vector_add", source, NULL, &kernel)); /* the cpu has no compiler */
  must(qn_stream_create(device, &stream));
  must(qn_buffer_alloc(device, QN_MEMORY_DEVICE, N * sizeof(float), &a));
  must(qn_buffer_alloc(device, QN_MEMORY_DEVICE, N * sizeof(float), &b));
  must(qn_buffer_alloc(device, QN_MEMORY_DEVICE, N * sizeof(float), &c));
  float *host_a = host_array(), *host_b = host_array(), *host_c = host_array();
  for (int i = 0; i < N; i++) host_a[i] = (float)i, host_b[i] = 0.5f * (float)(N - i);

  stopwatch watch = stopwatch_new(stream);
  stopwatch_start(&watch);
  must(qn_copy_in(stream, a, 0, host_a, N * sizeof(float)));
  stopwatch_print(&watch, "a to the device", bytes);
  stopwatch_start(&watch);
  must(qn_copy_in(stream, b, 0, host_b, N * sizeof(float)));
  stopwatch_print(&watch, "b to the device", bytes);
  const qn_kernel_arg args[] = {qn_arg_buffer(a), qn_arg_buffer(b), qn_arg_buffer(c),
                                qn_arg_i32(N)};
  stopwatch_start(&watch);
  must(qn_kernel_launch(stream, kernel, qn_grid_1d(N, GROUP), args, 4));
  stopwatch_print(&watch, "vector_add", 3 * bytes);
  stopwatch_start(&watch);
  must(qn_copy_out(stream, host_c, c, 0, N * sizeof(float)));
  stopwatch_print(&watch, "c to the host", bytes);
  must(qn_stream_sync(stream));
  int wrong = wrong_elements(host_a, host_b, host_c);
  printf("%d of %d elements are wrong\n", wrong, (int)N);

  free(host_a), free(host_b), free(host_c);
  stopwatch_free(&watch);
  qn_buffer_free(a), qn_buffer_free(b), qn_buffer_free(c);
  qn_kernel_free(kernel);
  qn_stream_free(stream);
  qn_device_close(device);
  return wrong != 0;
}
