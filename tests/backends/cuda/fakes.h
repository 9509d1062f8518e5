/* The stand-ins as a test reaches them: the same libraries that the backend loads. */
#ifndef QN_TEST_FAKES_H
#define QN_TEST_FAKES_H

#include "fake.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static inline void *fake_state_of(const char *variable, const char *function) {
  const char *path = getenv(variable);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = library ? dlsym(library, function) : NULL;
  void *(*state)(void);
  if (!symbol) return NULL;
  memcpy(&state, &symbol, sizeof state);
  return state();
}

static inline fake_cuda *fake_driver(void) {
  return fake_state_of("QUERN_CUDA_LIBRARY", "fake_cuda_state");
}
static inline fake_nvrtc *fake_compiler(void) {
  return fake_state_of("QUERN_NVRTC_LIBRARY", "fake_nvrtc_state");
}

#endif
