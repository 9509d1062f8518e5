/* The names lie in a table of atomic pointers, so that a signal handler may walk it at any time. */
#include "io/leftover.h"
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST = 16 }; /* a command writes three files at most; one too many is merely not removed */

static const char *_Atomic names[MOST];

static void replace(const char *old, const char *new) {
  for (size_t i = 0; i < MOST; i++) {
    const char *expected = old;
    if (atomic_compare_exchange_strong(&names[i], &expected, new)) return;
  }
}

void qn_leftover_expect(const char *path) {
  replace(NULL, path);
}

void qn_leftover_forget(const char *path) {
  if (path) replace(path, NULL);
}

void qn_leftover_remove(void) {
  for (size_t i = 0; i < MOST; i++) {
    const char *path = atomic_load(&names[i]);
    if (path) unlink(path);
  }
}
