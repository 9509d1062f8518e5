/* Small files for the tests of src/io. */
#include "io/files.h"
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

int files_setup(void **state) {
  (void)state;
  const char *root = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/quern-io-XXXXXX", root && *root ? root : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

int files_teardown(void **state) {
  (void)state;
  DIR *names = opendir(folder);
  if (!names) return -1;
  for (struct dirent *entry; (entry = readdir(names));) {
    const char *path = file_path(entry->d_name);
    if (unlink(path) != 0) rmdir(path);
  }
  closedir(names);
  return rmdir(folder);
}

const char *files_folder(void) {
  return folder;
}

const char *file_path(const char *name) {
  enum { TURNS = 8 };
  static char paths[TURNS][2 * PATH_MAX];
  static int turn;
  char *path = paths[turn++ % TURNS];
  snprintf(path, sizeof *paths, "%s/%s", folder, name);
  return path;
}

const char *file_with(const char *name, const void *bytes, size_t size) {
  const char *path = file_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return path;
}

const char *file_with_text(const char *name, const char *text) {
  return file_with(name, text, strlen(text));
}

const char *file_bytes(const char *path, size_t *size) {
  static char bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  *size = fread(bytes, 1, sizeof bytes - 1, file);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

int files_count(void) {
  int count = 0;
  DIR *names = opendir(folder);
  assert_non_null(names);
  for (struct dirent *entry; (entry = readdir(names));)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(names);
  return count;
}

const char *npy_file(const char *name, int version, const char *dictionary, const void *data,
                     size_t size) {
  static unsigned char bytes[1 << 20];
  size_t start = version == 1 ? 10 : 12, length = strlen(dictionary);
  size_t total = (start + length + 1 + 63) / 64 * 64;
  assert_true(total + size <= sizeof bytes);
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (unsigned char)version;
  bytes[7] = 0;
  for (size_t i = 8; i < start; i++) bytes[i] = (unsigned char)((total - start) >> 8 * (i - 8));
  memcpy(bytes + start, dictionary, length);
  memset(bytes + start + length, ' ', total - start - length);
  bytes[total - 1] = '\n';
  if (size) memcpy(bytes + total, data, size);
  return file_with(name, bytes, total + size);
}

void assert_one_line(const char *path, const char *part) {
  const char *error = qn_last_error();
  const char *name = strrchr(path, '/') + 1;
  if (!strstr(error, name)) fail_msg("'%s' does not name %s", error, name);
  if (strchr(error, '\n')) fail_msg("'%s' is more than a line", error);
  if (!strstr(error, part)) fail_msg("'%s' does not say '%s'", error, part);
}

void assert_open_fails(const char *path, qn_status status, ...) {
  qn_file_matrix m;
  memset(&m, 0xff, sizeof m);
  qn_status got = qn_io_open(path, &m);
  if (got != status) fail_msg("%s gave %s: %s", path, qn_status_string(got), qn_last_error());
  assert_null(m.data);
  assert_null(m.base);
  va_list parts;
  va_start(parts, status);
  for (const char *part; (part = va_arg(parts, const char *));) assert_one_line(path, part);
  va_end(parts);
  qn_io_close(&m);
}
