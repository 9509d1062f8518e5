/* The parser of epilogues: recursive descent, straight to operations on slots.
 *
 *   choice     comparison [? choice : choice]
 *   comparison sum [< <= > >= == != sum]
 *   sum        product {+ - product}
 *   product    sign {* / sign}
 *   sign       {+ -} value
 *   value      number | name | name ( choice {, choice} ) | ( choice )
 *
 * Temps are a stack: an operation takes its sources from the top and leaves its result there. How
 * deep the descent goes is counted, so that no text can exhaust the machine's stack. */
#define _GNU_SOURCE
#include "blas3/epilogue.h"
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const char *text, *at;
  qn_epilogue *e;
  unsigned temps, depth;
} parser;

static const char *const code_names[] = {
#define NAME(name, sources, complex) #name,
    QN_EPILOGUE_CODES(NAME)
#undef NAME
};
static const uint8_t code_sources[] = {
#define SOURCES(name, sources, complex) sources,
    QN_EPILOGUE_CODES(SOURCES)
#undef SOURCES
};
static const bool code_complex[] = {
#define COMPLEX(name, sources, complex) complex,
    QN_EPILOGUE_CODES(COMPLEX)
#undef COMPLEX
};

qn_epilogue_code qn_epilogue_function(const char *name) {
  int code = QN_EPI_min; /* the first that is written as a function */
  while (code < QN_EPI_COUNT && strcmp(code_names[code], name) != 0) code++;
  return (qn_epilogue_code)code;
}

/* ---- text ---- */

static unsigned column_of(const parser *p, const char *at) {
  return (unsigned)(at - p->text) + 1;
}

QN_PRINTF(3, 4)
static qn_status fail(const parser *p, const char *at, const char *format, ...) {
  char what[192];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return qn_fail(QN_EINVAL, "qn_epilogue_create", "column %u: %s", column_of(p, at), what);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* The next character that is no space. */
static char look(parser *p) {
  p->at += strspn(p->at, " \t\r\n");
  return *p->at;
}

/* What stands where something else was wanted. */
static qn_status unexpected(parser *p, const char *wanted) {
  unsigned char c = (unsigned char)look(p);
  if (c == 0) return fail(p, p->at, "the expression ends where %s should be", wanted);
  if (c < 0x20 || c > 0x7e) return fail(p, p->at, "byte 0x%02x where %s should be", c, wanted);
  return fail(p, p->at, "'%c' where %s should be", c, wanted);
}

static qn_status expect(parser *p, char c, const char *wanted) {
  if (look(p) != c) return unexpected(p, wanted);
  p->at++;
  return QN_OK;
}

/* ---- operations ---- */

static qn_status emit(parser *p, const char *at, qn_epilogue_code code, const uint8_t *source,
                      uint8_t *target) {
  qn_epilogue_program *program = &p->e->program;
  if (program->ops == QN_EPILOGUE_OPS)
    return fail(p, at, "more than %d operations", QN_EPILOGUE_OPS);
  qn_epilogue_op *op = &program->op[program->ops++];
  *op = (qn_epilogue_op){.code = (uint8_t)code};
  for (int i = 0; i < code_sources[code]; i++) {
    op->source[i] = source[i];
    if (source[i] >= QN_SLOT_TEMP) p->temps--;
  }
  if (p->temps == QN_EPILOGUE_TEMPS)
    return fail(p, at, "more than %d values wait for their operation", QN_EPILOGUE_TEMPS);
  *target = op->target = (uint8_t)(QN_SLOT_TEMP + p->temps++);
  if (p->temps > program->temps) program->temps = p->temps;
  if (!code_complex[code] && !p->e->real_column) {
    size_t length = 0;
    while (is_word(at[length])) length++;
    if (length == 0) length = at[1] == '=' ? 2 : 1; /* a comparison */
    snprintf(p->e->real_name, sizeof p->e->real_name, "%.*s", (int)length, at);
    p->e->real_column = column_of(p, at);
  }
  return QN_OK;
}

static qn_status add_constant(parser *p, const char *at, double value, uint8_t *slot) {
  qn_epilogue_program *program = &p->e->program;
  unsigned i = 0;
  while (i < program->constants &&
         (program->constant[i] != value || signbit(program->constant[i]) != signbit(value)))
    i++;
  if (i == QN_EPILOGUE_CONSTANTS)
    return fail(p, at, "more than %d different numbers", QN_EPILOGUE_CONSTANTS);
  program->constant[i] = value;
  if (i == program->constants) program->constants++;
  *slot = (uint8_t)(QN_SLOT_CONSTANT + i);
  return QN_OK;
}

/* ---- the grammar ---- */

static qn_status choice(parser *p, uint8_t *slot);

/* The number's end; NULL where it is none. */
static const char *scan_number(const char *at) {
  const char *start = at;
  while (is_digit(*at)) at++;
  size_t digits = (size_t)(at - start);
  if (*at == '.') {
    const char *point = at++;
    while (is_digit(*at)) at++;
    digits += (size_t)(at - point) - 1;
  }
  if (digits == 0) return NULL;
  if (*at == 'e' || *at == 'E') {
    const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
    if (!is_digit(*exponent)) return NULL;
    for (at = exponent; is_digit(*at); at++) continue;
  }
  return is_word(*at) || *at == '.' ? NULL : at;
}

static qn_status number(parser *p, uint8_t *slot) {
  const char *start = p->at, *end = scan_number(start);
  if (!end) return fail(p, start, "a number such as 2, .5 or 1e-3 is malformed");
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* the host's may write 0,5 */
  if (!plain) return qn_fail(QN_ENOMEM, "qn_epilogue_create", "no memory for a locale");
  double value = strtod_l(start, NULL, plain);
  freelocale(plain);
  p->at = end;
  return add_constant(p, start, value, slot);
}

static qn_status call(parser *p, const char *name, const char *start, uint8_t *slot) {
  qn_epilogue_code code = qn_epilogue_function(name);
  if (code == QN_EPI_COUNT) return fail(p, start, "unknown function '%s'", name);
  unsigned wanted = code_sources[code];
  uint8_t source[3];
  p->at++;
  for (unsigned i = 0; i < wanted; i++) {
    if (i > 0 && look(p) == ')')
      return fail(p, p->at, "%s takes %u arguments, not %u", name, wanted, i);
    if (i > 0) QN_TRY(expect(p, ',', "a comma"));
    QN_TRY(choice(p, &source[i]));
  }
  if (look(p) == ',')
    return fail(p, p->at, "%s takes %u argument%s", name, wanted, wanted > 1 ? "s" : "");
  QN_TRY(expect(p, ')', "')'"));
  return emit(p, start, code, source, slot);
}

static qn_status variable(parser *p, const char *name, const char *start, uint8_t *slot) {
  qn_epilogue *e = p->e;
  for (unsigned i = 0; i < QN_EPILOGUE_NAMES; i++) {
    if (strcmp(e->name[i], name) != 0) continue;
    if (!qn_epilogue_reads(&e->program, i)) e->column[i] = column_of(p, start);
    e->program.uses |= 1u << i;
    *slot = (uint8_t)i;
    return QN_OK;
  }
  if (qn_epilogue_function(name) != QN_EPI_COUNT)
    return fail(p, start, "%s is a function: %s(...)", name, name);
  return fail(p, start,
              "unknown name '%s'; there are acc c row col bias_m bias_n residual and those that "
              "were declared",
              name);
}

static qn_status name_or_call(parser *p, uint8_t *slot) {
  const char *start = p->at;
  char name[QN_EPILOGUE_NAME] = "";
  size_t length = 0;
  while (is_word(*p->at)) {
    if (length + 1 < sizeof name) name[length] = *p->at;
    length++;
    p->at++;
  }
  if (length >= sizeof name) return fail(p, start, "unknown name '%s...'", name);
  return look(p) == '(' ? call(p, name, start, slot) : variable(p, name, start, slot);
}

static qn_status value(parser *p, uint8_t *slot) {
  char c = look(p);
  if (is_digit(c) || c == '.') return number(p, slot);
  if (is_word(c)) return name_or_call(p, slot);
  if (c != '(') return unexpected(p, "a value");
  p->at++;
  QN_TRY(choice(p, slot));
  return expect(p, ')', "')'");
}

static qn_status negate(parser *p, const char *at, uint8_t *slot) {
  if (*slot >= QN_SLOT_CONSTANT && *slot < QN_SLOT_TEMP)
    return add_constant(p, at, -p->e->program.constant[*slot - QN_SLOT_CONSTANT], slot);
  return emit(p, at, QN_EPI_neg, slot, slot);
}

static qn_status sign(parser *p, uint8_t *slot) {
  bool minus = false;
  const char *at = NULL; /* the first sign */
  for (char c; (c = look(p)) == '-' || c == '+'; p->at++) {
    minus ^= c == '-';
    if (!at) at = p->at;
  }
  QN_TRY(value(p, slot));
  return minus ? negate(p, at, slot) : QN_OK;
}

static qn_status product(parser *p, uint8_t *slot) {
  QN_TRY(sign(p, slot));
  for (char c; (c = look(p)) == '*' || c == '/';) {
    const char *at = p->at++;
    uint8_t source[2] = {*slot};
    QN_TRY(sign(p, &source[1]));
    QN_TRY(emit(p, at, c == '*' ? QN_EPI_mul : QN_EPI_div, source, slot));
  }
  return QN_OK;
}

static qn_status sum(parser *p, uint8_t *slot) {
  QN_TRY(product(p, slot));
  for (char c; (c = look(p)) == '+' || c == '-';) {
    const char *at = p->at++;
    uint8_t source[2] = {*slot};
    QN_TRY(product(p, &source[1]));
    QN_TRY(emit(p, at, c == '+' ? QN_EPI_add : QN_EPI_sub, source, slot));
  }
  return QN_OK;
}

/* The comparison that begins here, and how long it is; QN_EPI_COUNT for none. */
static qn_epilogue_code look_comparison(parser *p, size_t *length) {
  char c = look(p);
  bool equal = c && p->at[1] == '=';
  *length = equal ? 2 : 1;
  switch (c) {
  case '<':
    return equal ? QN_EPI_le : QN_EPI_lt;
  case '>':
    return equal ? QN_EPI_ge : QN_EPI_gt;
  case '=':
    return equal ? QN_EPI_eq : QN_EPI_COUNT;
  case '!':
    return equal ? QN_EPI_ne : QN_EPI_COUNT;
  default:
    return QN_EPI_COUNT;
  }
}

static qn_status comparison(parser *p, uint8_t *slot) {
  QN_TRY(sum(p, slot));
  size_t length;
  qn_epilogue_code code = look_comparison(p, &length);
  if (code == QN_EPI_COUNT) return QN_OK;
  const char *at = p->at;
  p->at += length;
  uint8_t source[2] = {*slot};
  QN_TRY(sum(p, &source[1]));
  if (look_comparison(p, &length) != QN_EPI_COUNT)
    return fail(p, p->at, "comparisons do not chain; put one in parentheses");
  return emit(p, at, code, source, slot);
}

static qn_status choice(parser *p, uint8_t *slot) {
  if (p->depth == QN_EPILOGUE_NESTING)
    return fail(p, p->at, "nested more than %d deep", QN_EPILOGUE_NESTING);
  p->depth++;
  QN_TRY(comparison(p, slot));
  if (look(p) == '?') {
    const char *at = p->at++;
    uint8_t source[3] = {*slot};
    QN_TRY(choice(p, &source[1]));
    QN_TRY(expect(p, ':', "':'"));
    QN_TRY(choice(p, &source[2]));
    QN_TRY(emit(p, at, QN_EPI_select, source, slot));
  }
  p->depth--;
  return QN_OK;
}

qn_status qn_epilogue_parse(const char *expression, qn_epilogue *e) {
  parser p = {.text = expression, .at = expression, .e = e};
  if (strnlen(expression, QN_EPILOGUE_LENGTH + 1) > QN_EPILOGUE_LENGTH)
    return fail(&p, expression + QN_EPILOGUE_LENGTH, "the expression is longer than %d characters",
                QN_EPILOGUE_LENGTH);
  uint8_t slot;
  QN_TRY(choice(&p, &slot));
  if (look(&p)) return unexpected(&p, "an operator or the end");
  if (slot >= QN_SLOT_TEMP) return QN_OK;
  return emit(&p, expression, QN_EPI_copy, &slot, &slot); /* a value alone */
}
