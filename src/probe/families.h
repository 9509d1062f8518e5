/* The experiments, a family a file; rows.c tells what each shows. */
#ifndef PROBE_FAMILIES_H
#define PROBE_FAMILIES_H

#include "probe/work.h"

/* bandwidth.c, cpu_bandwidth.c; `memory` is the largest working set alone */
void probe_bandwidth_kernels(probe *p);
void probe_memory_kernels(probe *p);
void probe_bandwidth_cpu(probe *p);
void probe_memory_cpu(probe *p);
/* The first of `curves` curves' working sets that still fit in a result, 32 KiB at least. */
size_t probe_smallest_set(const probe *p, unsigned curves);
/* What the first curve shows. */
void probe_bandwidth_lesson(probe *p);
/* latency.c, cpu_latency.c */
void probe_latency_kernels(probe *p);
void probe_latency_cpu(probe *p);
/* peaks.c, cpu_peaks.c */
void probe_peak_kernels(probe *p);
void probe_peak_cpu(probe *p);
/* access.c */
void probe_stride_kernels(probe *p);
void probe_structure_kernels(probe *p);

#endif
