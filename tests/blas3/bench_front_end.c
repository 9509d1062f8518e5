/* What a call costs beyond its arithmetic at n = 8: the public routine against the cpu's operation
 * it ends in, batch by batch in turn; the quickest batch of each counts, so that other load on the
 * machine does not. Fails above 0.3 microseconds. */
#include "device/device.h"
#include <quern/quern.h>
#include <stdio.h>
#include <time.h>

enum { ORDER = 8, CALLS = 2000, BATCHES = 300 };

static qn_stream *stream;
static qn_matrix a, b, c;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const qn_cpu_ops *ops(void) {
  return stream->device->cpu;
}

static qn_cpu_triangular triangular_call(void) {
  return (qn_cpu_triangular){a.dtype, QN_LEFT,      QN_LOWER,       QN_NOTRANS,
                             QN_UNIT, qn_real(1.0), qn_cpu_view(a), qn_cpu_view(b)};
}

static qn_status public_gemm(void) {
  return qn_gemm(stream, QN_NOTRANS, QN_NOTRANS, qn_real(1), a, b, qn_real(0), c);
}
static qn_status inner_gemm(void) {
  qn_cpu_gemm call = {a.dtype,    c.dtype,        QN_NOTRANS,     QN_NOTRANS,     qn_real(1),
                      qn_real(0), qn_cpu_view(a), qn_cpu_view(b), qn_cpu_view(c), QN_REGION_ALL,
                      NULL};
  return ops()->gemm(&call);
}
static qn_status public_trsm(void) {
  return qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_UNIT, qn_real(1), a, b);
}
static qn_status inner_trsm(void) {
  qn_cpu_triangular call = triangular_call();
  return ops()->trsm(&call);
}
static qn_status public_trmm(void) {
  return qn_trmm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_UNIT, qn_real(1), a, b);
}
static qn_status inner_trmm(void) {
  qn_cpu_triangular call = triangular_call();
  return ops()->trmm(&call);
}

/* Seconds for one call; negative when one fails. */
static double time_batch(qn_status (*call)(void)) {
  double start = now();
  for (int i = 0; i < CALLS; i++)
    if (call() != QN_OK) return -1.0;
  return (now() - start) / CALLS;
}

static int measure(const char *name, qn_status (*outer)(void), qn_status (*inner)(void)) {
  double best_outer = 1.0, best_inner = 1.0;
  for (int i = 0; i < BATCHES; i++) {
    double o = time_batch(outer), n = time_batch(inner);
    if (o < 0.0 || n < 0.0) return 1;
    if (o < best_outer) best_outer = o;
    if (n < best_inner) best_inner = n;
  }
  double cost = best_outer - best_inner;
  printf("%s: %.0f ns a call, %.0f ns of it arithmetic: front end %.0f ns\n", name,
         1e9 * best_outer, 1e9 * best_inner, 1e9 * cost);
  return cost > 0.3e-6;
}

int main(void) {
  static const double zeros[ORDER * ORDER];
  qn_device *device;
  if (qn_device_open("cpu", &device) || qn_stream_create(device, &stream)) return 1;
  qn_matrix *all[] = {&a, &b, &c};
  for (int i = 0; i < 3; i++)
    if (qn_matrix_alloc(device, QN_F64, ORDER, ORDER, all[i]) ||
        qn_matrix_write(stream, *all[i], zeros, ORDER))
      return 1;
  int bad = measure("gemm", public_gemm, inner_gemm) + measure("trsm", public_trsm, inner_trsm) +
            measure("trmm", public_trmm, inner_trmm);
  for (int i = 0; i < 3; i++) qn_buffer_free(all[i]->buffer);
  qn_stream_free(stream);
  qn_device_close(device);
  return bad > 0;
}
