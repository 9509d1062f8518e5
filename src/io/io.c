/* Opening by content, writing by name. */
#include "io/convert.h"
#include "io/mtx.h"
#include "io/npy.h"
#include "io/write.h"
#include "core/core.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

typedef qn_status (*writer)(qn_output *output, const qn_file_matrix *m);

static writer writer_of(const char *path) {
  static const struct {
    const char *ending;
    writer write;
  } known[] = {{".npy", qn_npy_write}, {".mtx", qn_mtx_write}};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t ending = strlen(known[i].ending);
    if (length > ending && strcasecmp(path + length - ending, known[i].ending) == 0)
      return known[i].write;
  }
  return NULL;
}

static qn_status fail_unknown(const qn_source *source) {
  if (source->size == 0) return qn_fail(QN_EFORMAT, source->name, "is empty");
  if (source->size >= 4 && memcmp(source->data, "PK\3\4", 4) == 0)
    return qn_fail(QN_EFORMAT, source->name,
                   "is an archive (.npz?); save the one array as .npy with numpy.save");
  return qn_fail(QN_EFORMAT, source->name, "is neither a .npy nor a Matrix Market file");
}

static qn_status read_source(qn_source *source, const qn_dtype *want, qn_file_matrix *m) {
  if (qn_npy_recognise(source)) return qn_npy_read(source, want, m);
  if (qn_mtx_recognise(source)) return qn_mtx_read(source, want, m);
  return fail_unknown(source);
}

static qn_status open_matrix(const char *path, const qn_dtype *want, qn_file_matrix *m) {
  qn_source source;
  memset(m, 0, sizeof *m);
  qn_status status = qn_source_open(path, &source);
  if (status != QN_OK) return status;
  status = read_source(&source, want, m);
  qn_source_close(&source);
  if (status == QN_OK && want) status = qn_io_convert_matrix(source.name, *want, m);
  if (status != QN_OK) qn_io_close(m);
  return status;
}

qn_status qn_io_open(const char *path, qn_file_matrix *m) {
  if (!path || !m) return qn_fail(QN_EINVAL, "qn_io_open", "path or m is NULL");
  return open_matrix(path, NULL, m);
}

qn_status qn_io_open_as(const char *path, qn_dtype dtype, qn_file_matrix *m) {
  if (!path || !m || qn_dtype_size(dtype) == 0)
    return qn_fail(QN_EINVAL, "qn_io_open_as", "path or m is NULL, or %d is no dtype", (int)dtype);
  return open_matrix(path, &dtype, m);
}

void qn_io_close(qn_file_matrix *m) {
  if (!m) return;
  qn_source held = {.data = m->base, .held = m->bytes, .mapped = m->hold == QN_IO_MAPPED};
  if (m->hold != QN_IO_BORROWED) qn_source_close(&held);
  memset(m, 0, sizeof *m);
}

qn_status qn_io_check_output(const char *path) {
  char name[QN_IO_NAME_BYTES];
  if (!path) return qn_fail(QN_EINVAL, "qn_io_check_output", "path is NULL");
  if (writer_of(path)) return QN_OK;
  qn_io_printable(name, sizeof name, path, strlen(path));
  return qn_fail(QN_EINVAL, name, "ends in neither .npy nor .mtx, the formats that can be written");
}

static qn_status check_view(const qn_file_matrix *m) {
  if (qn_dtype_size(m->dtype) == 0)
    return qn_fail(QN_EINVAL, "qn_io_write", "dtype %d is none", (int)m->dtype);
  if (m->rows < 0 || m->cols < 0 || m->ld < qn_max64(1, m->rows))
    return qn_fail(QN_EINVAL, "qn_io_write",
                   "shape %" PRId64 " x %" PRId64 " with ld %" PRId64 " is none", m->rows, m->cols,
                   m->ld);
  if (!m->data && m->rows > 0 && m->cols > 0)
    return qn_fail(QN_EINVAL, "qn_io_write", "data is NULL");
  return QN_OK;
}

qn_status qn_io_write(const char *path, const qn_file_matrix *m) {
  if (!m) return qn_fail(QN_EINVAL, "qn_io_write", "m is NULL");
  qn_status status = qn_io_check_output(path);
  if (status == QN_OK) status = check_view(m);
  if (status != QN_OK) return status;
  qn_output output;
  status = qn_output_open(path, &output);
  if (status != QN_OK) return status;
  status = writer_of(path)(&output, m);
  if (status == QN_OK) return qn_output_finish(&output);
  qn_output_abandon(&output);
  return status;
}
