/* The device code of src/probe/kernels, as text. */
#ifndef PROBE_SOURCES_H
#define PROBE_SOURCES_H

extern const char probe_access_source[], probe_banks_source[], probe_chase_source[],
    probe_divergence_source[], probe_elementwise_source[], probe_matmul_source[],
    probe_mma_source[], probe_peak_source[], probe_sweep_source[], probe_wgmma_source[];

#endif
