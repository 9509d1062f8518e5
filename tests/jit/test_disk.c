/* The cache on disk: what it keeps, what it refuses, and that no trouble with it reaches a caller.
 */
#define _GNU_SOURCE
#include "fake_compiler.h"
#include "folder.h"
#include "jit/disk.h"
#include "jit/jit.h"
#include <quern/kernel.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static const char file[] = "portable/prelude.cl";

static int setup(void **state) {
  (void)state;
  folder_new();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  folder_remove();
  return 0;
}

/* A fresh device asks for one kernel; returns how often the compiler ran. */
static int ask(const char *identity, const char *options) {
  fake_compiler *fake = fake_new(identity);
  const qn_jit_entry *kernel = NULL;
  assert_int_equal(qn_jit_kernel(&fake->device, file, "QN_LID", options, &kernel), QN_OK);
  assert_non_null(kernel);
  int compiles = fake->compiles;
  assert_int_equal(fake_free(fake), 0);
  return compiles;
}

static void test_kept(void **state) {
  (void)state;
  struct stat info;
  char path[256];
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(ask("chip", "-DA"), 0);
  assert_int_equal(ask("chip", "-DB"), 1);
  assert_int_equal(ask("another chip", "-DA"), 1);
  assert_int_equal(folder_count(".qnk", path, sizeof path), 3);
  assert_int_equal(folder_count(".tmp", NULL, 0), 0);
  assert_int_equal(stat(folder_cache(), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
}

static long size_of(const char *path) {
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return (long)info.st_size;
}

/* Every byte of the header, and some of the rest, in turn: found out and mended. */
static void test_corrupt(void **state) {
  (void)state;
  char path[256];
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(folder_count(".qnk", path, sizeof path), 1);
  long size = size_of(path);
  for (long at = 0; at < size; at += at < 160 ? 1 : 997) {
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 0x10, f);
    fclose(f);
    assert_int_equal(ask("chip", "-DA"), 1);
    assert_int_equal(ask("chip", "-DA"), 0);
  }
}

static void test_cut(void **state) {
  (void)state;
  char path[256];
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(folder_count(".qnk", path, sizeof path), 1);
  const long full = size_of(path), sizes[] = {0, 1, 55, 56, 100, full - 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(truncate(path, sizes[i]), 0);
    assert_int_equal(ask("chip", "-DA"), 1);
    assert_int_equal(size_of(path), full);
  }
  FILE *f = fopen(path, "ab"); /* and one that is too long */
  fputc('x', f);
  fclose(f);
  assert_int_equal(ask("chip", "-DA"), 1);
}

/* Folders that cannot be had: compile each time, never fail. */
static void test_unusable_folder(void **state) {
  (void)state;
  setenv("QUERN_CACHE_DIR", "/dev/null/cache", 1);
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(ask("chip", "-DA"), 1);
  setenv("QUERN_CACHE_DIR", "/proc/self/cache", 1); /* read-only, for root too */
  assert_int_equal(ask("chip", "-DA"), 1);
  setenv("QUERN_CACHE_DIR", folder_cache(), 1);
  assert_int_equal(mkdir(folder_cache(), 0700), 0);
  assert_int_equal(chmod(folder_cache(), 0777), 0); /* others could put code there */
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(folder_count(".qnk", NULL, 0), 0);
  if (geteuid() != 0) {
    assert_int_equal(chmod(folder_cache(), 0500), 0);
    assert_int_equal(ask("chip", "-DA"), 1);
    assert_int_equal(folder_count(".qnk", NULL, 0), 0);
  }
  assert_int_equal(chmod(folder_cache(), 0700), 0);
}

/* What others put into a writable folder is not run either. */
static void test_foreign_file(void **state) {
  (void)state;
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(chmod(folder_cache(), 0777), 0);
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(chmod(folder_cache(), 0700), 0);
  assert_int_equal(ask("chip", "-DA"), 0);
}

/* A full disk, as a limit on file size shows it: write() stops half way. */
static void test_full_disk(void **state) {
  (void)state;
  struct rlimit limit, tight = {1000, RLIM_INFINITY};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  tight.rlim_max = limit.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  int first = ask("chip", "-DA"), second = ask("chip", "-DA");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(first, 1);
  assert_int_equal(second, 1);
  assert_int_equal(folder_count("", NULL, 0), 0);
  assert_int_equal(ask("chip", "-DA"), 1);
  assert_int_equal(ask("chip", "-DA"), 0);
}

static void test_ten_processes(void **state) {
  (void)state;
  enum { PROCESSES = 10 };
  pid_t children[PROCESSES];
  fflush(NULL);
  for (int p = 0; p < PROCESSES; p++) {
    children[p] = fork();
    assert_true(children[p] >= 0);
    if (children[p] == 0) {
      int bad = 0;
      for (int i = 0; i < 20; i++) {
        char options[16];
        snprintf(options, sizeof options, "-DN=%d", i % 7);
        fake_compiler *fake = fake_new("chip");
        const qn_jit_entry *kernel;
        bad += qn_jit_kernel(&fake->device, file, "QN_LID", options, &kernel) != QN_OK;
        fake_free(fake);
      }
      _exit(bad);
    }
  }
  for (int p = 0; p < PROCESSES; p++) {
    int status;
    assert_int_equal(waitpid(children[p], &status, 0), children[p]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  assert_int_equal(folder_count(".qnk", NULL, 0), 7);
  assert_int_equal(folder_count(".tmp", NULL, 0), 0);
  for (int i = 0; i < 7; i++) {
    char options[16];
    snprintf(options, sizeof options, "-DN=%d", i);
    assert_int_equal(ask("chip", options), 0);
  }
}

static void test_cap(void **state) {
  (void)state;
  char path[256], limit[32];
  assert_int_equal(ask("chip", "-DN=0"), 1);
  assert_int_equal(folder_count(".qnk", path, sizeof path), 1);
  snprintf(limit, sizeof limit, "%ld", 3 * size_of(path) + 100);
  setenv("QUERN_CACHE_LIMIT", limit, 1);
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  assert_int_equal(ask("chip", "-DN=1"), 1);
  assert_int_equal(ask("chip", "-DN=2"), 1);
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  assert_int_equal(ask("chip", "-DN=0"), 0); /* used again: now the youngest */
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  assert_int_equal(ask("chip", "-DN=3"), 1);
  assert_int_equal(folder_count(".qnk", NULL, 0), 3);
  assert_int_equal(ask("chip", "-DN=0"), 0);
  setenv("QUERN_CACHE_LIMIT", "0", 1);
  assert_int_equal(ask("chip", "-DN=9"), 1);
  assert_int_equal(ask("chip", "-DN=9"), 1);
}

static void test_list_and_clear(void **state) {
  (void)state;
  qn_cache_row rows[2];
  unsigned count, removed;
  char path[256], stale[300];
  assert_int_equal(qn_cache_list(rows, 2, &count), QN_OK); /* no folder yet */
  assert_int_equal(count, 0);
  for (int i = 0; i < 3; i++) {
    char options[16];
    snprintf(options, sizeof options, "-DN=%d", i);
    assert_int_equal(ask("chip 9000", options), 1);
  }
  assert_int_equal(qn_cache_list(rows, 2, &count), QN_OK);
  assert_int_equal(count, 3);
  assert_int_equal(strlen(rows[0].key), 32);
  assert_non_null(strstr(rows[0].what, "portable/prelude.cl -DN="));
  assert_non_null(strstr(rows[0].what, "chip 9000"));
  assert_true(rows[0].bytes > 1000 && labs((long)(time(NULL) - rows[0].used)) < 60);
  assert_int_equal(qn_cache_path(path, sizeof path), QN_OK);
  assert_string_equal(path, folder_cache());
  /* a writer that died long ago left this */
  snprintf(stale, sizeof stale, "%s/0.qnk.1.0.tmp", path);
  fclose(fopen(stale, "w"));
  const struct timespec old[2] = {{1000000, 0}, {1000000, 0}};
  assert_int_equal(utimensat(AT_FDCWD, stale, old, 0), 0);
  assert_int_equal(qn_cache_clear(&removed), QN_OK);
  assert_int_equal(removed, 3);
  assert_int_equal(folder_count("", NULL, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(test_corrupt, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
      cmocka_unit_test_setup_teardown(test_unusable_folder, setup, teardown),
      cmocka_unit_test_setup_teardown(test_foreign_file, setup, teardown),
      cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
      cmocka_unit_test_setup_teardown(test_ten_processes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cap, setup, teardown),
      cmocka_unit_test_setup_teardown(test_list_and_clear, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
