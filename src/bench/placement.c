/* Host matrices on the device of a stream. */
#include "bench/placement.h"
#include <string.h>

bool bench_on_host(const qn_stream *stream) {
  qn_device_info info;
  return qn_device_query(qn_stream_device(stream), &info) == QN_OK &&
         strcmp(info.backend, "cpu") == 0;
}

qn_status bench_place(qn_stream *stream, const bench_matrix *host, qn_dtype dtype, qn_matrix *m) {
  qn_device *device = qn_stream_device(stream);
  const bool empty = host->rows == 0 || host->cols == 0;
  if (!empty && bench_on_host(stream)) {
    qn_buffer *buffer;
    const size_t elements =
        (size_t)host->ld * (size_t)(host->cols - 1) + (size_t)host->rows; /* no gap at the end */
    qn_status status = qn_buffer_wrap(device, host->data, elements * qn_dtype_size(dtype), &buffer);
    if (!status) *m = qn_matrix_of(buffer, dtype, host->rows, host->cols, host->ld);
    return status;
  }
  qn_status status = qn_matrix_alloc(device, dtype, host->rows, host->cols, m);
  return status || empty ? status : qn_matrix_write(stream, *m, host->data, host->ld);
}

qn_status bench_fetch(qn_stream *stream, const bench_matrix *host, qn_matrix m) {
  const bool empty = host->rows == 0 || host->cols == 0;
  if (!empty && !bench_on_host(stream)) {
    qn_status status = qn_matrix_read(stream, host->data, host->ld, m);
    if (status) return status;
  }
  return qn_stream_sync(stream);
}
