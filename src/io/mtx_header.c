/* The first lines of a Matrix Market file, and where in it an error stands. */
#include "io/mtx.h"
#include "io/number.h"
#include "core/core.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char banner[] = "%%MatrixMarket";

static const char *start_of(const qn_source *source) {
  return (const char *)source->data;
}

static const char *end_of(const qn_source *source) {
  return (const char *)source->data + source->size;
}

qn_status qn_mtx_fail(const qn_source *source, const char *at, const char *format, ...) {
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  /* counted only now, so that reading need not keep count */
  int64_t line = 1;
  const char *start = start_of(source);
  for (const char *mark; (mark = memchr(start, '\n', (size_t)(at - start)));) {
    start = mark + 1;
    line++;
  }
  return qn_fail(QN_EFORMAT, source->name, "line %" PRId64 ", column %td: %s", line, at - start + 1,
                 what);
}

qn_status qn_mtx_fail_text(const qn_source *source, const char *at, const char *what) {
  const char *after = at, *end = end_of(source);
  while (after < end && after - at < 40 && !qn_io_is_blank(*after)) after++;
  if (after == at) return qn_mtx_fail(source, at, "%s is missing", what);
  char text[48];
  qn_io_printable(text, sizeof text, at, (size_t)(after - at));
  return qn_mtx_fail(source, at, "'%s' is not %s", text, what);
}

const char *qn_mtx_next(const char *at, const char *end, bool line_start) {
  for (;;) {
    while (at < end && qn_io_is_blank(*at)) line_start |= *at++ == '\n';
    if (at == end || *at != '%' || !line_start) return at;
    at = memchr(at, '\n', (size_t)(end - at));
    if (!at) return end;
  }
}

static const char *skip_within_line(const char *at, const char *end) {
  while (at < end && *at != '\n' && qn_io_is_blank(*at)) at++;
  return at;
}

/* Takes the next word of the header line; its place among `words` ends the list at NULL. */
static qn_status choose(const qn_source *source, const char **at, const char *const *words,
                        const char *what, int *choice) {
  const char *start = skip_within_line(*at, end_of(source)), *after = start;
  while (after < end_of(source) && !qn_io_is_blank(*after)) after++;
  for (*choice = 0; words[*choice]; (*choice)++) {
    size_t length = strlen(words[*choice]);
    if ((size_t)(after - start) != length || strncasecmp(start, words[*choice], length) != 0)
      continue;
    *at = after;
    return QN_OK;
  }
  return qn_mtx_fail_text(source, start, what);
}

static qn_status parse_banner(const qn_source *source, const char **at, qn_mtx_header *header) {
  static const char *const objects[] = {"matrix", NULL};
  static const char *const formats[] = {"array", "coordinate", NULL};
  static const char *const fields[] = {"real",    "double",  "integer", "unsigned-integer",
                                       "complex", "pattern", NULL};
  static const qn_mtx_field meanings[] = {QN_MTX_REAL,    QN_MTX_REAL,    QN_MTX_INTEGER,
                                          QN_MTX_INTEGER, QN_MTX_COMPLEX, QN_MTX_PATTERN};
  static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                           NULL};
  int object, format, field, symmetry;
  qn_status status = choose(source, at, objects, "the object 'matrix'", &object);
  if (status == QN_OK)
    status = choose(source, at, formats, "the format, array or coordinate", &format);
  if (status == QN_OK)
    status = choose(source, at, fields, "the field: real double integer complex pattern", &field);
  if (status == QN_OK)
    status = choose(source, at, symmetries,
                    "the symmetry: general symmetric skew-symmetric hermitian", &symmetry);
  if (status != QN_OK) return status;
  header->coordinate = format == 1;
  header->field = meanings[field];
  header->symmetry = (qn_mtx_symmetry)symmetry;
  *at = skip_within_line(*at, end_of(source));
  if (*at < end_of(source) && **at != '\n')
    return qn_mtx_fail_text(source, *at, "the end of the header line");
  return QN_OK;
}

static qn_status check_combination(const qn_source *source, const qn_mtx_header *header) {
  const char *at = start_of(source);
  if (header->field == QN_MTX_PATTERN && !header->coordinate)
    return qn_mtx_fail(source, at, "a pattern has coordinates; an array of it has no meaning");
  if (header->field == QN_MTX_PATTERN && header->symmetry == QN_MTX_SKEW)
    return qn_mtx_fail(source, at, "a pattern of ones cannot be skew-symmetric");
  if (header->field != QN_MTX_COMPLEX && header->symmetry == QN_MTX_HERMITIAN)
    return qn_mtx_fail(source, at, "only a complex matrix is hermitian");
  return QN_OK;
}

static qn_status parse_sizes(const qn_source *source, const char *at, qn_mtx_header *header) {
  static const char *const names[] = {"the number of rows", "the number of columns",
                                      "the number of entries"};
  const char *end = end_of(source);
  int64_t *const sizes[] = {&header->rows, &header->cols, &header->entries};
  header->sizes = at = qn_mtx_next(at, end, false);
  for (int i = 0; i < (header->coordinate ? 3 : 2); i++) {
    at = skip_within_line(at, end);
    const char *after = qn_io_scan_index(at, end, sizes[i]);
    if (!after) return qn_mtx_fail_text(source, at, names[i]);
    at = after;
  }
  header->body = skip_within_line(at, end);
  if (header->body < end && *header->body != '\n')
    return qn_mtx_fail_text(source, header->body, "the end of the line of sizes");
  if (header->symmetry != QN_MTX_GENERAL && header->rows != header->cols)
    return qn_mtx_fail(source, header->sizes, "%" PRId64 " x %" PRId64 " is not square",
                       header->rows, header->cols);
  return QN_OK;
}

/* The values an array of this shape has in its file; false where they are past counting. */
static bool array_entries(const qn_mtx_header *header, int64_t *entries) {
  if (header->symmetry == QN_MTX_GENERAL || header->rows == 0)
    return !__builtin_mul_overflow(header->rows, header->cols, entries);
  /* a triangle: 1 + 2 + ... + last */
  uint64_t last = (uint64_t)header->rows - (header->symmetry == QN_MTX_SKEW);
  uint64_t half = last % 2 ? (last + 1) / 2 : last / 2, whole = last % 2 ? last : last + 1;
  return !__builtin_mul_overflow(half, whole, entries);
}

/* Every number needs two bytes at least, so that a line of sizes that lies is found out before any
 * memory is asked for. */
static qn_status count_array(const qn_source *source, qn_mtx_header *header) {
  int64_t room = (end_of(source) - header->body + 1) / 2;
  if (header->field == QN_MTX_COMPLEX) room /= 2;
  if (array_entries(header, &header->entries) && header->entries <= room) return QN_OK;
  return qn_mtx_fail(source, header->sizes,
                     "%" PRId64 " x %" PRId64 " needs more entries than the file has room for",
                     header->rows, header->cols);
}

bool qn_mtx_recognise(const qn_source *source) {
  size_t length = sizeof banner - 1;
  return source->size >= length && strncasecmp(start_of(source), banner, length) == 0;
}

qn_status qn_mtx_parse(const qn_source *source, qn_mtx_header *header) {
  const char *at = start_of(source) + sizeof banner - 1;
  memset(header, 0, sizeof *header);
  qn_status status = parse_banner(source, &at, header);
  if (status == QN_OK) status = check_combination(source, header);
  if (status == QN_OK) status = parse_sizes(source, at, header);
  if (status == QN_OK && !header->coordinate) status = count_array(source, header);
  return status;
}
