/* JSON, built as a tree and printed: jansson where the build had it. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_t cli_json;

/* Whether this build can write JSON; if not, `cli_json_missing` says what it lacks and nothing
 * else here does anything. */
bool cli_json_available(void);
extern const char cli_json_missing[];

cli_json *cli_json_object(void);
cli_json *cli_json_array(void);
void cli_json_text(cli_json *object, const char *key, const char *text);
void cli_json_integer(cli_json *object, const char *key, int64_t value);
/* null where the value is not finite. */
void cli_json_number(cli_json *object, const char *key, double value);
void cli_json_truth(cli_json *object, const char *key, bool value);
/* These two take `value` over. */
void cli_json_set(cli_json *object, const char *key, cli_json *value);
void cli_json_push(cli_json *array, cli_json *value);
void cli_json_push_text(cli_json *array, const char *text);
void cli_json_push_integer(cli_json *array, int64_t value);

/* ---- reading: what is not there, or of another kind, is NULL, NAN or "" ---- */

/* The whole file, or NULL with the reason in `error`. Free it with cli_json_free. */
cli_json *cli_json_load(const char *path, char *error, size_t error_size);
const cli_json *cli_json_get(const cli_json *object, const char *key);
size_t cli_json_count(const cli_json *array);
const cli_json *cli_json_at(const cli_json *array, size_t index);
double cli_json_get_number(const cli_json *object, const char *key);
const char *cli_json_get_text(const cli_json *object, const char *key);

/* Prints with an indent and a last newline; false when that failed. */
bool cli_json_print(const cli_json *root, FILE *file);
void cli_json_free(cli_json *root);

#endif
