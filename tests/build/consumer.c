/* A program outside the tree: finds the installed library by CMake or pkg-config and solves. */
#include <quern/quern.h>
#include <stdio.h>

int main(void) {
  double a[4] = {2, 1, 0, 4}, x[2] = {2, 9}; /* [2 0; 1 4] x = [2; 9] */
  qn_device *device;
  qn_stream *stream;
  qn_buffer *abuf, *xbuf;
  if (qn_device_open("cpu", &device) || qn_stream_create(device, &stream) ||
      qn_buffer_wrap(device, a, sizeof a, &abuf) || qn_buffer_wrap(device, x, sizeof x, &xbuf) ||
      qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1),
              qn_matrix_of(abuf, QN_F64, 2, 2, 2), qn_matrix_of(xbuf, QN_F64, 2, 1, 2)) ||
      qn_stream_sync(stream)) {
    fprintf(stderr, "%s\n", qn_last_error());
    return 1;
  }
  qn_buffer_free(abuf);
  qn_buffer_free(xbuf);
  qn_stream_free(stream);
  qn_device_close(device);
  printf("x = %g %g\n", x[0], x[1]);
  return !(x[0] == 1 && x[1] == 2);
}
