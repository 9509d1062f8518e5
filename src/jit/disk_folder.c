/* The cache's folder: place, ownership, list, cap. */
#include "jit/disk_folder.h"
#include <quern/kernel.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE_SECONDS = 3600 };

bool qn_disk_folder(char *path, size_t size) {
  if (!qn_disk_available()) return false;
  const char *own = qn_env_string("QUERN_CACHE_DIR", NULL);
  const char *xdg = qn_env_string("XDG_CACHE_HOME", NULL);
  const char *home = qn_env_string("HOME", NULL);
  if (own) return snprintf(path, size, "%s", own) < (int)size;
  /* the standard says that a relative XDG path is to be ignored */
  if (xdg && xdg[0] == '/') return snprintf(path, size, "%s/quern", xdg) < (int)size;
  return home && snprintf(path, size, "%s/.cache/quern", home) < (int)size;
}

uint64_t qn_disk_limit(void) {
  return qn_env_bytes("QUERN_CACHE_LIMIT", UINT64_C(256) << 20);
}

bool qn_disk_is_ours(const char *folder) {
  struct stat info;
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  return info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool qn_disk_make_folder(const char *folder) {
  char path[QN_DISK_PATH];
  if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) return false;
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700); /* the last one decides */
    *slash = '/';
  }
  if (mkdir(path, 0700) != 0 && errno != EEXIST) {
    qn_log(QN_LOG_WARNING, "cache: cannot make %s: %s", folder, strerror(errno));
    return false;
  }
  if (!qn_disk_is_ours(folder)) {
    qn_log(QN_LOG_WARNING, "cache: %s is not a folder that only this user can write; not used",
           folder);
    return false;
  }
  return true;
}

static bool ends_with(const char *name, const char *suffix) {
  size_t length = strlen(name), tail = strlen(suffix);
  return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

typedef struct cached_file {
  char name[64];
  struct timespec used;
  uint64_t bytes;
} cached_file;

typedef struct listing {
  cached_file *files;
  size_t count, capacity;
} listing;

static bool add_file(listing *list, const char *name, const struct stat *info) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    cached_file *grown = qn_host_alloc(capacity * sizeof *grown);
    if (!grown) return false;
    if (list->count) memcpy(grown, list->files, list->count * sizeof *grown);
    qn_host_free(list->files, list->capacity * sizeof *grown);
    list->files = grown;
    list->capacity = capacity;
  }
  cached_file *file = &list->files[list->count++];
  snprintf(file->name, sizeof file->name, "%s", name);
  file->used = info->st_mtim;
  file->bytes = (uint64_t)info->st_size;
  return true;
}

/* Oldest first; by name where the times are alike. */
static int by_age(const void *left, const void *right) {
  const cached_file *a = left, *b = right;
  if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
  if (a->used.tv_nsec != b->used.tv_nsec) return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* The cache's files, oldest first; leftovers of dead writers are removed on the way. */
static listing list_files(DIR *folder) {
  listing list = {NULL, 0, 0};
  time_t now = time(NULL);
  for (const struct dirent *e; (e = readdir(folder));) {
    struct stat info;
    bool temporary = ends_with(e->d_name, QN_DISK_TEMPORARY);
    bool cached =
        strlen(e->d_name) < sizeof list.files->name && ends_with(e->d_name, QN_DISK_SUFFIX);
    if (!temporary && !cached) continue;
    if (fstatat(dirfd(folder), e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode)) continue;
    if (temporary) {
      if (now - info.st_mtim.tv_sec > STALE_SECONDS) unlinkat(dirfd(folder), e->d_name, 0);
    } else if (!add_file(&list, e->d_name, &info)) {
      break;
    }
  }
  if (list.count) qsort(list.files, list.count, sizeof *list.files, by_age);
  return list;
}

static void free_list(listing *list) {
  qn_host_free(list->files, list->capacity * sizeof *list->files);
}

void qn_disk_trim(const char *folder, uint64_t limit) {
  DIR *dir = opendir(folder);
  if (!dir) return;
  listing list = list_files(dir);
  uint64_t total = 0;
  for (size_t i = 0; i < list.count; i++) total += list.files[i].bytes;
  for (size_t i = 0; i < list.count && total > limit; i++)
    if (unlinkat(dirfd(dir), list.files[i].name, 0) == 0) total -= list.files[i].bytes;
  free_list(&list);
  closedir(dir);
}

static bool read_note(int folder, const char *name, char *note, size_t size) {
  qn_disk_header header;
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  bool good = read(file, &header, sizeof header) == (ssize_t)sizeof header &&
              memcmp(header.magic, QN_DISK_MAGIC, sizeof header.magic) == 0 &&
              header.version == QN_DISK_VERSION && header.note_size < size &&
              read(file, note, header.note_size) == (ssize_t)header.note_size;
  close(file);
  if (good) note[header.note_size] = '\0';
  return good;
}

static void describe(int folder, const cached_file *file, qn_cache_row *row) {
  memset(row, 0, sizeof *row);
  snprintf(row->key, sizeof row->key, "%.*s", (int)strcspn(file->name, "."), file->name);
  row->bytes = file->bytes;
  row->used = (int64_t)file->used.tv_sec;
  if (!read_note(folder, file->name, row->what, sizeof row->what))
    snprintf(row->what, sizeof row->what, "(unreadable)");
}

qn_status qn_cache_path(char *path, size_t size) {
  if (!path) return qn_fail(QN_EINVAL, "qn_cache_path", "path is NULL");
  if (qn_disk_folder(path, size)) return QN_OK;
  if (!qn_disk_available())
    return qn_fail(QN_EUNSUPPORTED, "qn_cache_path",
                   "this library was built without xxhash and keeps no cache on disk");
  return qn_fail(QN_EINVAL, "qn_cache_path",
                 "none of QUERN_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder");
}

qn_status qn_cache_list(qn_cache_row *rows, unsigned capacity, unsigned *count) {
  char folder[QN_DISK_PATH];
  if (!count || (capacity && !rows))
    return qn_fail(QN_EINVAL, "qn_cache_list", "rows or count is NULL");
  *count = 0;
  qn_status status = qn_cache_path(folder, sizeof folder);
  if (status) return status;
  DIR *dir = opendir(folder);
  if (!dir) {
    if (errno == ENOENT) return QN_OK;
    return qn_fail(QN_EIO, "qn_cache_list", "%s: %s", folder, strerror(errno));
  }
  listing list = list_files(dir);
  *count = (unsigned)list.count;
  for (size_t i = 0; i < list.count && i < capacity; i++)
    describe(dirfd(dir), &list.files[i], &rows[i]);
  free_list(&list);
  closedir(dir);
  return QN_OK;
}

qn_status qn_cache_clear(unsigned *removed) {
  char folder[QN_DISK_PATH];
  if (removed) *removed = 0;
  qn_status status = qn_cache_path(folder, sizeof folder);
  if (status) return status;
  DIR *dir = opendir(folder);
  if (!dir) {
    if (errno == ENOENT) return QN_OK;
    return qn_fail(QN_EIO, "qn_cache_clear", "%s: %s", folder, strerror(errno));
  }
  listing list = list_files(dir);
  for (size_t i = 0; i < list.count && !status; i++) {
    if (unlinkat(dirfd(dir), list.files[i].name, 0) == 0) {
      if (removed) ++*removed;
    } else if (errno != ENOENT) {
      status = qn_fail(QN_EIO, "qn_cache_clear", "%s/%s: %s", folder, list.files[i].name,
                       strerror(errno));
    }
  }
  free_list(&list);
  closedir(dir);
  return status;
}
