/* Fills by compiled kernels (kernels/portable/rng.cl), on any device with a compiler and f64. */
#include "core/lcg.h"
#include "jit/jit.h"
#include "rng/fill.h"
#include <quern/rng.h>
#include <stdio.h>

enum { ITEMS = 256, GROUPS_A_UNIT = 16, GROUPS_AT_MOST = 65535 };

static bool applicable(const qn_device *device) {
  return device->ops->compile && device->info.dtypes >> QN_F64 & 1;
}

/* Groups that keep the device busy; each goes on to further numbers or blocks. */
static int64_t groups_for(const qn_device *device, int64_t wanted) {
  unsigned units = device->info.compute_units ? device->info.compute_units : 64;
  return qn_min64(qn_min64(wanted, (int64_t)units * GROUPS_A_UNIT), GROUPS_AT_MOST);
}

static qn_status fill(qn_stream *stream, bool normal, uint64_t state, qn_matrix out) {
  int64_t count = out.rows * out.cols, rows = out.ld == out.rows ? count : out.rows;
  int64_t each = normal ? QN_RNG_NORMAL_BLOCK : ITEMS;
  int64_t groups = groups_for(stream->device, qn_ceil_div(count, each));
  uint64_t numbers = normal ? QN_RNG_NORMAL_SPAN : ITEMS; /* of the stream, a group's step */
  uint64_t stride = qn_lcg_power(QN_RNG_MULTIPLIER, numbers * (uint64_t)groups);

  char options[48];
  snprintf(options, sizeof options, "-DQN_T=%d -DITEMS=%d", out.dtype, ITEMS);
  const qn_jit_entry *kernel;
  qn_status status = qn_jit_kernel(stream->device, "portable/rng.cl",
                                   normal ? "normal_fill" : "uniform_fill", options, &kernel);
  if (status) return status;
  const qn_arg args[] = {
      {.kind = QN_ARG_VALUE, .size = sizeof state, .value = &state},
      {.kind = QN_ARG_VALUE, .size = sizeof stride, .value = &stride},
      {.kind = QN_ARG_VALUE, .size = sizeof count, .value = &count},
      {.kind = QN_ARG_VALUE, .size = sizeof rows, .value = &rows},
      {.kind = QN_ARG_MEM, .mem = out.buffer->mem},
      {.kind = QN_ARG_VALUE, .size = sizeof out.offset, .value = &out.offset},
      {.kind = QN_ARG_VALUE, .size = sizeof out.ld, .value = &out.ld},
  };
  const qn_launch launch = {.groups = {(uint32_t)groups, 1, 1}, .group = {ITEMS, 1, 1}};
  return qn_jit_launch(stream, kernel, &launch, args, sizeof args / sizeof *args);
}

const qn_rng_generator qn_rng_by_kernels = {"portable_rng", applicable, fill};
