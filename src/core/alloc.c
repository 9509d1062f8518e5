/* Host memory: the process's allocator, aligned_alloc by default. */
#include "core.h"
#include <stdlib.h>
#include <string.h>

static void *default_alloc(void *user, size_t size, size_t alignment) {
  (void)user;
  size_t rounded;
  if (!qn_add_size(size, alignment - 1, &rounded)) return NULL;
  return aligned_alloc(alignment, rounded & ~(alignment - 1));
}

static void default_free(void *user, void *pointer, size_t size) {
  (void)user;
  (void)size;
  free(pointer);
}

static const qn_allocator default_allocator = {default_alloc, default_free, NULL};
static qn_allocator current = {default_alloc, default_free, NULL};

void qn_set_allocator(const qn_allocator *allocator) {
  current = allocator ? *allocator : default_allocator;
}

bool qn_host_alloc_is_default(void) {
  return current.alloc == default_alloc;
}

void *qn_host_alloc(size_t size) {
  return current.alloc(current.user, size ? size : 1, QN_HOST_ALIGN);
}

void *qn_host_zalloc(size_t size) {
  void *pointer = qn_host_alloc(size);
  if (pointer) memset(pointer, 0, size);
  return pointer;
}

void qn_host_free(void *pointer, size_t size) {
  if (pointer) current.free(current.user, pointer, size ? size : 1);
}

char *qn_host_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = qn_host_alloc(size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void qn_host_strfree(char *text) {
  if (text) qn_host_free(text, strlen(text) + 1);
}
