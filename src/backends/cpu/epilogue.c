/* Strips of C for the kernels of epilogues: what each slot holds for rows i .. i+n-1 of column j.
 */
#include "backends/cpu/epilogue.h"
#include "backends/cpu/half.h"
#include "backends/cpu/kernels.h"
#include <string.h>

static qn_strip_fn *kernel_of(qn_dtype compute) {
  if (compute == QN_C64) return qn_strip_c64;
  if (compute == QN_C128) return qn_strip_c128;
  const qn_cpu_isa *isa = qn_cpu_isa_get();
  const qn_epilogue_kernels *kernels = &qn_epilogue_plain;
#if defined(__x86_64__)
  if (isa == &qn_cpu_isa_avx512) kernels = &qn_epilogue_avx512;
  if (isa == &qn_cpu_isa_avx2) kernels = &qn_epilogue_avx2;
#elif defined(__aarch64__)
  if (isa == &qn_cpu_isa_neon) kernels = &qn_epilogue_neon;
#endif
  (void)isa;
  return compute == QN_F32 ? kernels->f32 : kernels->f64;
}

/* ---- values, repeated ---- */

/* `value` is one of the compute dtype. */
static void repeat(const qn_epilogue_run *run, char *to, const void *value) {
  for (int64_t i = 0; i < run->strip; i++) memcpy(to + (size_t)i * run->size, value, run->size);
}

static void repeat_number(const qn_epilogue_run *run, int slot, qn_scalar x) {
  qn_dtype compute = qn_dtype_compute(run->dtype);
  float f32[2] = {(float)x.re, (float)x.im};
  double f64[2] = {x.re, x.im};
  bool wide = compute == QN_F64 || compute == QN_C128;
  repeat(run, run->memory[slot], wide ? (const void *)f64 : f32);
}

/* ---- matrices ---- */

static const void *element(const qn_epilogue_run *run, int matrix, int64_t i, int64_t j,
                           size_t *size) {
  const char *data = run->e->matrix[matrix].data;
  *size = run->e->matrix[matrix].f32 ? sizeof(float) : qn_dtype_size(run->dtype);
  return data +
         (i * run->e->matrix[matrix].step_i + j * run->e->matrix[matrix].step_j) * (int64_t)*size;
}

static bool is_half(const qn_epilogue_run *run, int matrix) {
  return qn_dtype_is_half(run->dtype) && !run->e->matrix[matrix].f32;
}

static float half_value(const qn_epilogue_run *run, const void *from) {
  uint16_t bits;
  memcpy(&bits, from, sizeof bits);
  return run->dtype == QN_F16 ? qn_f16_to_f32(bits) : qn_bf16_to_f32(bits);
}

/* n values from (i, j) on down, as the compute dtype. */
static void gather(const qn_epilogue_run *run, int matrix, int64_t i, int64_t j, int64_t n,
                   char *to) {
  size_t size;
  const char *from = element(run, matrix, i, j, &size);
  int64_t step = run->e->matrix[matrix].step_i * (int64_t)size;
  if (!is_half(run, matrix)) {
    for (int64_t r = 0; r < n; r++) memcpy(to + (size_t)r * size, from + r * step, size);
  } else if (step == (int64_t)size) {
    const qn_cpu_isa *isa = qn_cpu_isa_get();
    (run->dtype == QN_F16 ? isa->f16_to_f32 : isa->bf16_to_f32)(n, (const void *)from, (void *)to);
  } else {
    for (int64_t r = 0; r < n; r++) {
      float value = half_value(run, from + r * step);
      memcpy(to + (size_t)r * sizeof value, &value, sizeof value);
    }
  }
}

static void repeat_element(const qn_epilogue_run *run, int matrix, int64_t j, char *to) {
  _Alignas(16) char value[16];
  gather(run, matrix, 0, j, 1, value);
  repeat(run, to, value);
}

/* ---- a thread's run ---- */

void qn_epilogue_begin(qn_epilogue_run *run, const qn_cpu_epilogue *e, qn_dtype dtype) {
  qn_dtype compute = qn_dtype_compute(dtype);
  const qn_epilogue_program *program = e->program;
  run->e = e;
  run->dtype = dtype;
  run->size = qn_dtype_size(compute);
  run->strip = QN_STRIP_BYTES / (int64_t)run->size;
  run->column = -1;
  run->run = kernel_of(compute);
  char *next = run->bytes + QN_STRIP_BYTES; /* the first is for results that need copying */
  for (int slot = 0; slot < QN_SLOTS; slot++) {
    bool named = slot < QN_SLOT_CONSTANT ? qn_epilogue_reads(program, (unsigned)slot)
                 : slot < QN_SLOT_TEMP   ? slot - QN_SLOT_CONSTANT < (int)program->constants
                                         : slot - QN_SLOT_TEMP < (int)program->temps;
    /* slots that are not named are sources of operations that have fewer */
    run->slot[slot] = run->memory[slot] = named ? next : NULL;
    if (named) next += QN_STRIP_BYTES;
  }
  for (int i = 0; i < QN_EPILOGUE_SCALARS; i++)
    if (run->memory[QN_SLOT_SCALAR + i]) repeat_number(run, QN_SLOT_SCALAR + i, e->scalar[i]);
  for (unsigned i = 0; i < program->constants; i++)
    repeat_number(run, QN_SLOT_CONSTANT + (int)i, qn_real(program->constant[i]));
}

/* What is the same for all of column j. */
static void begin_column(qn_epilogue_run *run, int64_t j) {
  run->column = j;
  if (run->memory[QN_SLOT_COL]) repeat_number(run, QN_SLOT_COL, qn_real((double)j));
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++)
    if (run->memory[QN_SLOT_BIAS_M + i] && run->e->matrix[i].step_i == 0)
      repeat_element(run, i, j, run->memory[QN_SLOT_BIAS_M + i]);
}

static void fill_rows(const qn_epilogue_run *run, int64_t i, int64_t n) {
  char *to = run->memory[QN_SLOT_ROW];
  bool wide = run->dtype == QN_F64 || run->dtype == QN_C128;
  for (int64_t r = 0; r < n; r++) {
    float f32[2] = {(float)(i + r), 0};
    double f64[2] = {(double)(i + r), 0};
    memcpy(to + (size_t)r * run->size, wide ? (const void *)f64 : f32, run->size);
  }
}

/* Points a slot at an array in place, or at a copy that has whole vectors. */
static void set(qn_epilogue_run *run, int slot, const void *array, int64_t n, bool whole) {
  if (!run->memory[slot]) return;
  run->slot[slot] = whole ? (void *)array : run->memory[slot];
  if (!whole) memcpy(run->memory[slot], array, (size_t)n * run->size);
}

static void set_matrix(qn_epilogue_run *run, int matrix, int64_t i, int64_t j, int64_t n,
                       bool whole) {
  int slot = QN_SLOT_BIAS_M + matrix;
  size_t size;
  if (!run->memory[slot] || run->e->matrix[matrix].step_i == 0) return;
  if (run->e->matrix[matrix].step_i == 1 && !is_half(run, matrix)) {
    set(run, slot, element(run, matrix, i, j, &size), n, whole);
  } else {
    gather(run, matrix, i, j, n, run->memory[slot]);
  }
}

void qn_epilogue_strip(qn_epilogue_run *run, int64_t i, int64_t j, int64_t n, const void *acc,
                       const void *c, void *to) {
  size_t bytes = (size_t)n * run->size;
  bool whole = bytes % QN_STRIP_GRAIN == 0;
  if (j != run->column) begin_column(run, j);
  set(run, QN_SLOT_ACC, acc, n, whole);
  set(run, QN_SLOT_C, c, n, whole);
  if (run->memory[QN_SLOT_ROW]) fill_rows(run, i, n);
  for (int m = 0; m < QN_EPILOGUE_MATRICES; m++) set_matrix(run, m, i, j, n, whole);
  if (whole) {
    run->run(run->e->program, run->slot, n, to);
    return;
  }
  /* the values behind the n that count are whatever the memory holds */
  int64_t rounded = qn_round_up((int64_t)bytes, QN_STRIP_GRAIN) / (int64_t)run->size;
  run->run(run->e->program, run->slot, rounded, run->bytes);
  memcpy(to, run->bytes, bytes);
}
