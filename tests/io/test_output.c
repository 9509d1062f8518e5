/* Output files: whole or not at all, and what the system refuses is told in one line. */
#include "io/files.h"
#include "io/leftover.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static double numbers[1 << 15];

static qn_file_matrix a_matrix(void) {
  const qn_file_matrix m = {
      .dtype = QN_F64, .rows = 1 << 10, .cols = 1 << 5, .ld = 1 << 10, .data = numbers};
  return m;
}

static qn_status write_to(const char *path) {
  const qn_file_matrix m = a_matrix();
  return qn_io_write(path, &m);
}

static void assert_write_fails(const char *path, qn_status status, const char *says) {
  assert_int_equal(write_to(path), status);
  assert_one_line(path, says);
}

static void assert_holds(const char *path, const char *text) {
  size_t size;
  assert_string_equal(file_bytes(path, &size), text);
}

static void other_names_are_refused_before_anything_is_written(void **state) {
  (void)state;
  const char *names[] = {"x.txt", "x", "x.npz", ".npy", "npy", "x.npy.gz"};
  int before = files_count();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *path = file_path(names[i]);
    if (strcmp(names[i], ".npy") != 0) assert_write_fails(path, QN_EINVAL, "neither .npy nor .mtx");
  }
  assert_int_equal(files_count(), before);
  assert_int_equal(qn_io_check_output("a.NPY"), QN_OK);
  assert_int_equal(qn_io_check_output(".npy"), QN_EINVAL);
}

static void views_that_are_none_are_refused(void **state) {
  (void)state;
  const char *path = file_path("view.npy");
  qn_file_matrix m = a_matrix();
  m.ld = m.rows - 1;
  assert_int_equal(qn_io_write(path, &m), QN_EINVAL);
  m = a_matrix();
  m.rows = -1;
  assert_int_equal(qn_io_write(path, &m), QN_EINVAL);
  m = a_matrix();
  m.data = NULL;
  assert_int_equal(qn_io_write(path, &m), QN_EINVAL);
  m = a_matrix();
  m.dtype = (qn_dtype)17;
  assert_int_equal(qn_io_write(path, &m), QN_EINVAL);
  assert_int_equal(access(path, F_OK), -1);
}

static void permissions_follow_the_umask_or_the_old_file(void **state) {
  (void)state;
  const char *path = file_path("mode.npy");
  struct stat about;
  mode_t old = umask(027);
  assert_int_equal(write_to(path), QN_OK);
  umask(old);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 07777, 0640);
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(write_to(path), QN_OK);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 07777, 0600);
}

static void a_link_stays_a_link(void **state) {
  (void)state;
  const char *link = file_path("link.npy"), *target = file_path("target.npy");
  assert_int_equal(symlink("target.npy", link), 0); /* points at nothing yet */
  struct stat about;
  for (int round = 0; round < 2; round++) {
    assert_int_equal(write_to(link), QN_OK);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat(target, &about), 0);
    assert_true(S_ISREG(about.st_mode));
  }
  const char *loop = file_path("loop.npy");
  assert_int_equal(symlink("loop.npy", loop), 0);
  assert_write_fails(loop, QN_EIO, strerror(ELOOP));
}

static void a_matrix_can_replace_the_file_it_is_mapped_from(void **state) {
  (void)state;
  const char *path = file_path("self.npy");
  for (int i = 0; i < 1 << 15; i++) numbers[i] = i;
  assert_int_equal(write_to(path), QN_OK);
  qn_file_matrix m, again;
  assert_int_equal(qn_io_open(path, &m), QN_OK);
  assert_int_equal(m.hold, QN_IO_MAPPED);
  ((double *)m.data)[5] = -5;
  assert_int_equal(qn_io_write(path, &m), QN_OK);
  assert_int_equal(qn_io_open(path, &again), QN_OK);
  assert_memory_equal(again.data, m.data, sizeof numbers);
  qn_io_close(&m);
  qn_io_close(&again);
}

static void refusals_of_the_system_keep_the_old_file(void **state) {
  (void)state;
  const char *dir = file_path("dir.npy");
  assert_int_equal(mkdir(dir, 0700), 0);
  assert_write_fails(dir, QN_EIO, strerror(EISDIR));
  assert_int_equal(rmdir(dir), 0);
  assert_write_fails(file_path("nowhere/x.npy"), QN_EIO, strerror(ENOENT));
  const char *file = file_with_text("plain", "text");
  assert_write_fails(file_path("plain/x.npy"), QN_EIO, strerror(ENOTDIR));
  assert_holds(file, "text");
}

/* The child may write 100 000 bytes a file, as on a disk with that much room. */
static void a_full_disk_leaves_nothing_behind(void **state) {
  (void)state;
  const char *names[] = {"full.npy", "full.mtx"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *path = file_with_text(names[i], "old");
    int before = files_count();
    pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      const struct rlimit limit = {100000, 100000};
      setrlimit(RLIMIT_FSIZE, &limit);
      qn_status status = write_to(path);
      _exit(status == QN_EIO && strstr(qn_last_error(), strerror(EFBIG)) ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_holds(path, "old");
    assert_int_equal(files_count(), before);
  }
}

static void a_device_that_is_full_is_told(void **state) {
  (void)state;
  const char *path = file_path("dev.npy");
  if (symlink("/dev/full", path) != 0 || access(path, W_OK) != 0) skip();
  assert_write_fails(path, QN_EIO, strerror(ENOSPC));
  struct stat about;
  assert_int_equal(stat("/dev/full", &about), 0);
  assert_true(S_ISCHR(about.st_mode));
}

/* What /dev/stdout leads to when it is a pipe has no path of its own. */
static void a_link_to_a_pipe_is_written_to(void **state) {
  (void)state;
  enum { HEADER = 128 };
  const double one = 1.0;
  const qn_file_matrix m = {.dtype = QN_F64, .rows = 1, .cols = 1, .ld = 1, .data = (void *)&one};
  const char *path = file_path("pipe.npy");
  int ends[2];
  char target[64], bytes[4096];
  assert_int_equal(pipe(ends), 0);
  snprintf(target, sizeof target, "/proc/self/fd/%d", ends[1]);
  if (access(target, W_OK) != 0 || symlink(target, path) != 0) skip();
  assert_int_equal(qn_io_write(path, &m), QN_OK);
  close(ends[1]);
  assert_int_equal(read(ends[0], bytes, sizeof bytes), HEADER + sizeof one);
  assert_memory_equal(bytes + HEADER, &one, sizeof one);
  close(ends[0]);
}

static void what_is_left_can_be_removed_at_any_time(void **state) {
  (void)state;
  char expected[4096], forgotten[4096];
  snprintf(expected, sizeof expected, "%s", file_with_text("expected.tmp", "a part"));
  snprintf(forgotten, sizeof forgotten, "%s", file_with_text("forgotten.tmp", "the whole"));
  qn_leftover_expect(expected);
  qn_leftover_expect(forgotten);
  qn_leftover_forget(forgotten);
  qn_leftover_remove();
  assert_int_not_equal(access(expected, F_OK), 0);
  assert_int_equal(access(forgotten, F_OK), 0);
  qn_leftover_forget(expected);
}

static void remove_and_end(int number) {
  (void)number;
  qn_leftover_remove();
  _exit(9);
}

static void a_signal_while_writing_leaves_nothing_behind(void **state) {
  (void)state;
  const char *path = file_with_text("killed.npy", "old");
  const int before = files_count();
  pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit = {100000, 100000};
    signal(SIGXFSZ, remove_and_end); /* comes in the middle of the file */
    setrlimit(RLIMIT_FSIZE, &limit);
    write_to(path);
    _exit(1);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 9);
  assert_holds(path, "old");
  assert_int_equal(files_count(), before);
}

/* Permissions bind only those who are not root: a child that steps down tries. */
static void as_nobody(qn_status (*try)(const char *path), const char *path, const char *says) {
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(77);
    qn_status status = try(path);
    _exit(status == QN_EIO && strstr(qn_last_error(), says) ? 0 : 1);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  if (WIFEXITED(result) && WEXITSTATUS(result) == 77) skip();
  assert_int_equal(result, 0);
}

static qn_status open_it(const char *path) {
  qn_file_matrix m;
  return qn_io_open(path, &m);
}

static void missing_permission_is_told(void **state) {
  (void)state;
  const char *path = file_with_text("mine.npy", "old");
  assert_int_equal(chmod(files_folder(), 0755), 0);
  assert_int_equal(chmod(path, 0400), 0);
  if (geteuid() == 0) as_nobody(open_it, path, strerror(EACCES));
  as_nobody(write_to, path, strerror(EACCES));
  assert_int_equal(chmod(files_folder(), 0555), 0); /* a folder that nothing can be added to */
  as_nobody(write_to, file_path("new.npy"), strerror(EACCES));
  assert_int_equal(chmod(files_folder(), 0700), 0);
  assert_holds(path, "old");
}

static void inputs_that_cannot_be_read_are_told(void **state) {
  (void)state;
  assert_open_fails(file_path("absent.npy"), QN_EIO, strerror(ENOENT), NULL);
  assert_open_fails(files_folder(), QN_EIO, "folder", NULL);
  qn_file_matrix m;
  assert_int_equal(qn_io_open(file_path("a\nb\033.npy"), &m), QN_EIO);
  assert_non_null(strstr(qn_last_error(), "/a?b?.npy: cannot open"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_names_are_refused_before_anything_is_written),
      cmocka_unit_test(views_that_are_none_are_refused),
      cmocka_unit_test(permissions_follow_the_umask_or_the_old_file),
      cmocka_unit_test(a_link_stays_a_link),
      cmocka_unit_test(a_matrix_can_replace_the_file_it_is_mapped_from),
      cmocka_unit_test(refusals_of_the_system_keep_the_old_file),
      cmocka_unit_test(a_full_disk_leaves_nothing_behind),
      cmocka_unit_test(a_device_that_is_full_is_told),
      cmocka_unit_test(a_link_to_a_pipe_is_written_to),
      cmocka_unit_test(what_is_left_can_be_removed_at_any_time),
      cmocka_unit_test(a_signal_while_writing_leaves_nothing_behind),
      cmocka_unit_test(missing_permission_is_told),
      cmocka_unit_test(inputs_that_cannot_be_read_are_told),
  };
  return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
