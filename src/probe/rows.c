/* The rows, in the order they run. */
#include "probe/families.h"

const probe_row probe_rows[] = {
    {"bandwidth", "reading, writing and copying a working set: every cache is a step", "",
     "bytes touched", 0, probe_bandwidth_kernels, probe_bandwidth_cpu},
    {"latency", "a chain of loads, each waiting for the one before", "", "bytes of the chain", 0,
     probe_latency_kernels, probe_latency_cpu},
    {"peaks", "multiply-adds in registers: the most arithmetic that the device does", "", NULL, 0,
     probe_peak_kernels, probe_peak_cpu},
    {"stride", "neighbours read neighbours, or every 2nd, 4th ... 32nd element",
     "stride 32, stride 1", "stride, elements", 0, probe_stride_kernels, NULL},
    {"structures", "particles as an array of structures, then as a structure of arrays",
     "move_aos, move_soa", NULL, 0, probe_structure_kernels, NULL},
    {0},
};
