/* Opening an input: regular files are mapped, pipes and the like are read to their end. */
#include "io/source.h"
#include "io/memory.h"
#include "core/core.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void qn_io_printable(char *out, size_t capacity, const char *text, size_t length) {
  size_t skipped = length >= capacity ? length - (capacity - 1) : 0;
  size_t used = 0;
  for (size_t i = skipped; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    out[used++] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
  }
  out[used] = '\0';
  if (skipped && used >= 3) memset(out, '.', 3);
}

/* Copy-on-write: the caller may overwrite the matrix in place. MAP_NORESERVE because most callers
 * never do, and a file may be larger than the memory. */
static qn_status map_file(int fd, size_t size, qn_source *source) {
  void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  if (data == MAP_FAILED)
    return qn_fail(errno == ENOMEM ? QN_ENOMEM : QN_EIO, source->name, "cannot map %s: %s",
                   qn_io_size(size).text, strerror(errno));
  madvise(data, size, MADV_SEQUENTIAL);
  source->data = data;
  source->size = source->held = size;
  source->mapped = true;
  return QN_OK;
}

static qn_status grow(qn_source *source) {
  size_t larger = source->held ? 2 * source->held : (size_t)1 << 20;
  unsigned char *data =
      larger <= qn_io_memory_available() && larger > source->held ? qn_host_alloc(larger) : NULL;
  if (!data)
    return qn_fail(QN_ENOMEM, source->name, "no memory for more than %s of input",
                   qn_io_size(source->held).text);
  if (source->size) memcpy(data, source->data, source->size);
  qn_host_free(source->data, source->held);
  source->data = data;
  source->held = larger;
  return QN_OK;
}

static qn_status read_all(int fd, qn_source *source) {
  for (;;) {
    if (source->size == source->held) {
      qn_status status = grow(source);
      if (status != QN_OK) return status;
    }
    ssize_t got = read(fd, source->data + source->size, source->held - source->size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return qn_fail(QN_EIO, source->name, "cannot read: %s", strerror(errno));
    if (got == 0) return QN_OK;
    source->size += (size_t)got;
  }
}

qn_status qn_source_open(const char *path, qn_source *source) {
  memset(source, 0, sizeof *source);
  qn_io_printable(source->name, sizeof source->name, path, strlen(path));
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return qn_fail(QN_EIO, source->name, "cannot open: %s", strerror(errno));
  struct stat about;
  qn_status status;
  if (fstat(fd, &about) != 0)
    status = qn_fail(QN_EIO, source->name, "cannot open: %s", strerror(errno));
  else if (S_ISDIR(about.st_mode))
    status = qn_fail(QN_EIO, source->name, "cannot read: is a folder");
  else if (S_ISREG(about.st_mode) && about.st_size > 0)
    status = map_file(fd, (size_t)about.st_size, source);
  else
    status = read_all(fd, source);
  close(fd);
  if (status != QN_OK) qn_source_close(source);
  return status;
}

void qn_source_close(qn_source *source) {
  if (source->mapped)
    munmap(source->data, source->held);
  else
    qn_host_free(source->data, source->held);
  source->data = NULL;
  source->size = source->held = 0;
  source->mapped = false;
}

void qn_source_give(qn_source *source, qn_file_matrix *m) {
  m->hold = source->mapped ? QN_IO_MAPPED : QN_IO_ALLOCATED;
  m->base = source->data;
  m->bytes = source->held;
  source->data = NULL;
  source->size = source->held = 0;
  source->mapped = false;
}

void qn_source_drop(const qn_source *source, size_t offset, size_t *dropped) {
  enum { STEP = 32 << 20 };
  if (!source->mapped || offset < *dropped + STEP) return;
  size_t whole = offset & ~(size_t)((64 << 10) - 1); /* a multiple of any page size in use */
  madvise(source->data + *dropped, whole - *dropped, MADV_DONTNEED);
  *dropped = whole;
}
