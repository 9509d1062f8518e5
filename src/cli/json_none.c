/* The build without jansson: everything answers that there is no JSON. */
#include "cli/json.h"
#include <math.h>

const char cli_json_missing[] =
    "this build has no JSON: the package libjansson-dev was missing when it was configured";

bool cli_json_available(void) {
  return false;
}
cli_json *cli_json_object(void) {
  return NULL;
}
cli_json *cli_json_array(void) {
  return NULL;
}
void cli_json_text(cli_json *object, const char *key, const char *text) {
  (void)object, (void)key, (void)text;
}
void cli_json_integer(cli_json *object, const char *key, int64_t value) {
  (void)object, (void)key, (void)value;
}
void cli_json_number(cli_json *object, const char *key, double value) {
  (void)object, (void)key, (void)value;
}
void cli_json_truth(cli_json *object, const char *key, bool value) {
  (void)object, (void)key, (void)value;
}
void cli_json_set(cli_json *object, const char *key, cli_json *value) {
  (void)object, (void)key, (void)value;
}
void cli_json_push(cli_json *array, cli_json *value) {
  (void)array, (void)value;
}
void cli_json_push_text(cli_json *array, const char *text) {
  (void)array, (void)text;
}
void cli_json_push_integer(cli_json *array, int64_t value) {
  (void)array, (void)value;
}
cli_json *cli_json_load(const char *path, char *error, size_t error_size) {
  (void)path;
  snprintf(error, error_size, "%s", cli_json_missing);
  return NULL;
}
const cli_json *cli_json_get(const cli_json *object, const char *key) {
  (void)object, (void)key;
  return NULL;
}
size_t cli_json_count(const cli_json *array) {
  (void)array;
  return 0;
}
const cli_json *cli_json_at(const cli_json *array, size_t index) {
  (void)array, (void)index;
  return NULL;
}
double cli_json_get_number(const cli_json *object, const char *key) {
  (void)object, (void)key;
  return NAN;
}
const char *cli_json_get_text(const cli_json *object, const char *key) {
  (void)object, (void)key;
  return "";
}
bool cli_json_print(const cli_json *root, FILE *file) {
  (void)root, (void)file;
  return false;
}
void cli_json_free(cli_json *root) {
  (void)root;
}
