/* What the first kernels share: a device that compiles, a clock of the stream and the end of a
 * program that failed. */
#ifndef FIRST_KERNEL_H
#define FIRST_KERNEL_H

#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(qn_status status) {
  if (status == QN_OK) return;
  fprintf(stderr, "%s\n", qn_last_error());
  exit(1);
}

/* The device of that name; without a name the first card, else the first of OpenCL, which may be
 * this machine's processor. "auto" would take the cpu, which has no compiler. */
static inline qn_device *open_compiling(const char *name) {
  qn_device *device;
  if (name) {
    must(qn_device_open(name, &device));
  } else if (qn_device_open("cuda:0", &device) && qn_device_open("opencl:0", &device)) {
    fprintf(stderr, "%s\n", qn_last_error());
    fprintf(stderr, "A kernel of your own needs a device that compiles: an NVIDIA card, or any of "
                    "OpenCL\n(with Debian's pocl-opencl-icd this machine's processor is one).\n");
    exit(1);
  }
  return device;
}

/* Marks the stream before and after a step and prints what it took. */
typedef struct stopwatch {
  qn_stream *stream;
  qn_event *start, *stop;
} stopwatch;

static inline stopwatch stopwatch_new(qn_stream *stream) {
  stopwatch w = {stream, NULL, NULL};
  must(qn_event_create(qn_stream_device(stream), &w.start));
  must(qn_event_create(qn_stream_device(stream), &w.stop));
  return w;
}
static inline void stopwatch_start(stopwatch *w) {
  must(qn_event_record(w->start, w->stream));
}
static inline void stopwatch_print(stopwatch *w, const char *what, double bytes) {
  double seconds;
  must(qn_event_record(w->stop, w->stream));
  must(qn_event_elapsed(w->start, w->stop, &seconds));
  printf("%-16s %9.3f ms %9.2f GB/s\n", what, seconds * 1e3, bytes / seconds * 1e-9);
}
static inline void stopwatch_free(stopwatch *w) {
  qn_event_free(w->start);
  qn_event_free(w->stop);
}

#endif
