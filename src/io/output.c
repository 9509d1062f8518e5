/* Writing beside the target and renaming: a reader sees the old file or the whole new one. */
#include "io/output.h"
#include "io/leftover.h"
#include "core/core.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINKS_MAX = 40, NEW_FILE_MODE = 0666 };

static qn_status fail_writing(const qn_output *output) {
  int error = errno;
  return qn_fail(error == ENOMEM ? QN_ENOMEM : QN_EIO, output->name, "cannot write: %s",
                 strerror(error));
}

/* Bytes of the folder's part of a path, its slash included; 0 where there is none. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The folder of `path`, then `name`. */
static char *beside(const char *path, const char *name) {
  size_t folder = folder_length(path), length = strlen(name);
  char *joined = qn_host_alloc(folder + length + 1);
  if (!joined) {
    errno = ENOMEM;
    return NULL;
  }
  memcpy(joined, path, folder);
  memcpy(joined + folder, name, length + 1);
  return joined;
}

/* What a path means once links are followed, also where the last one points at nothing yet. NULL
 * with errno set. */
static char *follow_links(const char *path) {
  char *at = beside("", path);
  for (int hops = 0; at; hops++) {
    char link[4096];
    ssize_t length = readlink(at, link, sizeof link - 1);
    if (length < 0) return at;
    link[length] = '\0';
    char *next = hops < LINKS_MAX ? beside(link[0] == '/' ? "" : at, link) : NULL;
    if (hops == LINKS_MAX) errno = ELOOP;
    qn_host_strfree(at);
    at = next;
  }
  return NULL;
}

/* A name beside the target that nobody has. */
static char *temporary_name(const char *target) {
  static atomic_uint counter;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char name[64];
  snprintf(name, sizeof name, ".quern-%ld-%lx-%u.tmp", (long)getpid(), (unsigned long)now.tv_nsec,
           atomic_fetch_add(&counter, 1));
  return beside(target, name);
}

/* A file without a name vanishes by itself if the process is killed. Not every file system has
 * them, and giving it a name later needs /proc. */
static int open_nameless(const char *target) {
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  char *folder = beside(target, ".");
  if (!folder) return -1;
  int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, NEW_FILE_MODE);
  qn_host_strfree(folder);
  return fd;
#else
  (void)target;
  return -1;
#endif
}

static qn_status open_beside(qn_output *output, const struct stat *existing) {
  output->temporary = temporary_name(output->target);
  if (!output->temporary) return fail_writing(output);
  qn_leftover_expect(output->temporary);
  output->fd = open_nameless(output->target);
  if (output->fd < 0) {
    output->fd = open(output->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, NEW_FILE_MODE);
    if (output->fd < 0) return fail_writing(output);
    output->named = true;
  }
  if (existing && fchmod(output->fd, existing->st_mode & 0777) != 0) return fail_writing(output);
  return QN_OK;
}

static qn_status open_direct(qn_output *output, const char *path) {
  output->direct = true;
  output->fd = open(path, O_WRONLY | O_CLOEXEC);
  return output->fd < 0 ? fail_writing(output) : QN_OK;
}

static qn_status open_target(qn_output *output) {
  struct stat about;
  bool exists = stat(output->target, &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    return fail_writing(output);
  }
  /* a rename would replace even a file that nobody may write to */
  if (exists && access(output->target, W_OK) != 0) return fail_writing(output);
  return open_beside(output, exists ? &about : NULL);
}

qn_status qn_output_open(const char *path, qn_output *output) {
  memset(output, 0, sizeof *output);
  output->fd = -1;
  qn_io_printable(output->name, sizeof output->name, path, strlen(path));
  struct stat about;
  qn_status status;
  /* Not by the text of its links: what /dev/stdout leads to may have no path. */
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
    status = open_direct(output, path);
  } else {
    output->target = follow_links(path);
    status = output->target ? open_target(output) : fail_writing(output);
  }
  if (status != QN_OK) qn_output_abandon(output);
  return status;
}

qn_status qn_output_write(qn_output *output, const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    ssize_t put = write(output->fd, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_writing(output);
    at += put;
    size -= (size_t)put;
  }
  return QN_OK;
}

/* Gives a nameless file its temporary name. */
static int name_file(qn_output *output) {
#ifdef O_TMPFILE
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", output->fd);
  if (linkat(AT_FDCWD, self, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) != 0) return -1;
#endif
  output->named = true;
  return 0;
}

/* The rename itself is on the disk only when the folder is. Some file systems cannot say so, and
 * the file is in place already: no failure. */
static void sync_folder(const char *target) {
  char *folder = beside(target, ".");
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  qn_host_strfree(folder);
}

static int close_file(qn_output *output) {
  int fd = output->fd;
  output->fd = -1;
  return close(fd);
}

static int put_in_place(qn_output *output) {
  if (output->direct) return close_file(output);
  if (fsync(output->fd) != 0 && errno != EINVAL) return -1;
  if (!output->named && name_file(output) != 0) return -1;
  if (close_file(output) != 0) return -1;
  if (rename(output->temporary, output->target) != 0) return -1;
  output->named = false;
  sync_folder(output->target);
  return 0;
}

qn_status qn_output_finish(qn_output *output) {
  qn_status status = put_in_place(output) == 0 ? QN_OK : fail_writing(output);
  qn_output_abandon(output);
  return status;
}

void qn_output_abandon(qn_output *output) {
  if (output->fd >= 0) close(output->fd);
  if (output->named) unlink(output->temporary);
  qn_leftover_forget(output->temporary);
  qn_host_strfree(output->temporary);
  qn_host_strfree(output->target);
  output->fd = -1;
  output->named = false;
  output->temporary = output->target = NULL;
}
