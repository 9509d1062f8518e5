/* A cache folder of the test's own, and looking into it. */
#ifndef QN_TEST_FOLDER_H
#define QN_TEST_FOLDER_H

#include <stddef.h>

/* Makes a fresh folder and points QUERN_CACHE_DIR at `<folder>/cache`. */
void folder_new(void);
void folder_remove(void);
const char *folder_cache(void);
/* Files in the cache whose name ends so; `path` (may be NULL) gets the first. */
int folder_count(const char *suffix, char *path, size_t size);

#endif
