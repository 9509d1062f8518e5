/* Finding CUDA: the driver's library by dlopen, its version, the cards, and the compiler beside. */
#include "backends/cuda/cuda.h"
#include "backends/cuda/nvrtc.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { OLDEST_DRIVER = 11020 };

qn_cu_api qn_cu;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;
static int driver_version, card_count;

/* The first symbol that is missing, or NULL when all are there. */
static const char *load_symbols(void *library) {
  void *symbol;
#define LOAD(name, arguments)                                                                      \
  symbol = dlsym(library, #name);                                                                  \
  if (!symbol) return #name;                                                                       \
  memcpy(&qn_cu.name, &symbol, sizeof symbol);
  QN_CU_SYMBOLS(LOAD)
#undef LOAD
#define LOAD(name, arguments)                                                                      \
  symbol = dlsym(library, #name);                                                                  \
  memcpy(&qn_cu.name, &symbol, sizeof symbol);
  QN_CU_OPTIONAL(LOAD)
#undef LOAD
  return NULL;
}

static bool load(char *message, size_t size) {
  if (loaded) return true;
  const char *own = qn_env_string("QUERN_CUDA_LIBRARY", NULL);
  const char *name = own ? own : "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library && own) {
    snprintf(message, size, "QUERN_CUDA_LIBRARY: %s", dlerror());
    return false;
  }
  if (!library) {
    snprintf(message, size, "%s not found: NVIDIA's driver brings it (Debian package libcuda1)",
             name);
    return false;
  }
  const char *missing = load_symbols(library);
  if (missing) {
    snprintf(message, size, "%s has no %s: the driver is older than CUDA 11.2", name, missing);
    dlclose(library);
    return false;
  }
  loaded = true;
  return true;
}

/* Starts the driver; false with the reason. Never undone: the driver looks after its own end. */
static bool start(char *message, size_t size) {
  qn_status status = qn_cu_check(qn_cu.cuDriverGetVersion(&driver_version), "cuDriverGetVersion");
  if (!status && driver_version < OLDEST_DRIVER) {
    snprintf(message, size, "the driver is for CUDA %d.%d; 11.2 is the oldest that works",
             driver_version / 1000, driver_version % 1000 / 10);
    return false;
  }
  CUresult code = status ? CUDA_SUCCESS : qn_cu.cuInit(0);
  if (code == CUDA_ERROR_NO_DEVICE) {
    snprintf(message, size, "a driver for CUDA %d.%d, but no card", driver_version / 1000,
             driver_version % 1000 / 10);
    return false;
  }
  if (!status) status = qn_cu_check(code, "cuInit");
  int count = 0;
  if (!status) status = qn_cu_check(qn_cu.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (status) {
    snprintf(message, size, "the driver does not start: %s", qn_last_error());
    return false;
  }
  char trouble[192];
  if (count && !qn_nvrtc_find(driver_version / 1000, trouble, sizeof trouble)) {
    snprintf(message, size, "%d card%s, but %s", count, count == 1 ? "" : "s", trouble);
    return false;
  }
  card_count = count;
  char compiler[16] = "";
  if (count) qn_nvrtc_version(compiler, sizeof compiler);
  snprintf(message, size, "driver for CUDA %d.%d, NVRTC %s, %d card%s", driver_version / 1000,
           driver_version % 1000 / 10, compiler, count, count == 1 ? "" : "s");
  return true;
}

qn_status qn_cu_probe(unsigned *count, char *message, size_t message_size) {
  static char found[256];
  pthread_mutex_lock(&lock);
  if (card_count == 0 && load(found, sizeof found)) start(found, sizeof found);
  *count = (unsigned)card_count;
  if (message_size) snprintf(message, message_size, "%s", found);
  pthread_mutex_unlock(&lock);
  return QN_OK;
}

int qn_cu_driver_version(void) {
  return driver_version;
}
