/* Finding NVIDIA's libraries, and readying the thread and a stream for them. */
#include "bench/cuda_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *bench_cuda_library(const char *stem, const char *variable) {
  static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/",
                                        "/usr/local/cuda/targets/x86_64-linux/lib/"};
  static const int versions[] = {13, 12, 11};
  const char *named = getenv(variable);
  if (named && *named) return dlopen(named, RTLD_NOW | RTLD_LOCAL);
  for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
      char path[256];
      snprintf(path, sizeof path, "%slib%s.so.%d", folders[i], stem, versions[v]);
      void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (library) return library;
    }
  }
  return NULL;
}

/* The driver's functions, as far as they are needed here; each returns 0 when all is well. */
typedef int (*get_device)(int *device, int ordinal);
typedef int (*retain_context)(void **context, int device);
typedef int (*release_context)(int device);
typedef int (*push_context)(void *context);
typedef int (*pop_context)(void **context);
typedef int (*create_stream)(void **stream, unsigned flags);
typedef int (*destroy_stream)(void *stream);

/* The function of that name as `type`; the driver is already loaded and has all of them. */
#define DRIVER(type, name) ((type)bench_find_symbol(place->driver, name))

void *bench_cuda_driver(void) {
  const char *named = getenv("QUERN_CUDA_LIBRARY");
  return dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

static bool enter(bench_cuda_place *place, int card) {
  place->driver = bench_cuda_driver();
  if (!place->driver) return false;
  if (DRIVER(get_device, "cuDeviceGet")(&place->card, card) != 0) return false;
  if (DRIVER(retain_context, "cuDevicePrimaryCtxRetain")(&place->context, place->card) != 0)
    return false;
  return DRIVER(push_context, "cuCtxPushCurrent_v2")(place->context) == 0 &&
         DRIVER(create_stream, "cuStreamCreate")(&place->stream, 0) == 0;
}

bool bench_cuda_place_open(bench_cuda_place *place, qn_device *device, char *message,
                           size_t message_size) {
  *place = (bench_cuda_place){0};
  qn_device_info info;
  int card;
  if (!device || qn_device_query(device, &info) != QN_OK ||
      sscanf(info.id, "cuda:%d", &card) != 1) {
    snprintf(message, message_size, "NVIDIA's libraries compute on cuda devices alone");
    return false;
  }
  if (enter(place, card)) return true;
  snprintf(message, message_size, "the CUDA driver gives no stream on %s", info.id);
  bench_cuda_place_close(place);
  return false;
}

void bench_cuda_place_close(bench_cuda_place *place) {
  void *popped;
  if (place->stream) DRIVER(destroy_stream, "cuStreamDestroy_v2")(place->stream);
  if (place->context) {
    DRIVER(pop_context, "cuCtxPopCurrent_v2")(&popped);
    DRIVER(release_context, "cuDevicePrimaryCtxRelease_v2")(place->card);
  }
  if (place->driver) dlclose(place->driver);
  *place = (bench_cuda_place){0};
}

bench_peer *bench_cuda_peer_open(const bench_cuda_kind *kind, qn_device *device, char *message,
                                 size_t message_size) {
  bench_cuda_peer *own = calloc(1, kind->size);
  if (!own) {
    snprintf(message, message_size, "out of host memory");
    return NULL;
  }
  own->peer.ops = kind->ops;
  own->device = device;
  if (bench_cuda_place_open(&own->place, device, message, message_size)) {
    own->library = bench_cuda_library(kind->stem, kind->variable);
    own->peer.stream = own->place.stream;
    if (own->library && kind->start(own)) return &own->peer;
    snprintf(message, message_size,
             "no %s that loads and starts; NVIDIA's package libcublas brings one, %s=FILE names "
             "one",
             kind->name, kind->variable);
  }
  kind->ops->close(&own->peer);
  return NULL;
}

void bench_cuda_peer_close(bench_cuda_peer *peer) {
  if (peer->library) dlclose(peer->library);
  bench_cuda_place_close(&peer->place);
  free(peer);
}

void *bench_cuda_address(qn_matrix m) {
  return (char *)qn_buffer_native(m.buffer) + (size_t)m.offset * qn_dtype_size(m.dtype);
}

bench_symbol bench_cuda_function(const bench_cuda_place *place, const char *name) {
  return bench_find_symbol(place->driver, name);
}

int bench_cuda_type(qn_dtype dtype) {
  static const int types[QN_DTYPE_COUNT] = {
      [QN_F16] = 2, [QN_BF16] = 14, [QN_F32] = 0, [QN_F64] = 1};
  return types[dtype];
}
