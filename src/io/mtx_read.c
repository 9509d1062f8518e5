/* The entries of a Matrix Market file, read in one pass into a dense matrix. */
#include "io/mtx.h"
#include "io/memory.h"
#include "io/number.h"
#include "core/core.h"
#include <inttypes.h>
#include <string.h>

typedef struct reader {
  const qn_source *source;
  const qn_mtx_header *header;
  const qn_file_matrix *m;
  const char *at, *end;
  size_t dropped; /* how far the file's pages were let go */
} reader;

typedef struct value {
  double re, im;
} value;

/* A zero gives way to what is added, so that -0 stays what it is. */
static double sum(double element, double added) {
  return element == 0 ? added : element + added;
}

static void add_f32(float *element, double added) {
  *element = (float)sum((double)*element, (double)(float)added);
}

static void add_f64(double *element, double added) {
  *element = sum(*element, added);
}

/* Adds to element (i, j): entries that occur twice add up, and all others find a zero. */
static void add(const qn_file_matrix *m, int64_t i, int64_t j, value v) {
  size_t e = (size_t)i + (size_t)j * (size_t)m->ld;
  switch (m->dtype) {
  case QN_F32:
    add_f32((float *)m->data + e, v.re);
    break;
  case QN_F64:
    add_f64((double *)m->data + e, v.re);
    break;
  case QN_C64:
    add_f32((float *)m->data + 2 * e, v.re);
    add_f32((float *)m->data + 2 * e + 1, v.im);
    break;
  default:
    add_f64((double *)m->data + 2 * e, v.re);
    add_f64((double *)m->data + 2 * e + 1, v.im);
    break;
  }
}

/* Adds an entry and, off the diagonal, its mirror image. */
static void add_mirrored(const reader *r, int64_t i, int64_t j, value v) {
  add(r->m, i, j, v);
  if (i == j) return;
  switch (r->header->symmetry) {
  case QN_MTX_GENERAL:
    return;
  case QN_MTX_SKEW:
    v.re = -v.re;
    v.im = -v.im;
    break;
  case QN_MTX_HERMITIAN:
    v.im = -v.im;
    break;
  case QN_MTX_SYMMETRIC:
    break;
  }
  add(r->m, j, i, v);
}

static void skip_within_line(reader *r) {
  while (r->at < r->end && *r->at != '\n' && qn_io_is_blank(*r->at)) r->at++;
}

/* Passes to what comes next after an entry, on whichever line. */
static void skip_to_next(reader *r) {
  r->at = qn_mtx_next(r->at, r->end, false);
  qn_source_drop(r->source, (size_t)(r->at - (const char *)r->source->data), &r->dropped);
}

static qn_status scan_part(reader *r, double *part) {
  bool integer = r->header->field == QN_MTX_INTEGER;
  const char *after =
      integer ? qn_io_scan_integer(r->at, r->end, part) : qn_io_scan_real(r->at, r->end, part);
  if (!after) return qn_mtx_fail_text(r->source, r->at, integer ? "an integer" : "a number");
  r->at = after;
  return QN_OK;
}

/* A value whose first byte is at hand; its imaginary part, if it has one, is on the same line. */
static qn_status scan_value(reader *r, value *v) {
  v->re = 1;
  v->im = 0;
  if (r->header->field == QN_MTX_PATTERN) return QN_OK;
  qn_status status = scan_part(r, &v->re);
  if (status != QN_OK || r->header->field != QN_MTX_COMPLEX) return status;
  skip_within_line(r);
  return scan_part(r, &v->im);
}

static qn_status fail_count(const reader *r, int64_t count) {
  int64_t stated = r->header->entries;
  if (count >= stated)
    return qn_mtx_fail(r->source, r->at, "more than the %" PRId64 " entries stated", stated);
  return qn_mtx_fail(r->source, r->at, "the file ends after %" PRId64 " of %" PRId64 " entries",
                     count, stated);
}

/* The values of an array stand column by column, of a symmetric one from the diagonal down. */
static qn_status read_array(reader *r) {
  int64_t count = 0;
  int64_t below = r->header->symmetry == QN_MTX_SKEW;
  skip_to_next(r);
  for (int64_t j = 0; j < r->m->cols && count < r->header->entries; j++) {
    int64_t first = r->header->symmetry == QN_MTX_GENERAL ? 0 : j + below;
    for (int64_t i = first; i < r->m->rows; i++, count++) {
      value v;
      if (r->at == r->end) return fail_count(r, count);
      qn_status status = scan_value(r, &v);
      if (status != QN_OK) return status;
      add_mirrored(r, i, j, v);
      skip_to_next(r);
    }
  }
  return r->at == r->end ? QN_OK : fail_count(r, count);
}

static qn_status scan_position(reader *r, int64_t size, const char *what, int64_t *position) {
  skip_within_line(r);
  const char *after = qn_io_scan_index(r->at, r->end, position);
  if (!after) return qn_mtx_fail_text(r->source, r->at, what);
  if (*position < 1 || *position > size)
    return qn_mtx_fail(r->source, r->at, "%s %" PRId64 " is not in 1 .. %" PRId64, what, *position,
                       size);
  --*position;
  r->at = after;
  return QN_OK;
}

static qn_status read_entry(reader *r) {
  int64_t i, j;
  value v;
  const char *start = r->at;
  qn_status status = scan_position(r, r->m->rows, "a row number", &i);
  if (status == QN_OK) status = scan_position(r, r->m->cols, "a column number", &j);
  if (status != QN_OK) return status;
  skip_within_line(r);
  status = scan_value(r, &v);
  if (status != QN_OK) return status;
  if (r->header->symmetry == QN_MTX_SKEW && i == j && (v.re != 0 || v.im != 0))
    return qn_mtx_fail(r->source, start, "the diagonal of a skew-symmetric matrix is zero");
  add_mirrored(r, i, j, v);
  skip_within_line(r);
  if (r->at < r->end && *r->at != '\n')
    return qn_mtx_fail_text(r->source, r->at, "the end of the entry's line");
  return QN_OK;
}

static qn_status read_coordinates(reader *r) {
  int64_t count = 0;
  for (skip_to_next(r); r->at < r->end; skip_to_next(r), count++) {
    if (count == r->header->entries) return fail_count(r, count);
    qn_status status = read_entry(r);
    if (status != QN_OK) return status;
  }
  return count == r->header->entries ? QN_OK : fail_count(r, count);
}

static qn_dtype dtype_of(const qn_mtx_header *header, const qn_dtype *want) {
  bool complex_file = header->field == QN_MTX_COMPLEX;
  if (want && (qn_dtype_is_complex(*want) || (*want == QN_F32 && !complex_file))) return *want;
  return complex_file ? QN_C128 : QN_F64;
}

/* The dense size is stated, and refused where there is no hope, before any of it is touched. */
static qn_status allocate(const qn_source *source, const qn_mtx_header *header, qn_file_matrix *m) {
  size_t bytes;
  m->rows = header->rows;
  m->cols = header->cols;
  m->ld = qn_max64(1, m->rows);
  if (m->rows == 0 || m->cols == 0) return QN_OK;
  if (!qn_mul_size((size_t)m->rows, (size_t)m->cols, &bytes) ||
      !qn_mul_size(bytes, qn_dtype_size(m->dtype), &bytes) || bytes > (size_t)PTRDIFF_MAX)
    return qn_fail(QN_ENOMEM, source->name,
                   "%" PRId64 " x %" PRId64 " is dense more than any memory can hold", m->rows,
                   m->cols);
  if (header->coordinate)
    qn_log(QN_LOG_INFO, "%s: %" PRId64 " entries become %" PRId64 " x %" PRId64 " dense, %s of %s",
           source->name, header->entries, m->rows, m->cols, qn_io_size(bytes).text,
           qn_dtype_name(m->dtype));
  uint64_t available = qn_io_memory_available();
  m->base = bytes <= available ? qn_host_zalloc(bytes) : NULL;
  if (!m->base)
    return qn_fail(QN_ENOMEM, source->name,
                   "%" PRId64 " x %" PRId64 " dense in %s is %s and %s are available", m->rows,
                   m->cols, qn_dtype_name(m->dtype), qn_io_size(bytes).text,
                   qn_io_size(available).text);
  m->hold = QN_IO_ALLOCATED;
  m->bytes = bytes;
  m->data = m->base;
  return QN_OK;
}

qn_status qn_mtx_read(qn_source *source, const qn_dtype *want, qn_file_matrix *m) {
  qn_mtx_header header;
  qn_status status = qn_mtx_parse(source, &header);
  if (status != QN_OK) return status;
  m->dtype = dtype_of(&header, want);
  status = allocate(source, &header, m);
  if (status != QN_OK) return status;
  const char *end = (const char *)source->data + source->size;
  reader r = {source, &header, m, header.body, end, 0};
  return header.coordinate ? read_coordinates(&r) : read_array(&r);
}
