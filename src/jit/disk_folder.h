/* The cache's folder: where it is, its files' form, and keeping it under its cap. */
#ifndef QN_JIT_DISK_FOLDER_H
#define QN_JIT_DISK_FOLDER_H

#include "jit/disk.h"

#define QN_DISK_SUFFIX    ".qnk"
#define QN_DISK_TEMPORARY ".tmp"
#define QN_DISK_MAGIC     "QUERNJIT"

enum {
  QN_DISK_VERSION = 1,
  QN_DISK_PATH = 4096,
  QN_DISK_NOTE = 256,
  QN_DISK_MAX_FILE = 1 << 28 /* bytes; more is no kernel */
};

/* What a file begins with, in the machine's own byte order (code is not shared between machines):
 *
 *   0      8       12        16     24     40         56       56 + note_size
 *   magic  version note_size size   key    checksum   note...  machine code...
 *
 * The checksum is over note and code. */
typedef struct qn_disk_header {
  char magic[8];
  uint32_t version, note_size;
  uint64_t size;
  uint8_t key[16], checksum[16];
} qn_disk_header;

/* QUERN_CACHE_LIMIT, 256 MiB by default; 0 keeps nothing. */
uint64_t qn_disk_limit(void);

/* Whether this user alone can write there: machine code is run from the folder. */
bool qn_disk_is_ours(const char *folder);

/* Makes the folder and its parents, mode 0700; false, with a log line, when it cannot be or is not
 * the user's own. */
bool qn_disk_make_folder(const char *folder);

/* Removes the longest unused files until the rest fits, and temporary files left by dead processes.
 */
void qn_disk_trim(const char *folder, uint64_t limit);

#endif
