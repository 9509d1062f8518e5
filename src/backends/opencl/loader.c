/* Finding OpenCL: the ICD loader by dlopen, and the devices of all its platforms. */
#include "backends/opencl/cl.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

qn_cl_api qn_cl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;
static qn_cl_device devices[MAX_DEVICES];
static unsigned device_count;

static void *open_library(const char **name) {
  *name = qn_env_string("QUERN_OPENCL_LIBRARY", NULL);
  if (*name) return dlopen(*name, RTLD_NOW | RTLD_LOCAL);
#ifdef __APPLE__
  static const char *const names[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#else
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};
#endif
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    *name = names[i];
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  *name = names[0];
  return NULL;
}

/* The first symbol that is missing, or NULL when all are there. */
static const char *load_symbols(void *library) {
  void *symbol;
#define LOAD(name)                                                                                 \
  symbol = dlsym(library, #name);                                                                  \
  if (!symbol) return #name;                                                                       \
  memcpy(&qn_cl.name, &symbol, sizeof symbol);
  QN_CL_SYMBOLS(LOAD)
#undef LOAD
  return NULL;
}

static bool load(char *message, size_t size) {
  if (loaded) return true;
  const char *name;
  void *library = open_library(&name);
  if (!library && qn_env_string("QUERN_OPENCL_LIBRARY", NULL)) {
    snprintf(message, size, "QUERN_OPENCL_LIBRARY: %s", dlerror());
    return false;
  }
  if (!library) {
    snprintf(message, size, "%s not found; Debian package ocl-icd-libopencl1 brings it", name);
    return false;
  }
  const char *missing = load_symbols(library);
  if (missing) {
    snprintf(message, size, "%s has no %s: OpenCL 1.2 is needed", name, missing);
    dlclose(library);
    return false;
  }
  loaded = true;
  return true;
}

/* Kernels can be compiled and the version is at least 1.2. */
static bool usable(cl_device_id id) {
  cl_bool available = CL_FALSE, compiler = CL_FALSE;
  char version[128] = "";
  int major = 0, minor = 0;
  qn_cl.clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
  qn_cl.clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
  qn_cl.clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
  return available && compiler && sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 &&
         (major > 1 || minor >= 2);
}

static void add_devices(cl_platform_id platform, unsigned *passed_over) {
  cl_device_id ids[MAX_DEVICES];
  cl_uint count = 0;
  if (qn_cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &count) != CL_SUCCESS)
    return;
  if (count > MAX_DEVICES) count = MAX_DEVICES;
  for (cl_uint i = 0; i < count && device_count < MAX_DEVICES; i++) {
    if (usable(ids[i]))
      devices[device_count++] = (qn_cl_device){platform, ids[i]};
    else
      ++*passed_over;
  }
}

static void find_devices(char *message, size_t size) {
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint count = 0;
  unsigned passed_over = 0;
  if (qn_cl.clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
  if (count > MAX_PLATFORMS) count = MAX_PLATFORMS;
  for (cl_uint p = 0; p < count; p++) add_devices(platforms[p], &passed_over);
  if (count == 0)
    snprintf(message, size,
             "the OpenCL loader is there but no driver; your card's vendor has one (nvidia-opencl-"
             "icd, intel-opencl-icd, mesa-opencl-icd), pocl-opencl-icd runs on the CPU");
  else
    snprintf(message, size, "%u platform%s, %u device%s%s", (unsigned)count, count == 1 ? "" : "s",
             device_count, device_count == 1 ? "" : "s",
             passed_over ? " (others lack a compiler or OpenCL 1.2)" : "");
}

qn_status qn_cl_probe(unsigned *count, char *message, size_t message_size) {
  static char found[256];
  pthread_mutex_lock(&lock);
  if (device_count == 0 && load(found, sizeof found)) find_devices(found, sizeof found);
  *count = device_count;
  if (message_size) snprintf(message, message_size, "%s", found);
  pthread_mutex_unlock(&lock);
  return QN_OK;
}

qn_status qn_cl_find(unsigned index, qn_cl_device *device) {
  unsigned count;
  char message[256];
  qn_cl_probe(&count, message, sizeof message);
  if (index >= count) return qn_fail(QN_ENODEVICE, "opencl", "no device %u: %s", index, message);
  *device = devices[index]; /* the list never changes once it has entries */
  return QN_OK;
}
