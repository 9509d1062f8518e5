/* The test's cache folder. */
#define _GNU_SOURCE
#include "folder.h"
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char root[64], cache[96];

void folder_new(void) {
  strcpy(root, "/tmp/quern_cache_XXXXXX");
  if (!mkdtemp(root)) abort();
  snprintf(cache, sizeof cache, "%s/cache", root);
  setenv("QUERN_CACHE_DIR", cache, 1);
  unsetenv("QUERN_CACHE_LIMIT");
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  return remove(path);
}

void folder_remove(void) {
  nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *folder_cache(void) {
  return cache;
}

int folder_count(const char *suffix, char *path, size_t size) {
  DIR *dir = opendir(cache);
  int count = 0;
  if (!dir) return 0;
  for (const struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name), tail = strlen(suffix);
    if (length < tail || strcmp(e->d_name + length - tail, suffix) != 0 || e->d_name[0] == '.')
      continue;
    if (count++ == 0 && path) snprintf(path, size, "%s/%s", cache, e->d_name);
  }
  closedir(dir);
  return count;
}
