/* The compile cache on disk: one file a module, named by its key.
 *
 *   $QUERN_CACHE_DIR | $XDG_CACHE_HOME/quern | ~/.cache/quern            mode 0700, owned by the
 * user 0123456789abcdef0123456789abcdef.qnk    header | note | machine code
 *
 * Nothing here fails a caller: what cannot be read or written is logged and compiled again. */
#ifndef QN_JIT_DISK_H
#define QN_JIT_DISK_H

#include "device/backend.h"

typedef struct qn_disk_key {
  uint8_t bytes[16];
} qn_disk_key;

/* False when the library was built without a hash: then there is no cache on disk. */
bool qn_disk_available(void);

/* The hash of everything that decides the machine code. */
qn_disk_key qn_disk_key_of(const char *text, const char *options, const char *identity);

/* True when the cache holds the key; binary->data is from qn_host_alloc. */
bool qn_disk_load(const qn_disk_key *key, qn_blob *binary);

/* Keeps it, then removes the longest unused files above QUERN_CACHE_LIMIT bytes. `note` says for
 * the list what it is. */
void qn_disk_store(const qn_disk_key *key, const char *note, const qn_blob *binary);

/* The cache's folder as the environment has it now; false when there is none. */
bool qn_disk_folder(char *path, size_t size);

#endif
