/* A folder of its own for each test binary, and small files in it. */
#ifndef QN_TESTS_IO_FILES_H
#define QN_TESTS_IO_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "io/io.h"

/* Group setup and teardown: make the folder, remove it with all in it. */
int files_setup(void **state);
int files_teardown(void **state);

const char *files_folder(void);
/* The path of `name` in the folder; one of a few static texts in turn. */
const char *file_path(const char *name);
/* Writes a file and returns its path. */
const char *file_with(const char *name, const void *bytes, size_t size);
const char *file_with_text(const char *name, const char *text);
/* The whole file, in static memory (small files only). */
const char *file_bytes(const char *path, size_t *size);
/* How many names the folder holds. */
int files_count(void);

/* A .npy file: `dictionary` padded as NumPy pads it, then the data. */
const char *npy_file(const char *name, int version, const char *dictionary, const void *data,
                     size_t size);

/* qn_io_open fails with `status` and one line that holds the file's name and each `part` to NULL.
 */
void assert_open_fails(const char *path, qn_status status, ...);
void assert_one_line(const char *path, const char *part);

#endif
