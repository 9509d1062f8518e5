/* The values of options: letters, numbers, names and lists of them.
 *
 * Each returns CLI_DONE or, after an error message that names the option, CLI_MISUSED; an option
 * that was not given leaves the target as it is. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "cli/cli.h"

/* A letter out of `letters`, in any case. */
int cli_get_letter(const cli_args *args, cli_option option, const char *letters, int *letter);

/* A number; with an imaginary part as in 1-2i, -i or 3i. The second reads one that fills the text.
 */
int cli_get_scalar(const cli_args *args, cli_option option, qn_scalar *scalar);
bool cli_read_scalar(const char *text, qn_scalar *scalar);

/* A whole number from low to high. */
int cli_get_integer(const cli_args *args, cli_option option, int64_t low, int64_t high,
                    int64_t *value);

/* A number of bytes, with K, M or G behind it or without. */
int cli_get_bytes(const cli_args *args, cli_option option, int64_t low, int64_t high,
                  int64_t *value);

/* A number above 0, at most `high`. */
int cli_get_positive(const cli_args *args, cli_option option, double high, double *value);

int cli_get_dtype(const cli_args *args, cli_option option, qn_dtype *dtype);

/* Calls `item` for each of the words that commas part; it returns false for one it cannot use, and
 * `needs` then says what it can. */
int cli_get_list(const cli_args *args, cli_option option, const char *needs,
                 bool (*item)(void *user, const char *word), void *user);

/* A whole number that fills the text; false otherwise. */
bool cli_read_integer(const char *text, int64_t low, int64_t high, int64_t *value);

#endif
