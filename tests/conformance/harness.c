/* The device under test, frames, sizes and scores. */
#include "conformance/harness.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the device ---- */

static qn_device *device;
static qn_stream *stream;
static qn_device_info info;
static uint64_t seed;
static char case_text[256], variant_text[256]; /* what is tested, and the last gemm of the log */

static const char *environment(const char *name, const char *fallback) {
  const char *text = getenv(name);
  return text && *text ? text : fallback;
}

static const char *device_name(void) {
  return environment("QUERN_TEST_DEVICE", "cpu");
}

static void print_scores(void);

static void take_log(void *user, qn_log_level level, const char *message) {
  (void)user;
  if (level == QN_LOG_DEBUG && strncmp(message, "gemm", 4) == 0)
    snprintf(variant_text, sizeof variant_text, "%s", message);
}

int harness_open(void **state) {
  (void)state;
  /* The cases make and drop many large matrices: keep their pages. */
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  qn_set_log(take_log, NULL);
  seed = strtoull(environment("QUERN_TEST_SEED", "20261130"), NULL, 0);
  if (qn_device_open(device_name(), &device) != QN_OK || qn_device_query(device, &info) != QN_OK ||
      !judged_open(device, &stream)) {
    print_error("%s\n", qn_last_error());
    return -1;
  }
  print_message("device %s (%s), QUERN_TEST_SEED=%llu\n", info.id, info.arch,
                (unsigned long long)seed);
  return 0;
}

int harness_close(void **state) {
  (void)state;
  print_scores();
  qn_stream_free(stream);
  judged_close();
  qn_device_close(device);
  return 0;
}

qn_device *the_device(void) {
  return device;
}

qn_stream *the_stream(void) {
  return stream;
}

bool variant_forced(void) {
  return *environment("QUERN_GEMM_VARIANT", "");
}

/* Whether the variant that QUERN_GEMM_VARIANT forces, if any, does products of the dtype: asked
 * with one that every variant can do. */
static bool variant_has(qn_dtype dtype) {
  enum { ORDER = 256 };
  if (!variant_forced()) return true;
  qn_matrix m;
  ok(qn_matrix_alloc(device, dtype, ORDER, 3 * ORDER, &m));
  ok(qn_fill(stream, m.buffer, 0, qn_buffer_size(m.buffer), 0, 1));
  qn_matrix a = qn_matrix_sub(m, 0, 0, ORDER, ORDER), b = qn_matrix_sub(m, 0, ORDER, ORDER, ORDER);
  qn_matrix c = qn_matrix_sub(m, 0, 2 * ORDER, ORDER, ORDER);
  qn_status status = qn_gemm(stream, QN_NOTRANS, QN_NOTRANS, qn_real(1.0), a, b, qn_real(0.0), c);
  qn_buffer_free(m.buffer);
  return status != QN_EUNSUPPORTED;
}

bool device_has(qn_dtype dtype) {
  return (info.dtypes >> dtype & 1u) && judged_has(dtype) && variant_has(dtype);
}

void skip_without(qn_dtype dtype) {
  if (device_has(dtype)) return;
  print_message("%s does not compute in %s\n", info.id, qn_dtype_name(dtype));
  skip();
}

static bool isa_is(qn_device *cpu, const char *wanted) {
  qn_device_info found;
  return qn_device_query(cpu, &found) == QN_OK && strcmp(found.arch, wanted) == 0;
}

/* The variant is always listed; only with a library does it take a product. */
static bool blas_is_there(qn_device *cpu) {
  static float one = 1;
  qn_stream *s;
  qn_buffer *buffer;
  ok(qn_stream_create(cpu, &s));
  ok(qn_buffer_wrap(cpu, &one, sizeof one, &buffer));
  ok(qn_device_set_gemm_variant(cpu, "cpu_blas"));
  qn_matrix m = qn_matrix_of(buffer, QN_F32, 1, 1, 1);
  qn_status status = qn_gemm(s, QN_NOTRANS, QN_NOTRANS, qn_real(1), m, m, qn_real(0), m);
  ok(qn_device_set_gemm_variant(cpu, NULL));
  qn_buffer_free(buffer);
  qn_stream_free(s);
  return status == QN_OK;
}

void skip_unless_cpu(void) {
  const char *isa = environment("QUERN_CPU_ISA", ""), *blas = environment("QUERN_CPU_BLAS", "");
  qn_device *cpu;
  if ((!*isa && !*blas) || qn_device_open("cpu", &cpu) != QN_OK) return;
  bool good = (!*isa || isa_is(cpu, isa)) && (!*blas || blas_is_there(cpu));
  qn_device_close(cpu);
  if (good) return;
  printf("skipped: QUERN_CPU_ISA=%s QUERN_CPU_BLAS=%s is not here\n", isa, blas);
  exit(77);
}

void skip_unless_device(void) {
  qn_device *there;
  if (qn_device_open(device_name(), &there) == QN_OK) {
    qn_device_close(there);
    return;
  }
  printf("skipped: %s\n", qn_last_error());
  exit(77);
}

bool full_grid(void) {
  return strcmp(environment("QUERN_TEST_FULL", "0"), "0") != 0;
}

static int64_t thin(void) {
  static int64_t value;
  if (value == 0) value = strtoll(environment("QUERN_TEST_THIN", "1"), NULL, 10);
  return value;
}

bool case_drawn(dice *d) {
  return thin() <= 1 || dice_below(d, thin()) == 0;
}

bool order_drawn(dice *d, int64_t n) {
  if (full_grid() || n <= 257) return true;
  return dice_below(d, (n > 1000 ? 12 : 2) * (thin() > 1 ? 6 : 1)) == 0;
}

dice new_dice(void) {
  return (dice){seed};
}

void now_testing(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(case_text, sizeof case_text, format, args);
  va_end(args);
  variant_text[0] = '\0';
}

static void print_case(void) {
  if (*case_text) print_error("%s\n", case_text);
  if (*variant_text) print_error("%s\n", variant_text);
}

void fail_about_(const char *file, int line, const char *format, ...) {
  va_list args;
  print_case();
  va_start(args, format);
  vprint_error(format, args);
  va_end(args);
  print_error("\n");
  _fail(file, line);
}

void ok_(qn_status status, const char *call, const char *file, int line) {
  if (status == QN_OK) return;
  print_case();
  print_error("%s: %s: %s\n", call, qn_status_string(status), qn_last_error());
  _fail(file, line);
}

/* ---- frames ---- */

enum { ALIGNED = 8 }; /* elements: 16 bytes of a half */

frame frame_new(qn_dtype dtype, int64_t rows, int64_t cols, int64_t gap) {
  frame f = {0};
  int64_t side = gap != 0 ? 1 : 0, above = gap / 2, ld = rows + gap;
  if (gap == GAP_ALIGNED) {
    above = ALIGNED;
    ld = (rows + ALIGNED - 1) / ALIGNED * ALIGNED + 2 * ALIGNED;
  }
  ok(qn_matrix_alloc(device, dtype, ld, cols + 2 * side, &f.whole));
  f.view = qn_matrix_sub(f.whole, above, side, rows, cols);
  f.bytes = (size_t)(f.whole.ld * f.whole.cols) * qn_dtype_size(dtype);
  f.before = malloc(f.bytes + 1);
  f.after = malloc(f.bytes + 1);
  assert_non_null(f.before);
  assert_non_null(f.after);
  return f;
}

void frame_free(frame *f) {
  qn_buffer_free(f->whole.buffer);
  free(f->before);
  free(f->after);
  *f = (frame){0};
}

static size_t view_start(const frame *f) {
  return (size_t)f->view.offset * qn_dtype_size(f->view.dtype);
}

void frame_put(frame *f, wide m) {
  memset(f->before, 0xff, f->bytes);
  wide_store(m, f->view.dtype, f->before + view_start(f), f->view.ld);
  wide rounded = wide_load(f->view.dtype, f->before + view_start(f), m.rows, m.cols, f->view.ld);
  size_t bytes = (size_t)(m.rows * m.cols) * sizeof(double);
  memcpy(m.re, rounded.re, bytes);
  if (m.im) memcpy(m.im, rounded.im, bytes);
  wide_free(&rounded);
  ok(qn_matrix_write(stream, f->whole, f->before, f->whole.ld));
}

static void read_back(frame *f) {
  ok(qn_matrix_read(stream, f->after, f->whole.ld, f->whole));
  ok(qn_stream_sync(stream));
}

/* Fails with the place, counted from the view's first element, of the first byte that changed. */
static void assert_same(const frame *f, const char *which) {
  size_t at = 0, count = 0;
  for (size_t i = f->bytes; i-- > 0;) {
    if (f->before[i] == f->after[i]) continue;
    at = i;
    count++;
  }
  if (count == 0) return;
  const int64_t element = (int64_t)(at / qn_dtype_size(f->view.dtype));
  const int64_t first_row = f->view.offset % f->whole.ld, first_col = f->view.offset / f->whole.ld;
  fail_about(
      "%zu bytes %s have changed, the first of element (%lld, %lld); the view is %lld x %lld "
      "%s with ld %lld, and begins at element %lld",
      count, which, (long long)(element % f->whole.ld - first_row),
      (long long)(element / f->whole.ld - first_col), (long long)f->view.rows,
      (long long)f->view.cols, qn_dtype_name(f->view.dtype), (long long)f->view.ld,
      (long long)f->view.offset);
}

wide frame_get(frame *f) {
  read_back(f);
  /* Lay what came back into the view of `before`: then all bytes must agree. */
  size_t element = qn_dtype_size(f->view.dtype), run = (size_t)f->view.rows * element;
  for (int64_t j = 0; j < f->view.cols; j++) {
    size_t at = view_start(f) + (size_t)(j * f->view.ld) * element;
    memcpy(f->before + at, f->after + at, run);
  }
  assert_same(f, "around the view");
  return wide_load(f->view.dtype, f->after + view_start(f), f->view.rows, f->view.cols, f->view.ld);
}

void frame_assert_same(frame *f) {
  read_back(f);
  assert_same(f, "of an operand that is only read");
}

void poison_triangle(wide a, qn_uplo uplo, qn_diag diag) {
  for (int64_t j = 0; j < a.cols; j++) {
    for (int64_t i = 0; i < a.rows; i++) {
      bool other = uplo == QN_LOWER ? i < j : i > j;
      if (!other && !(i == j && diag == QN_UNIT)) continue;
      a.re[i + j * a.rows] = NAN;
      if (a.im) a.im[i + j * a.rows] = NAN;
    }
  }
}

wide random_matrix(dice *d, int64_t rows, int64_t cols, bool complex) {
  wide m = wide_new(rows, cols, complex);
  for (int64_t i = 0; i < rows * cols; i++) {
    m.re[i] = dice_uniform(d);
    if (complex) m.im[i] = dice_uniform(d);
  }
  return m;
}

void round_to(wide m, qn_dtype dtype) {
  size_t bytes = (size_t)(m.rows * m.cols) * qn_dtype_size(dtype);
  void *data = malloc(bytes + 1);
  assert_non_null(data);
  wide_store(m, dtype, data, m.rows);
  wide rounded = wide_load(dtype, data, m.rows, m.cols, m.rows);
  memcpy(m.re, rounded.re, (size_t)(m.rows * m.cols) * sizeof(double));
  if (m.im) memcpy(m.im, rounded.im, (size_t)(m.rows * m.cols) * sizeof(double));
  wide_free(&rounded);
  free(data);
}

qn_scalar some_scalar(dice *d, qn_dtype dtype) {
  static const qn_scalar list[] = {{1.0, 0.0}, {-0.75, 0.5}, {2.5, -1.25}, {-1.0, 0.0}};
  qn_scalar s = list[dice_below(d, 4)];
  if (dtype != QN_C64 && dtype != QN_C128) s.im = 0.0;
  return s;
}

/* ---- sizes ---- */

const int64_t small_orders[] = {1, 2, 31, 32, 33, 63, 65, 127, 129, 255, 257, 0};
const int64_t large_orders[] = {511, 1000, 2049, 0};
const int64_t small_nrhs[] = {1, 2, 7, 0};
const int64_t large_nrhs[] = {1, 2, 7, 64, 65, -1, 0};

int64_t sample_columns(dice *d, int64_t cols, int64_t columns[SAMPLED]) {
  int64_t count = cols < SAMPLED ? cols : SAMPLED;
  for (int64_t j = 0; j < count; j++) {
    /* One of each of `count` equal runs, the first and the last column always. */
    int64_t low = j * cols / count, high = (j + 1) * cols / count;
    columns[j] = j == 0 ? 0 : j == count - 1 ? cols - 1 : low + dice_below(d, high - low);
  }
  return count;
}

/* ---- scores ---- */

typedef struct entry {
  const char *routine, *family, *measure;
  qn_dtype dtype;
  double value, bound; /* of the case that used most of its bound */
} entry;

enum { ENTRIES = 512 };
static entry entries[ENTRIES];
static int used_entries;

static entry *find_entry(const char *routine, qn_dtype dtype, const char *family,
                         const char *measure) {
  for (int i = 0; i < used_entries; i++) {
    entry *e = entries + i;
    if (e->dtype == dtype && strcmp(e->routine, routine) == 0 && strcmp(e->family, family) == 0 &&
        strcmp(e->measure, measure) == 0)
      return e;
  }
  assert_true(used_entries < ENTRIES);
  entries[used_entries] = (entry){routine, family, measure, dtype, 0.0, 1.0};
  return entries + used_entries++;
}

bool score(const char *routine, qn_dtype dtype, const char *family, const char *measure,
           double value, double bound) {
  entry *e = find_entry(routine, dtype, family, measure);
  if (!isnan(e->value) && !(value / bound <= e->value / e->bound)) {
    e->value = value;
    e->bound = bound;
  }
  return value <= bound || peer_judged();
}

static void print_scores(void) {
  for (int i = 0; i < used_entries; i++) {
    const entry *e = entries + i;
    print_message("  %-6s %-5s %-12s %-12s %10.3g of %.4g\n", e->routine, qn_dtype_name(e->dtype),
                  e->family, e->measure, e->value, e->bound);
  }
  used_entries = 0;
}
