/* What the tests know of the two libraries that stand in for NVIDIA's: they record what is called,
 * keep memory on the host, and fail the call they are told to. */
#ifndef QN_TEST_FAKE_CUDA_H
#define QN_TEST_FAKE_CUDA_H

#include <stddef.h>

typedef struct fake_cuda {
  int version, cards, capability, reads_pageable;
  const char *fail; /* the function that fails, with `code` */
  int code;
  char log[1 << 16]; /* the names called, a space behind each */
  size_t used;
  int contexts_pushed, contexts_retained, blocks, streams, events, modules;
  /* of the last launch */
  unsigned grid[3], block[3], shared, cluster[3];
  int extended; /* by cuLaunchKernelEx */
  int early;    /* with leave to begin before the launch ahead has ended */
  unsigned char params[8][8];
  int max_dynamic, wide_cluster;
  void *primary; /* the context that streams belong to */
} fake_cuda;

typedef struct fake_nvrtc {
  int major, minor, result; /* result of nvrtcCompileProgram */
  int arch;                 /* the newest it knows; 80 is the other */
  char options[1024];
} fake_nvrtc;

#endif
