/* The build without jansson: everything answers that there is no JSON. */
#include "cli/json.h"

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
bool cli_json_print(const cli_json *root, FILE *file) {
  (void)root, (void)file;
  return false;
}
void cli_json_free(cli_json *root) {
  (void)root;
}
