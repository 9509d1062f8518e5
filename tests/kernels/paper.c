/* The device on paper: its table of operations, and the tour through all kernels. */
#define _GNU_SOURCE
#include "paper.h"
#include "blas3/target.h"
#include "device/paper.h"
#include "device/tensor_map.h"
#include "npb/ep_port.h"
#include "probe/probe.h"
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *target; /* what the device is, now */
static paper_compile *compiler;

struct qn_bmodule {
  char *code; /* what was compiled, where entries are looked for by name */
  size_t size;
};

static qn_status find_cards(unsigned *count, char *message, size_t size) {
  *count = 1;
  snprintf(message, size, "a compiler without a card");
  return QN_OK;
}

static qn_status query(unsigned index, qn_device_info *info) {
  (void)index;
  memset(info, 0, sizeof *info);
  snprintf(info->id, sizeof info->id, "paper:0");
  snprintf(info->arch, sizeof info->arch, "%s", target);
  if (strncmp(target, "sm_", 3) == 0) strcpy(info->backend, "cuda"); /* its kernels too */
  info->kind = QN_DEVICE_GPU;
  info->dtypes = (1u << QN_DTYPE_COUNT) - 1;
  info->compute_units = 132;
  info->memory = info->memory_max = UINT64_C(1) << 34;
  info->local_memory = 227 << 10;
  return QN_OK;
}

static qn_status open_device(unsigned index, qn_bdev **dev) {
  (void)index;
  static char nothing;
  *dev = (qn_bdev *)&nothing;
  return QN_OK;
}
static void close_device(qn_bdev *dev) {
  (void)dev;
}
static qn_status alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  (void)dev, (void)kind;
  *mem = (qn_mem)calloc(1, bytes ? bytes : 1);
  return QN_OK;
}
static void release(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev, (void)kind;
  free((void *)mem);
}
static void *host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev;
  return kind == QN_MEMORY_PINNED ? (void *)mem : NULL;
}
static qn_status copy_in(qn_bstream *s, qn_mem dst, size_t at, const void *src, const qn_rect *r) {
  (void)s, (void)dst, (void)at, (void)src, (void)r;
  return QN_OK;
}
static qn_status copy_out(qn_bstream *s, void *dst, qn_mem src, size_t at, const qn_rect *r) {
  (void)s, (void)src, (void)at;
  memset(dst, 0, r->width);
  return QN_OK;
}
static qn_status copy(qn_bstream *s, qn_mem dst, size_t at, qn_mem src, size_t from,
                      const qn_rect *r) {
  (void)s, (void)dst, (void)at, (void)src, (void)from, (void)r;
  return QN_OK;
}
static qn_status fill(qn_bstream *s, qn_mem dst, size_t at, size_t bytes, uint32_t pattern,
                      unsigned width) {
  (void)s, (void)dst, (void)at, (void)bytes, (void)pattern, (void)width;
  return QN_OK;
}
static qn_status identity(qn_bdev *dev, char *text, size_t size) {
  (void)dev;
  snprintf(text, size, "paper | %s", target);
  return QN_OK;
}

static qn_status compile(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log) {
  (void)dev;
  return compiler(target, source, binary, log);
}

static qn_status module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module) {
  (void)dev;
  *module = malloc(sizeof **module);
  (*module)->code = malloc(binary->size);
  (*module)->size = binary->size;
  memcpy((*module)->code, binary->data, binary->size);
  return QN_OK;
}
static void module_free(qn_bmodule *module) {
  free(module->code);
  free(module);
}
static qn_status kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                            qn_kernel_info *info) {
  memset(info, 0, sizeof *info);
  info->params = -1;
  *kernel = memmem(module->code, module->size, name, strlen(name));
  return *kernel ? QN_OK : qn_fail(QN_EINVAL, "paper", "no kernel %s", name);
}
static qn_status launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *l,
                        const qn_arg *args, unsigned count) {
  (void)stream, (void)kernel, (void)l, (void)args, (void)count;
  return QN_OK;
}

static qn_status encode_nothing(const qn_tensor_map_ops *self, const qn_tensor_spec *spec,
                                qn_tensor_map *map) {
  (void)self, (void)spec;
  memset(map, 0, sizeof *map);
  return QN_OK;
}
static const void *proc(qn_bdev *dev, const char *name) {
  (void)dev;
  static const qn_tensor_map_ops maps = {encode_nothing};
  return strcmp(name, QN_PROC_TENSOR_MAP) == 0 ? &maps : NULL;
}

static const qn_backend_ops ops = {
    .abi = QN_BACKEND_ABI,
    .name = "paper",
    .probe = find_cards,
    .query = query,
    .open = open_device,
    .close = close_device,
    .alloc = alloc,
    .free = release,
    .host = host,
    QN_PAPER_SLOTS,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .fill = fill,
    .identity = identity,
    .compile = compile,
    .module_load = module_load,
    .module_free = module_free,
    .kernel_get = kernel_get,
    .launch = launch,
    .proc = proc,
};

/* ---- the routines ---- */

static qn_device *device;
static qn_stream *stream;

static qn_matrix square(qn_buffer *buffer, qn_dtype dtype, int64_t n) {
  return qn_matrix_of(buffer, dtype, n, n, n);
}

static void must(qn_status status) {
  if (!status) return;
  fprintf(stderr, "%s\n", qn_last_error());
  exit(1);
}

static void product(const qn_gemm_variant *v, qn_trans ta, qn_trans tb, qn_matrix a, qn_matrix b,
                    qn_matrix c) {
  const qn_gemm_problem p = {ta, tb, qn_real(1), qn_real(0), a, b, c, QN_REGION_ALL, NULL, NULL};
  if (v->applicable(stream, &p)) must(v->launch(stream, &p));
}

/* The pipelined kernels copy each operand by its own transpose alone, and are long to compile: two
 * forms have all of their code. */
static bool spared(const qn_gemm_variant *v, int form, int forms) {
  return strncmp(v->name, "pipe_", 5) == 0 && form != 0 && form != forms * forms - 1;
}

/* Each variant, whatever its cost. k = 4096 on a small C is split. */
static void products(qn_buffer *buffer, qn_dtype dtype, const qn_gemm_variant *v) {
  static const qn_trans transposes[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  /* f16 differs from bf16 by a word; variants that need something are steps on a way */
  const int forms = qn_dtype_is_complex(dtype) ? 3 : dtype == QN_F16 || v->needs ? 1 : 2;
  const qn_matrix a = square(buffer, dtype, qn_dtype_is_half(dtype) ? 256 : 64);
  for (int f = 0; f < forms * forms; f++)
    if (!spared(v, f, forms)) product(v, transposes[f % forms], transposes[f / forms], a, a, a);
  const qn_matrix wide = qn_matrix_of(buffer, dtype, 64, 4096, 64);
  const qn_matrix tall = qn_matrix_of(buffer, dtype, 4096, 64, 4096);
  product(v, QN_NOTRANS, QN_NOTRANS, wide, tall, square(buffer, dtype, 64));
  if (qn_dtype_is_half(dtype))
    product(v, QN_NOTRANS, QN_NOTRANS, wide, tall, square(buffer, QN_F32, 64));
}

/* Refused are those that the dtype lacks. The halves differ from f32 by their conversions alone. */
static void elementwise(qn_matrix a) {
  must(qn_matrix_axpby(stream, qn_real(2), a, qn_real(3), a));
  if (qn_dtype_is_half(a.dtype)) return;
  for (qn_map map = QN_MAP_NEGATE; map <= QN_MAP_RELU; map++)
    if (qn_matrix_map(stream, map, a, a) == QN_EINVAL) must(QN_EINVAL);
  for (qn_reduction op = QN_REDUCE_SUM; op <= QN_REDUCE_MIN; op++) {
    const qn_matrix out = qn_matrix_of(a.buffer, qn_reduce_dtype(op, a.dtype), 1, 1, 1);
    if (qn_matrix_reduce(stream, op, a, out) == QN_EINVAL) must(QN_EINVAL);
  }
}

/* One variant with an epilogue. k = 4096 on a small C is split. */
static void epilogue(qn_buffer *buffer, qn_dtype dtype, const qn_gemm_variant *v, const char *text,
                     int64_t k) {
  const qn_matrix c = square(buffer, dtype, 64), column = qn_matrix_of(buffer, dtype, 64, 1, 64);
  const qn_epilogue_args args = {column, column, c, {c}, {qn_real(1), qn_real(2)}};
  qn_epilogue *e;
  qn_epilogue_use use;
  must(qn_epilogue_create(text, "s t", "x", &e));
  must(qn_epilogue_check(stream, e, &args, dtype, c, &use));
  const qn_gemm_problem p = {.transa = QN_NOTRANS,
                             .transb = QN_NOTRANS,
                             .alpha = qn_real(1),
                             .a = qn_matrix_of(buffer, dtype, 64, k, 64),
                             .b = qn_matrix_of(buffer, dtype, k, 64, k),
                             .c = c,
                             .region = QN_REGION_ALL,
                             .epilogue = &use};
  if (v->applicable(stream, &p)) must(v->launch(stream, &p));
  qn_epilogue_free(e);
}

/* Each variant with an epilogue as users write them, where tensor cores do doubles with one that
 * reads a matrix, too, and the sum of parts with one that has all operations. */
static void epilogues(qn_buffer *buffer, qn_dtype dtype, const qn_target *kernels) {
  const bool complex = qn_dtype_is_complex(dtype);
  const char *usual = complex ? "acc + bias_n" : "gelu(acc + bias_n)";
  const char *all =
      complex ? "abs(acc) == s ? -c / x : residual * 2"
              : "c * (acc > row ? exp(acc) : log(s)) + min(tanh(x), erf(col)) / sqrt(residual) - "
                "max(silu(acc), sigmoid(c)) + clamp(gelu_tanh(acc), -1, abs(t)) * (bias_m != 2)";
  for (unsigned v = 0; v < kernels->gemms; v++) {
    if (kernels->gemm[v]->needs) continue;
    epilogue(buffer, dtype, kernels->gemm[v], usual, 64);
    if (dtype == QN_F64 || dtype == QN_C128)
      epilogue(buffer, dtype, kernels->gemm[v], "acc + bias_n - residual", 64);
  }
  epilogue(buffer, dtype, kernels->gemm[0], all, 4096);
}

/* Forms of the solve and of the product: for one, some and many right-hand sides. */
static void triangles(qn_buffer *buffer, qn_dtype dtype) {
  enum { SEVERAL = 300 }; /* unknowns of several base blocks */
  static const int64_t counts[] = {1, 5, 20, 200, 4300};
  const qn_matrix a = square(buffer, dtype, 100);
  for (int form = 0; form < 4; form++)
    for (int s = 0; s < 5; s++) {
      const qn_matrix b = qn_matrix_of(buffer, dtype, 100, counts[s], 100);
      const qn_uplo uplo = form % 2 ? QN_UPPER : QN_LOWER;
      const qn_trans trans = form / 2 ? QN_CONJTRANS : QN_NOTRANS;
      must(qn_trsm(stream, QN_LEFT, uplo, trans, QN_NONUNIT, qn_real(1), a, b));
      if (form % 3 == 0) must(qn_trmm(stream, QN_LEFT, uplo, trans, QN_NONUNIT, qn_real(1), a, b));
      if (counts[s] == 4300 && (dtype == QN_F32 || dtype == QN_F64))
        must(qn_trsm(stream, QN_LEFT, uplo, trans, QN_NONUNIT, qn_real(1),
                     square(buffer, dtype, SEVERAL),
                     qn_matrix_of(buffer, dtype, SEVERAL, counts[s], SEVERAL)));
    }
  const qn_triangular_problem textbook = {QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1),
                                          a,       a,        NULL,       0};
  if (!qn_dtype_is_half(dtype)) must(qn_target_kernels.trsm_columns(stream, &textbook));
  const qn_matrix whole = square(buffer, dtype, dtype == QN_F32 ? 730 : 400);
  must(qn_trmm_to(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_UNIT, qn_real(1), whole, whole, whole));
  must(qn_trmm_to(stream, QN_RIGHT, QN_LOWER, QN_CONJTRANS, QN_UNIT, qn_real(1), whole, whole,
                  whole));
}

static void others(qn_buffer *buffer, qn_dtype dtype) {
  qn_matrix a = square(buffer, dtype, 300), b = a;
  const qn_scalar one = qn_real(1);
  triangles(buffer, dtype);
  must(qn_matrix_copy(stream, QN_TRANS, a, b));
  must(qn_matrix_copy(stream, QN_CONJTRANS, a, b));
  if (dtype == QN_F64) /* by columns that lie apart */
    must(qn_matrix_copy(stream, QN_NOTRANS, qn_matrix_of(buffer, dtype, 1000, 600, 1002),
                        qn_matrix_of(buffer, dtype, 1000, 600, 1000)));
  elementwise(a);
  must(qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, one, a, b));
  must(qn_trmm(stream, QN_RIGHT, QN_UPPER, QN_TRANS, QN_UNIT, one, a, b));
  must(qn_trsm(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(0), a, b)); /* scale */
  if (!qn_dtype_is_half(dtype)) {
    must(qn_potrf(stream, QN_LOWER, a, NULL));
    must(qn_potrf(stream, QN_UPPER, a, NULL));
  }
  if (dtype != QN_F32 && dtype != QN_F64) return;
  qn_rng rng = qn_rng_make(1);
  must(qn_rng_uniform(stream, &rng, a));
  must(qn_rng_normal(stream, &rng, a));
}

/* EP's kernel without arrays and the port's steps. */
static void benchmarks(void) {
  static const char *const steps[] = {"port", "coalesced", "coalesced_block,use_sm",
                                      "use_sm,q_coalesced"};
  ep_engine engine;
  must(ep_device_open((ep_share){24, 0, EP_ROWS}, stream, &engine));
  engine.close(&engine);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    ep_port port = {.mk = 12, .mi = 6, .block = EP_PORT_BLOCK};
    if (!ep_port_parse(steps[i], &port)) exit(1);
    must(ep_port_open(&port, 24, stream, &engine));
    engine.close(&engine);
  }
}

/* Every row of the probe, as small as it goes: what paper computes is wrong, and is not looked at.
 */
static void measurements(void) {
  const probe_settings small = {4096, 32, 64, 1 << 16, 1e-6};
  static probe_result result;
  probe *p;
  must(probe_open(stream, &small, &p));
  for (const probe_row *row = probe_rows; row->name; row++) must(probe_run(p, row, &result));
  probe_close(p);
}

void paper_compile_all(const char *arch, paper_compile *compile_one) {
  qn_buffer *buffer;
  target = arch;
  compiler = compile_one;
  setenv("QUERN_CACHE_LIMIT", "0", 1); /* what is not compiled is not checked */
  must(qn_device_acquire(&ops, 0, &device));
  must(qn_stream_create(device, &stream));
  must(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 300 * 4300 * 16, &buffer));
  const qn_target *kernels = qn_target_of(device);
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++) {
    for (unsigned v = 0; v < kernels->gemms; v++)
      products(buffer, (qn_dtype)dtype, kernels->gemm[v]);
    epilogues(buffer, (qn_dtype)dtype, kernels);
    others(buffer, (qn_dtype)dtype);
  }
  must(qn_device_warmup(device, 0, ((1u << QN_DTYPE_COUNT) - 1) & ~(1u << QN_F16), NULL));
  benchmarks();
  measurements();
  qn_buffer_free(buffer);
  qn_stream_free(stream);
  qn_device_release(device);
}
