/* JSON by jansson. */
#include "cli/json.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

const char cli_json_missing[] = "";

bool cli_json_available(void) {
  return true;
}
cli_json *cli_json_object(void) {
  return json_object();
}
cli_json *cli_json_array(void) {
  return json_array();
}
void cli_json_text(cli_json *object, const char *key, const char *text) {
  json_object_set_new(object, key, json_string(text));
}
void cli_json_integer(cli_json *object, const char *key, int64_t value) {
  json_object_set_new(object, key, json_integer(value));
}
void cli_json_number(cli_json *object, const char *key, double value) {
  json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}
void cli_json_truth(cli_json *object, const char *key, bool value) {
  json_object_set_new(object, key, json_boolean(value));
}
void cli_json_set(cli_json *object, const char *key, cli_json *value) {
  json_object_set_new(object, key, value);
}
void cli_json_push(cli_json *array, cli_json *value) {
  json_array_append_new(array, value);
}
void cli_json_push_text(cli_json *array, const char *text) {
  json_array_append_new(array, json_string(text));
}
void cli_json_push_integer(cli_json *array, int64_t value) {
  json_array_append_new(array, json_integer(value));
}
cli_json *cli_json_load(const char *path, char *error, size_t error_size) {
  json_error_t reason;
  FILE *file = fopen(path, "r");
  if (!file) {
    snprintf(error, error_size, "cannot open: %s", strerror(errno));
    return NULL;
  }
  json_t *root = json_loadf(file, 0, &reason);
  fclose(file);
  if (!root && reason.line > 0) {
    snprintf(error, error_size, "line %d: %s", reason.line, reason.text);
  } else if (!root) {
    snprintf(error, error_size, "%s", reason.text);
  }
  return root;
}
const cli_json *cli_json_get(const cli_json *object, const char *key) {
  return json_object_get(object, key);
}
size_t cli_json_count(const cli_json *array) {
  return json_array_size(array);
}
const cli_json *cli_json_at(const cli_json *array, size_t index) {
  return json_array_get(array, index);
}
double cli_json_get_number(const cli_json *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}
const char *cli_json_get_text(const cli_json *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}
bool cli_json_print(const cli_json *root, FILE *file) {
  return json_dumpf(root, file, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 &&
         fputc('\n', file) != EOF;
}
void cli_json_free(cli_json *root) {
  json_decref(root);
}
