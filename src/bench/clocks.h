/* The clock of a card's multiprocessors, by NVIDIA's management library, found at run time. */
#ifndef BENCH_CLOCKS_H
#define BENCH_CLOCKS_H

#include <quern/device.h>

typedef struct bench_clocks bench_clocks;

/* NULL where the device is no card of the cuda backend, or the library is missing. */
bench_clocks *bench_clocks_open(qn_device *device);
void bench_clocks_close(bench_clocks *clocks);

/* What the clock is now, in MHz; 0 where it cannot be told, or `clocks` is NULL. */
unsigned bench_clocks_mhz(const bench_clocks *clocks);

#endif
