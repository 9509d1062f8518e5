/* A thread's most recent workspaces, at most 8 MiB each, freed when the thread ends.
 *
 * What is kept always came from the default allocator, and goes back to its free() whatever
 * qn_set_allocator did in between; with a replaced allocator the shelf is passed over. */
#include "backends/cpu/workspace.h"
#include "core/core.h"
#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 2 }; /* a routine's own, and that of the product it calls */
static const size_t LARGEST_KEPT = (size_t)8 << 20;

static _Thread_local qn_workspace shelf[SLOTS];
static pthread_key_t at_thread_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool can_keep;

static void clear_shelf(void *arg) {
  qn_workspace *slots = arg;
  for (int i = 0; i < SLOTS; i++) {
    free(slots[i].memory);
    slots[i].memory = NULL;
  }
}

static void make_key(void) {
  can_keep = pthread_key_create(&at_thread_exit, clear_shelf) == 0;
}

qn_workspace qn_workspace_get(size_t size) {
  if (qn_host_alloc_is_default()) {
    for (int i = 0; i < SLOTS; i++) {
      if (shelf[i].memory && shelf[i].size >= size) {
        qn_workspace found = shelf[i];
        shelf[i].memory = NULL;
        return found;
      }
    }
  }
  return (qn_workspace){qn_host_alloc(size), size};
}

void qn_workspace_put(qn_workspace workspace) {
  if (!workspace.memory) return;
  pthread_once(&once, make_key);
  if (!qn_host_alloc_is_default() || workspace.size > LARGEST_KEPT || !can_keep ||
      pthread_setspecific(at_thread_exit, shelf) != 0) {
    qn_host_free(workspace.memory, workspace.size);
    return;
  }
  int slot = shelf[0].memory ? 1 : 0;
  free(shelf[slot].memory);
  shelf[slot] = workspace;
}
