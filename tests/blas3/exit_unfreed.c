/* Work on a device, left in mid-flight: the program ends and frees nothing. Neither a hang nor an
 * access to what is gone may come of it.
 * usage: exit_unfreed <device>; 77 where there is none of that name */
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORDER = 200 };

/* Static, so that a leak checker finds all of it in use. */
static qn_device *device;
static qn_stream *streams[2];
static qn_event *event;
static qn_buffer *pinned;
static qn_matrix a, b;

static void must(qn_status status) {
  if (!status) return;
  fprintf(stderr, "%s\n", qn_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  if (argc < 2 || qn_device_open(argv[1], &device)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  const size_t bytes = (size_t)ORDER * ORDER * sizeof(float);
  must(qn_set_num_streams(2));
  must(qn_stream_create(device, &streams[0]));
  must(qn_stream_create(device, &streams[1]));
  must(qn_event_create(device, &event));
  must(qn_buffer_alloc(device, QN_MEMORY_PINNED, bytes, &pinned));
  must(qn_matrix_alloc(device, QN_F32, ORDER, ORDER, &a));
  must(qn_matrix_alloc(device, QN_F32, ORDER, ORDER, &b));
  must(qn_fill(streams[0], a.buffer, 0, bytes, 0, 4));
  must(qn_fill(streams[0], b.buffer, 0, bytes, 0, 4));
  must(qn_trmm(streams[0], QN_LEFT, QN_LOWER, QN_NOTRANS, QN_UNIT, qn_real(2), a, b));
  must(qn_event_record(event, streams[0]));
  must(qn_event_wait(event, streams[1]));
  must(qn_gemm(streams[1], QN_NOTRANS, QN_TRANS, qn_real(1), b, b, qn_real(0), a));
  must(qn_copy(streams[1], pinned, 0, a.buffer, 0, bytes));
  return 0;
}
