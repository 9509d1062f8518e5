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
/* peaks.c, tensor_peaks.c, cpu_peaks.c */
void probe_peak_kernels(probe *p);
void probe_peak_cpu(probe *p);
void probe_tensor_peaks(probe *p); /* nothing without tensor cores */
/* elementwise.c */
void probe_add_kernels(probe *p);
void probe_relu_kernels(probe *p);
/* divergence.c, matmul.c, fusion.c, banks.c, precision.c */
void probe_divergence_kernels(probe *p);
void probe_matmul_kernels(probe *p);
void probe_matmul_cpu(probe *p);
void probe_fusion_kernels(probe *p);
void probe_local_kernels(probe *p);
void probe_banks_kernels(probe *p);
void probe_precision(probe *p);
/* launch.c, allocation.c, transfer.c, overlap.c */
void probe_launch_kernels(probe *p);
void probe_allocation(probe *p);
void probe_transfer_kernels(probe *p);
void probe_overlap_kernels(probe *p);
/* prefetch.c, threads.c */
void probe_prefetch_cpu(probe *p);
void probe_threads_cpu(probe *p);
/* access.c */
void probe_stride_kernels(probe *p);
void probe_structure_kernels(probe *p);

#endif
