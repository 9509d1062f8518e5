/* Decimal numbers in text: read with correct rounding, written with the fewest digits. Neither
 * depends on the locale. */
#ifndef QN_IO_NUMBER_H
#define QN_IO_NUMBER_H

#include <quern/types.h>

enum { QN_IO_REAL_BYTES = 32 }; /* room for any number that is written */

static inline bool qn_io_is_blank(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Each reads one number that starts at `at` and ends before a blank or `end`, and returns where it
 * ends; NULL if there is none such.
 * real   : decimal, the exponent after e, d or q of either case or, Fortran's way, after its sign
 *          alone; nan and inf (infinity, nan(...)) in any case. The nearest f64, ties to even.
 * integer: digits with a sign or none, to the nearest f64.
 * index  : digits, below 2^63. */
const char *qn_io_scan_real(const char *at, const char *end, double *value);
const char *qn_io_scan_integer(const char *at, const char *end, double *value);
const char *qn_io_scan_index(const char *at, const char *end, int64_t *value);

/* Writes a value of `dtype` (or of its real type) that is held in f64: the fewest digits that read
 * back as the same value of that type, also by way of f64. Returns the length, without a NUL. */
size_t qn_io_format_real(char out[QN_IO_REAL_BYTES], double value, qn_dtype dtype);

#endif
