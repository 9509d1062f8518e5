/* The compile cache on disk: files that are whole or not there. */
#include "jit/disk.h"
#include "jit/disk_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef QUERN_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>

bool qn_disk_available(void) {
  return true;
}

static void hash_begin(XXH3_state_t *state) {
  XXH3_128bits_reset(state);
}

/* Length first, so that no two lists of pieces hash alike. */
static void hash_piece(XXH3_state_t *state, const void *data, size_t size) {
  uint64_t length = size;
  XXH3_128bits_update(state, &length, sizeof length);
  XXH3_128bits_update(state, data, size);
}

static qn_disk_key hash_end(const XXH3_state_t *state) {
  XXH128_canonical_t canonical;
  qn_disk_key key;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  memcpy(key.bytes, canonical.digest, sizeof key.bytes);
  return key;
}

static void hash_texts(XXH3_state_t *state, const char *const *texts, unsigned count) {
  for (unsigned i = 0; i < count; i++) hash_piece(state, texts[i], strlen(texts[i]));
}

qn_disk_key qn_disk_key_of(const char *text, const char *options, const char *identity) {
  const char *const texts[] = {text, options, identity, qn_version_string()};
  XXH3_state_t state;
  hash_begin(&state);
  hash_texts(&state, texts, sizeof texts / sizeof *texts);
  return hash_end(&state);
}

static qn_disk_key checksum_of(const char *note, size_t note_size, const qn_blob *binary) {
  XXH3_state_t state;
  hash_begin(&state);
  hash_piece(&state, note, note_size);
  hash_piece(&state, binary->data, binary->size);
  return hash_end(&state);
}

static bool same(const qn_disk_key *a, const qn_disk_key *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static bool file_of(const qn_disk_key *key, const char *folder, char *path, size_t size) {
  char hex[2 * sizeof key->bytes + 1];
  for (size_t i = 0; i < sizeof key->bytes; i++)
    snprintf(hex + 2 * i, 3, "%02x", (unsigned)key->bytes[i]);
  return snprintf(path, size, "%s/%s" QN_DISK_SUFFIX, folder, hex) < (int)size;
}

static bool read_all(int file, void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t got = read(file, (char *)data + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

static bool write_all(int file, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t put = write(file, (const char *)data + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += (size_t)put;
  }
  return true;
}

/* Why an open file is not the one wanted, or NULL with its payload read. */
static const char *read_file(int file, const qn_disk_key *key, qn_blob *binary) {
  qn_disk_header header;
  struct stat info;
  char note[QN_DISK_NOTE];
  if (fstat(file, &info) != 0 || !read_all(file, &header, sizeof header)) return "cut short";
  if (memcmp(header.magic, QN_DISK_MAGIC, sizeof header.magic) != 0 ||
      header.version != QN_DISK_VERSION)
    return "of another format";
  if (memcmp(header.key, key->bytes, sizeof header.key) != 0) return "for another key";
  if (header.note_size > sizeof note || header.size == 0 || header.size > QN_DISK_MAX_FILE ||
      (uint64_t)info.st_size != sizeof header + header.note_size + header.size)
    return "of a wrong size";
  qn_blob read = {qn_host_alloc(header.size), header.size};
  if (!read.data) return "too large for the host's memory";
  const char *trouble = NULL;
  if (!read_all(file, note, header.note_size) || !read_all(file, read.data, read.size)) {
    trouble = "cut short";
  } else {
    qn_disk_key sum = checksum_of(note, header.note_size, &read), want;
    memcpy(want.bytes, header.checksum, sizeof want.bytes);
    if (!same(&sum, &want)) trouble = "corrupt";
  }
  if (trouble)
    qn_host_free(read.data, read.size);
  else
    *binary = read;
  return trouble;
}

bool qn_disk_load(const qn_disk_key *key, qn_blob *binary) {
  char folder[QN_DISK_PATH], path[QN_DISK_PATH];
  if (!qn_disk_folder(folder, sizeof folder) || !file_of(key, folder, path, sizeof path) ||
      !qn_disk_is_ours(folder))
    return false;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const char *trouble = read_file(file, key, binary);
  if (trouble)
    qn_log(QN_LOG_WARNING, "cache: %s is %s; compiling again", path, trouble);
  else
    futimens(file, NULL); /* the age that the cap goes by is the last use */
  close(file);
  return trouble == NULL;
}

static bool write_file(int file, const qn_disk_key *key, const char *note, const qn_blob *binary) {
  qn_disk_header header = {.magic = QN_DISK_MAGIC, .version = QN_DISK_VERSION};
  header.note_size = (uint32_t)strnlen(note, QN_DISK_NOTE);
  header.size = binary->size;
  qn_disk_key sum = checksum_of(note, header.note_size, binary);
  memcpy(header.key, key->bytes, sizeof header.key);
  memcpy(header.checksum, sum.bytes, sizeof header.checksum);
  return write_all(file, &header, sizeof header) && write_all(file, note, header.note_size) &&
         write_all(file, binary->data, binary->size) && fsync(file) == 0;
}

void qn_disk_store(const qn_disk_key *key, const char *note, const qn_blob *binary) {
  static atomic_uint serial;
  char folder[QN_DISK_PATH], path[QN_DISK_PATH], temporary[QN_DISK_PATH + 64];
  uint64_t limit = qn_disk_limit();
  if (binary->size > QN_DISK_MAX_FILE || binary->size > limit) return;
  if (!qn_disk_folder(folder, sizeof folder) || !qn_disk_make_folder(folder) ||
      !file_of(key, folder, path, sizeof path))
    return;
  snprintf(temporary, sizeof temporary, "%s.%ld.%u" QN_DISK_TEMPORARY, path, (long)getpid(),
           atomic_fetch_add(&serial, 1));
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = file >= 0 && write_file(file, key, note, binary);
  int trouble = errno;
  if (file >= 0) good = close(file) == 0 && good;
  if (good) good = rename(temporary, path) == 0;
  if (!good) {
    qn_log(QN_LOG_WARNING, "cache: cannot write %s: %s", path, strerror(trouble));
    if (file >= 0) unlink(temporary);
    return;
  }
  qn_disk_trim(folder, limit);
}

#else /* no hash: nothing is kept on disk */

bool qn_disk_available(void) {
  return false;
}

qn_disk_key qn_disk_key_of(const char *text, const char *options, const char *identity) {
  (void)text, (void)options, (void)identity;
  return (qn_disk_key){{0}};
}

bool qn_disk_load(const qn_disk_key *key, qn_blob *binary) {
  (void)key, (void)binary;
  return false;
}

void qn_disk_store(const qn_disk_key *key, const char *note, const qn_blob *binary) {
  (void)key, (void)note, (void)binary;
}

#endif
