/* Solves L X = B on the CPU, in memory that is the program's own. */
#include <quern/quern.h>
#include <stdio.h>

int main(void) {
  double l[] = {2, 1, 4, 0, 3, 5, 0, 0, 8}; /* column by column: 3 x 3, lower triangular */
  double b[] = {2, 7, 30};                  /* becomes x */
  qn_device *device;
  qn_stream *stream;
  qn_buffer *lbuf, *bbuf;
  if (qn_device_open("cpu", &device) || qn_stream_create(device, &stream) ||
      qn_buffer_wrap(device, l, sizeof l, &lbuf) || qn_buffer_wrap(device, b, sizeof b, &bbuf) ||
      qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1.0),
              qn_matrix_of(lbuf, QN_F64, 3, 3, 3), qn_matrix_of(bbuf, QN_F64, 3, 1, 3)) ||
      qn_stream_sync(stream)) {
    fprintf(stderr, "%s\n", qn_last_error());
    return 1;
  }
  printf("%g %g %g\n", b[0], b[1], b[2]); /* 1 2 2 */
  qn_buffer_free(lbuf);
  qn_buffer_free(bbuf);
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}
