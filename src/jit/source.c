/* The registry of embedded kernel sources and the expansion of their includes. */
#include "jit/source.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 32, MAX_NAME = 128, MAX_FILE_BYTES = 1 << 20 };

const qn_embedded *qn_embedded_find(const char *name) {
  for (unsigned i = 0; i < qn_embedded_count; i++)
    if (strcmp(qn_embedded_sources[i].name, name) == 0) return &qn_embedded_sources[i];
  return NULL;
}

/* Text that grows, and the files already in it. */
typedef struct expansion {
  char *text;
  size_t used, size;
  char seen[MAX_FILES][MAX_NAME];
  unsigned files;
  const qn_replacement *replacement; /* NULL: none */
} expansion;

static qn_status append(expansion *e, const char *text, size_t length) {
  if (e->used + length + 1 > e->size) {
    size_t size = 2 * (e->used + length) + 4096;
    char *grown = qn_host_alloc(size);
    if (!grown) return qn_fail(QN_ENOMEM, "kernel source", "no host memory for %zu bytes", size);
    if (e->text) memcpy(grown, e->text, e->used);
    qn_host_free(e->text, e->size);
    e->text = grown;
    e->size = size;
  }
  memcpy(e->text + e->used, text, length);
  e->used += length;
  e->text[e->used] = '\0';
  return QN_OK;
}

static qn_status append_line_mark(expansion *e, unsigned line, const char *name) {
  char mark[MAX_NAME + 32];
  int length = snprintf(mark, sizeof mark, "#line %u \"%s\"\n", line, name);
  return append(e, mark, (size_t)length);
}

/* The file's text from QUERN_KERNEL_DIR, to be freed by its size, or NULL. */
static char *read_override(const char *name, size_t *size) {
  const char *folder = qn_env_string("QUERN_KERNEL_DIR", NULL);
  if (!folder) return NULL;
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return NULL;
  FILE *file = fopen(path, "rb");
  if (!file && access(folder, X_OK) != 0)
    qn_log(QN_LOG_WARNING, "QUERN_KERNEL_DIR=%s ignored: %s", folder, strerror(errno));
  if (!file) return NULL;
  *size = MAX_FILE_BYTES;
  char *text = qn_host_alloc(*size);
  if (text) text[fread(text, 1, *size - 1, file)] = '\0';
  fclose(file);
  return text;
}

static qn_status expand(expansion *e, const char *name, const char *text);

static qn_status expand_file(expansion *e, const char *name) {
  if (e->replacement && strcmp(name, e->replacement->name) == 0)
    return expand(e, name, e->replacement->text);
  size_t size = 0;
  char *override = read_override(name, &size);
  const qn_embedded *embedded = qn_embedded_find(name);
  if (!override && !embedded) return qn_fail(QN_EINVAL, "kernel source", "there is no '%s'", name);
  qn_status status = expand(e, name, override ? override : embedded->text);
  qn_host_free(override, size);
  return status;
}

/* The name between the quotes when the line is an #include "name". */
static bool included_name(const char *line, const char *end, char name[MAX_NAME]) {
  const char *p = line + strspn(line, " \t");
  if (*p++ != '#') return false;
  p += strspn(p, " \t");
  if (strncmp(p, "include", 7) != 0) return false;
  p += 7 + strspn(p + 7, " \t");
  if (*p++ != '"') return false;
  const char *close = memchr(p, '"', (size_t)(end - p));
  if (!close || close - p >= MAX_NAME) return false;
  memcpy(name, p, (size_t)(close - p));
  name[close - p] = '\0';
  return true;
}

static bool seen(const expansion *e, const char *name) {
  for (unsigned i = 0; i < e->files; i++)
    if (strcmp(e->seen[i], name) == 0) return true;
  return false;
}

static qn_status expand(expansion *e, const char *name, const char *text) {
  if (seen(e, name)) return QN_OK;
  size_t length = strlen(name);
  if (e->files == MAX_FILES || length >= MAX_NAME)
    return qn_fail(QN_EINVAL, "kernel source", "'%s': too many files or too long a name", name);
  memcpy(e->seen[e->files++], name, length + 1);
  qn_status status = append_line_mark(e, 1, name);
  unsigned number = 1;
  for (const char *line = text; *line && !status; number++) {
    const char *newline = strchr(line, '\n'), *end = newline ? newline : line + strlen(line);
    char other[MAX_NAME];
    if (included_name(line, end, other)) {
      status = expand_file(e, other);
      if (!status) status = append_line_mark(e, number + 1, name);
    } else {
      status = append(e, line, (size_t)(end - line));
      if (!status) status = append(e, "\n", 1);
    }
    line = newline ? newline + 1 : end;
  }
  return status;
}

qn_status qn_source_expand(const char *name, const char *text, const qn_replacement *replacement,
                           char **expanded) {
  expansion *e = qn_host_zalloc(sizeof *e);
  if (!e) return qn_fail(QN_ENOMEM, "kernel source", "no host memory");
  e->replacement = replacement;
  qn_status status = text ? expand(e, name, text) : expand_file(e, name);
  *expanded = NULL;
  if (!status) {
    *expanded = qn_host_strdup(e->text);
    if (!*expanded) status = qn_fail(QN_ENOMEM, "kernel source", "no host memory");
  }
  qn_host_free(e->text, e->size);
  qn_host_free(e, sizeof *e);
  return status;
}
