/* The activation of neural networks, y = max(x, 0), in place: one read and one write an element,
 * and the two transfers that usually cost more than it.
 *
 *   relu [DEVICE]      cuda:0, opencl:0 ...; the first that compiles unless given */
#include "first_kernel.h"

enum { N = 1 << 24, GROUP = 256 };

static const char source[] = "__kernel void relu(__global float *x, int n) {\n"
                             "  int i = get_global_id(0);\n"
                             "  if (i < n && x[i] < 0.0f) x[i] = 0.0f;\n"
                             "}\n";

static float value(int i) {
  return (float)(i % 2001 - 1000) * 0.25f;
}

int main(int argc, char **argv) {
  const double bytes = (double)N * sizeof(float);
  qn_device *device = open_compiling(argc > 1 ? argv[1] : NULL);
  qn_stream *stream;
  qn_kernel *kernel;
  qn_buffer *x;
  must(qn_kernel_create(device, "relu", source, NULL, &kernel)); /* the cpu has no compiler */
  must(qn_stream_create(device, &stream));
  must(qn_buffer_alloc(device, QN_MEMORY_DEVICE, N * sizeof(float), &x));
  float *host = malloc(N * sizeof *host);
  if (!host) return 1;
  for (int i = 0; i < N; i++) host[i] = value(i);

  stopwatch watch = stopwatch_new(stream);
  stopwatch_start(&watch);
  must(qn_copy_in(stream, x, 0, host, N * sizeof *host));
  stopwatch_print(&watch, "to the device", bytes);
  const qn_kernel_arg args[] = {qn_arg_buffer(x), qn_arg_i32(N)};
  stopwatch_start(&watch);
  must(qn_kernel_launch(stream, kernel, qn_grid_1d(N, GROUP), args, 2));
  stopwatch_print(&watch, "relu", 2 * bytes);
  stopwatch_start(&watch);
  must(qn_copy_out(stream, host, x, 0, N * sizeof *host));
  stopwatch_print(&watch, "to the host", bytes);
  must(qn_stream_sync(stream));
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += host[i] != (value(i) > 0 ? value(i) : 0.0f);
  printf("%d of %d elements are wrong\n", wrong, (int)N);

  free(host);
  stopwatch_free(&watch);
  qn_buffer_free(x);
  qn_kernel_free(kernel);
  qn_stream_free(stream);
  qn_device_close(device);
  return wrong != 0;
}
