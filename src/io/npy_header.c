/* The header of a .npy file: a small strict parser for the one Python literal it holds. */
#include "io/npy.h"
#include "core/core.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[QN_NPY_MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum {
  LENGTH_MAX = 1 << 16, /* no header of a plain array is near this; NumPy itself stops at 10000 */
  RANK_MAX = 2,
  HOST_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
};

/* Where the parser stands; `start` is the dictionary's first byte, for positions in errors. */
typedef struct cursor {
  const char *at, *end, *start;
  const char *file;
} cursor;

static qn_status fail_here(const cursor *c, const char *what) {
  char found[32];
  if (c->at == c->end) return qn_fail(QN_EFORMAT, c->file, "the header ends before %s", what);
  qn_io_printable(found, sizeof found, c->at, 1);
  return qn_fail(QN_EFORMAT, c->file, "byte %zu of the header is '%s', not %s",
                 (size_t)(c->at - c->start), found, what);
}

static void skip_space(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r'))) c->at++;
}

/* Passes over `byte` and the space before it. */
static bool accept(cursor *c, char byte) {
  skip_space(c);
  if (c->at == c->end || *c->at != byte) return false;
  c->at++;
  return true;
}

static bool accept_word(cursor *c, const char *word) {
  size_t length = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
  c->at += length;
  return true;
}

/* A string in either kind of quotes, without escapes: no plain array's header needs them. Python 2
 * may have written a u before it. */
static qn_status parse_string(cursor *c, const char *what, char *out, size_t capacity) {
  skip_space(c);
  if (c->at + 1 < c->end && *c->at == 'u' && (c->at[1] == '\'' || c->at[1] == '"')) c->at++;
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return fail_here(c, what);
  char quote = *c->at++;
  const char *text = c->at;
  while (c->at < c->end && *c->at != quote && *c->at != '\\' && *c->at != '\n') c->at++;
  if (c->at == c->end || *c->at != quote) return fail_here(c, "the closing quote of a string");
  qn_io_printable(out, capacity, text, (size_t)(c->at - text));
  c->at++;
  return QN_OK;
}

/* The letter of one type and its size, as in "f8". */
static bool dtype_of(const char *code, const qn_dtype *want, qn_dtype *dtype) {
  static const struct {
    const char *code;
    qn_dtype dtype;
  } known[] = {{"f2", QN_F16}, {"f4", QN_F32}, {"f8", QN_F64}, {"c8", QN_C64}, {"c16", QN_C128}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(code, known[i].code) == 0) {
      *dtype = known[i].dtype;
      return true;
    }
  }
  if (strcmp(code, "V2") != 0 || !want || *want != QN_BF16) return false;
  *dtype = QN_BF16;
  return true;
}

static qn_status parse_descr(cursor *c, const qn_dtype *want, qn_npy_header *header) {
  char text[32];
  skip_space(c);
  if (c->at < c->end && *c->at == '[')
    return qn_fail(QN_EFORMAT, c->file, "holds records (a structured dtype), not numbers");
  qn_status status = parse_string(c, "the dtype, a string", text, sizeof text);
  if (status != QN_OK) return status;
  const char *code = text;
  char order = '=';
  if (*code && strchr("<>=|", *code)) order = *code++;
  header->swapped = order == (HOST_BIG_ENDIAN ? '<' : '>');
  if (dtype_of(code, want, &header->dtype)) return QN_OK;
  if (*code == 'O')
    return qn_fail(QN_EFORMAT, c->file, "holds pickled Python objects (dtype 'O'), not numbers");
  if (strcmp(code, "V2") == 0)
    return qn_fail(QN_EFORMAT, c->file,
                   "dtype '%s' has no meaning of its own; ask for bf16 if it is that", text);
  if (*code && strchr("iub?", *code))
    return qn_fail(QN_EFORMAT, c->file,
                   "holds integers or truth values (dtype '%s'); save it .astype('f8')", text);
  return qn_fail(QN_EFORMAT, c->file, "dtype '%s' is none of f2 f4 f8 c8 c16", text);
}

static qn_status parse_order(cursor *c, qn_npy_header *header) {
  if (accept_word(c, "True"))
    header->fortran = true;
  else if (accept_word(c, "False"))
    header->fortran = false;
  else
    return fail_here(c, "True or False");
  return QN_OK;
}

static qn_status parse_length(cursor *c, int64_t *length) {
  skip_space(c);
  if (c->at < c->end && *c->at == '-')
    return qn_fail(QN_EFORMAT, c->file, "the shape has a negative length");
  if (c->at == c->end || !isdigit((unsigned char)*c->at)) return fail_here(c, "a length");
  int64_t value = 0;
  for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *c->at - '0', &value))
      return qn_fail(QN_EFORMAT, c->file, "a length in the shape is above 2^63");
  if (c->at < c->end && *c->at == 'L') c->at++; /* a long of Python 2 */
  *length = value;
  return QN_OK;
}

/* A tuple: "()", "(5,)", "(3, 4)", "(3, 4, )". One length needs its comma, as in Python. */
static qn_status parse_shape(cursor *c, qn_npy_header *header) {
  int64_t lengths[RANK_MAX] = {1, 1};
  int rank = 0;
  bool comma = true;
  if (!accept(c, '(')) return fail_here(c, "the shape, a tuple");
  while (!accept(c, ')')) {
    if (!comma) return fail_here(c, "a comma or the end of the shape");
    int64_t length = 0;
    qn_status status = parse_length(c, &length);
    if (status != QN_OK) return status;
    if (rank < RANK_MAX) lengths[rank] = length;
    rank++;
    comma = accept(c, ',');
  }
  if (rank == 1 && !comma) return qn_fail(QN_EFORMAT, c->file, "the shape is a number, no tuple");
  if (rank > RANK_MAX)
    return qn_fail(QN_EFORMAT, c->file, "has %d dimensions; a matrix has at most 2", rank);
  header->rows = lengths[0];
  header->cols = lengths[1];
  return QN_OK;
}

enum { KEYS = 3 };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

static qn_status parse_value(cursor *c, int key, const qn_dtype *want, qn_npy_header *header) {
  switch (key) {
  case 0:
    return parse_descr(c, want, header);
  case 1:
    return parse_order(c, header);
  default:
    return parse_shape(c, header);
  }
}

static qn_status parse_entry(cursor *c, const qn_dtype *want, bool seen[KEYS],
                             qn_npy_header *header) {
  char name[32];
  qn_status status = parse_string(c, "a key, a string", name, sizeof name);
  if (status != QN_OK) return status;
  int key = 0;
  while (key < KEYS && strcmp(name, keys[key]) != 0) key++;
  if (key == KEYS) return qn_fail(QN_EFORMAT, c->file, "the header has an unknown key '%s'", name);
  if (seen[key]) return qn_fail(QN_EFORMAT, c->file, "the header has the key '%s' twice", name);
  seen[key] = true;
  if (!accept(c, ':')) return fail_here(c, "a colon");
  return parse_value(c, key, want, header);
}

static qn_status parse_dictionary(cursor *c, const qn_dtype *want, qn_npy_header *header) {
  bool seen[KEYS] = {false};
  bool comma = true;
  if (!accept(c, '{')) return fail_here(c, "a dictionary");
  while (!accept(c, '}')) {
    if (!comma) return fail_here(c, "a comma or the end of the dictionary");
    qn_status status = parse_entry(c, want, seen, header);
    if (status != QN_OK) return status;
    comma = accept(c, ',');
  }
  skip_space(c);
  if (c->at != c->end) return fail_here(c, "the end of the header");
  for (int key = 0; key < KEYS; key++)
    if (!seen[key]) return qn_fail(QN_EFORMAT, c->file, "the header lacks the key '%s'", keys[key]);
  return QN_OK;
}

/* Compares what the shape needs with what the file has. Bytes after the elements are allowed: NumPy
 * reads the first of several arrays saved to one file, and so do we. */
static qn_status check_size(const qn_source *source, qn_npy_header *header) {
  size_t held = source->size - header->offset;
  if (!qn_mul_size((size_t)header->rows, (size_t)header->cols, &header->bytes) ||
      !qn_mul_size(header->bytes, qn_dtype_size(header->dtype), &header->bytes) ||
      header->bytes > (size_t)PTRDIFF_MAX)
    return qn_fail(QN_EFORMAT, source->name,
                   "a shape of %" PRId64 " x %" PRId64 " is more than any memory can hold",
                   header->rows, header->cols);
  if (held < header->bytes)
    return qn_fail(QN_EFORMAT, source->name,
                   "is cut short: %" PRId64 " x %" PRId64 " of %s needs %zu bytes after the header"
                   " and %zu are there",
                   header->rows, header->cols, qn_dtype_name(header->dtype), header->bytes, held);
  header->beyond = held - header->bytes;
  return QN_OK;
}

bool qn_npy_recognise(const qn_source *source) {
  return source->size >= sizeof magic && memcmp(source->data, magic, sizeof magic) == 0;
}

qn_status qn_npy_parse(const qn_source *source, const qn_dtype *want, qn_npy_header *header) {
  const unsigned char *data = source->data;
  const char *file = source->name;
  memset(header, 0, sizeof *header);
  if (source->size < sizeof magic + 2)
    return qn_fail(QN_EFORMAT, file, "is cut short: a .npy file of %zu bytes", source->size);
  unsigned version = data[6];
  if (version < 1 || version > 3 || data[7] != 0)
    return qn_fail(QN_EFORMAT, file, "is .npy version %u.%u; known are 1.0, 2.0 and 3.0", version,
                   data[7]);
  size_t width = version == 1 ? 2 : 4, start = sizeof magic + 2 + width;
  if (source->size < start)
    return qn_fail(QN_EFORMAT, file, "is cut short: a .npy file of %zu bytes", source->size);
  size_t length = 0;
  for (size_t i = 0; i < width; i++) length |= (size_t)data[8 + i] << 8 * i;
  if (length > LENGTH_MAX)
    return qn_fail(QN_EFORMAT, file, "states a header of %zu bytes; a matrix needs about 100",
                   length);
  if (length > source->size - start)
    return qn_fail(QN_EFORMAT, file,
                   "is cut short: states a header of %zu bytes and has %zu after its length",
                   length, source->size - start);
  const char *text = (const char *)data + start;
  cursor c = {text, text + length, text, file};
  qn_status status = parse_dictionary(&c, want, header);
  if (status != QN_OK) return status;
  header->offset = start + length;
  return check_size(source, header);
}

size_t qn_npy_format(char out[QN_NPY_HEADER_MAX], qn_dtype dtype, int64_t rows, int64_t cols) {
  static const char *const codes[QN_DTYPE_COUNT] = {
      [QN_F16] = "f2", [QN_BF16] = "V2", [QN_F32] = "f4",
      [QN_F64] = "f8", [QN_C64] = "c8",  [QN_C128] = "c16",
  };
  enum { START = QN_NPY_MAGIC_BYTES + 4 };
  memcpy(out, magic, sizeof magic);
  int used =
      snprintf(out + START, QN_NPY_HEADER_MAX - START,
               "{'descr': '%c%s', 'fortran_order': True, 'shape': (%" PRId64 ", %" PRId64 "), }",
               HOST_BIG_ENDIAN ? '>' : '<', codes[dtype], rows, cols);
  size_t total = (size_t)qn_round_up(START + used + 1, 64);
  memset(out + START + used, ' ', total - START - (size_t)used);
  out[total - 1] = '\n';
  out[6] = 1;
  out[7] = 0;
  out[8] = (char)((total - START) & 0xff);
  out[9] = (char)((total - START) >> 8);
  return total;
}
