/* The values of options. */
#include "cli/values.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cli_option option) {
  return cli_options[option].name;
}

int cli_get_letter(const cli_args *args, cli_option option, const char *letters, int *letter) {
  const char *text = args->value[option];
  if (!text) return CLI_DONE;
  const int upper = toupper((unsigned char)text[0]);
  if (upper && !text[1] && strchr(letters, upper)) {
    *letter = upper;
    return CLI_DONE;
  }
  return cli_error(CLI_MISUSED, "--%s takes %s, not '%s'", name_of(option),
                   cli_options[option].value, text);
}

/* The library's numbers may begin with blanks, a value of ours may not. */
static bool begins_blank(const char *text) {
  return isspace((unsigned char)*text);
}

/* The end of a number that is one: strtod's nan(...) and hexadecimal are let through, an empty
 * text and one that overflows are not. */
static bool read_real(const char *text, char **end, double *value) {
  errno = 0;
  *value = strtod(text, end);
  return *end != text && !begins_blank(text) && !(errno == ERANGE && isinf(*value));
}

static bool is_unit(const char *text) {
  return (*text == 'i' || *text == 'j') && text[1] == '\0';
}

bool cli_read_scalar(const char *text, qn_scalar *s) {
  char *end;
  double value;
  *s = qn_real(0.0);
  const char *sign = text + (*text == '+' || *text == '-');
  if (is_unit(sign)) { /* i, -i */
    s->im = *text == '-' ? -1.0 : 1.0;
    return true;
  }
  if (!read_real(text, &end, &value)) return false;
  if (is_unit(end)) { /* 2i */
    s->im = value;
    return true;
  }
  s->re = value;
  if (*end == '\0') return true;
  if (*end != '+' && *end != '-') return false;
  if (is_unit(end + 1)) { /* 1+i */
    s->im = *end == '-' ? -1.0 : 1.0;
    return true;
  }
  return read_real(end, &end, &s->im) && is_unit(end);
}

int cli_get_scalar(const cli_args *args, cli_option option, qn_scalar *scalar) {
  const char *text = args->value[option];
  if (!text || cli_read_scalar(text, scalar)) return CLI_DONE;
  return cli_error(CLI_MISUSED, "--%s takes a number such as 2, -1e-3 or 1-2i, not '%s'",
                   name_of(option), text);
}

bool cli_read_integer(const char *text, int64_t low, int64_t high, int64_t *value) {
  char *end;
  errno = 0;
  const long long n = strtoll(text, &end, 10);
  if (errno || end == text || *end || begins_blank(text) || n < low || n > high) return false;
  *value = n;
  return true;
}

int cli_get_integer(const cli_args *args, cli_option option, int64_t low, int64_t high,
                    int64_t *value) {
  const char *text = args->value[option];
  if (!text || cli_read_integer(text, low, high, value)) return CLI_DONE;
  return cli_error(CLI_MISUSED, "--%s takes a whole number from %lld to %lld, not '%s'",
                   name_of(option), (long long)low, (long long)high, text);
}

int cli_get_bytes(const cli_args *args, cli_option option, int64_t low, int64_t high,
                  int64_t *value) {
  const char *text = args->value[option];
  if (!text) return CLI_DONE;
  char *end;
  errno = 0;
  const long long n = strtoll(text, &end, 10);
  static const char units[] = "KMG";
  const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
  const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  const bool whole =
      end != text && !begins_blank(text) && !errno && (*end == '\0' || (unit && end[1] == '\0'));
  if (whole && n >= 0 && n <= high >> shift && n << shift >= low) {
    *value = (int64_t)n << shift;
    return CLI_DONE;
  }
  return cli_error(CLI_MISUSED, "--%s takes %lld to %lld bytes, such as 64M, not '%s'",
                   name_of(option), (long long)low, (long long)high, text);
}

int cli_get_positive(const cli_args *args, cli_option option, double high, double *value) {
  const char *text = args->value[option];
  char *end;
  double seconds;
  if (!text) return CLI_DONE;
  if (read_real(text, &end, &seconds) && *end == '\0' && seconds > 0.0 && seconds <= high) {
    *value = seconds;
    return CLI_DONE;
  }
  return cli_error(CLI_MISUSED, "--%s takes a number above 0 and up to %g, not '%s'",
                   name_of(option), high, text);
}

int cli_get_dtype(const cli_args *args, cli_option option, qn_dtype *dtype) {
  const char *text = args->value[option];
  if (!text || qn_dtype_parse(text, dtype) == QN_OK) return CLI_DONE;
  return cli_error(CLI_MISUSED, "--%s takes f16 bf16 f32 f64 c64 or c128, not '%s'",
                   name_of(option), text);
}

int cli_get_list(const cli_args *args, cli_option option, const char *needs,
                 bool (*item)(void *user, const char *word), void *user) {
  const char *text = args->value[option];
  if (!text) return CLI_DONE;
  for (;;) {
    char word[32];
    const size_t length = strcspn(text, ",");
    bool good = length > 0 && length < sizeof word;
    if (good) {
      memcpy(word, text, length);
      word[length] = '\0';
      good = item(user, word);
    }
    if (!good)
      return cli_error(CLI_MISUSED, "--%s takes %s, not '%.*s'", name_of(option), needs,
                       (int)length, text);
    if (text[length] == '\0') return CLI_DONE;
    text += length + 1;
  }
}
