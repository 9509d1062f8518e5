/* Host matrices on the device of a stream: wrapped where the device is the host, else copied. */
#ifndef BENCH_PLACEMENT_H
#define BENCH_PLACEMENT_H

#include "bench/problem.h"

bool bench_on_host(const qn_stream *stream);

/* Makes `m` the device's matrix of the same contents. On the cpu it is the host's memory itself,
 * which must outlive it. Free m->buffer. */
qn_status bench_place(qn_stream *stream, const bench_matrix *host, qn_dtype dtype, qn_matrix *m);

/* Brings the contents back to the host and waits for all work of the stream. */
qn_status bench_fetch(qn_stream *stream, const bench_matrix *host, qn_matrix m);

#endif
