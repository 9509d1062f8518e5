/* The clock of a card's multiprocessors, by NVML. */
#include "bench/clocks.h"
#include "bench/cuda_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLOCK_SM = 1, BUS_ID = 32 };

/* From nvml.h; all return 0 when all is well. */
typedef int (*init_fn)(void);
typedef int (*shutdown_fn)(void);
typedef int (*find_fn)(const char *bus_id, void **card);
typedef int (*clock_fn)(void *card, int kind, unsigned *mhz);
/* From cuda.h. */
typedef int (*bus_id_fn)(char *text, int size, int card);

struct bench_clocks {
  void *library, *card;
  clock_fn clock;
  bool begun;
};

/* NVML counts cards in another order than CUDA: where they sit tells which is which. */
static bool bus_id_of(qn_device *device, char text[BUS_ID]) {
  qn_device_info info;
  int card;
  if (qn_device_query(device, &info) || sscanf(info.id, "cuda:%d", &card) != 1) return false;
  void *driver = bench_cuda_driver();
  const bus_id_fn ask = (bus_id_fn)bench_find_symbol(driver, "cuDeviceGetPCIBusId");
  const bool told = ask && ask(text, BUS_ID, card) == 0;
  if (driver) dlclose(driver);
  return told;
}

static bool start(bench_clocks *c, const char *bus_id) {
  c->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  const init_fn init = (init_fn)bench_find_symbol(c->library, "nvmlInit_v2");
  const find_fn find = (find_fn)bench_find_symbol(c->library, "nvmlDeviceGetHandleByPciBusId_v2");
  c->clock = (clock_fn)bench_find_symbol(c->library, "nvmlDeviceGetClockInfo");
  if (!init || !find || !c->clock || init() != 0) return false;
  c->begun = true;
  return find(bus_id, &c->card) == 0;
}

bench_clocks *bench_clocks_open(qn_device *device) {
  char bus_id[BUS_ID];
  if (!bus_id_of(device, bus_id)) return NULL;
  bench_clocks *c = calloc(1, sizeof *c);
  if (c && start(c, bus_id)) return c;
  bench_clocks_close(c);
  return NULL;
}

void bench_clocks_close(bench_clocks *clocks) {
  if (!clocks) return;
  if (clocks->begun) ((shutdown_fn)bench_find_symbol(clocks->library, "nvmlShutdown"))();
  if (clocks->library) dlclose(clocks->library);
  free(clocks);
}

unsigned bench_clocks_mhz(const bench_clocks *clocks) {
  unsigned mhz = 0;
  return clocks && clocks->clock(clocks->card, CLOCK_SM, &mhz) == 0 ? mhz : 0;
}
