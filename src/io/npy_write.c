/* Writing a .npy file: version 1, Fortran order, so that the columns go out as they stand. */
#include "io/write.h"
#include "io/npy.h"
#include "core/core.h"
#include <string.h>

/* Gathers short columns that have a gap after each into larger writes. */
static qn_status write_gathered(qn_output *output, const qn_file_matrix *m, size_t column) {
  enum { STEP = 1 << 20 };
  size_t stride = (size_t)m->ld * qn_dtype_size(m->dtype);
  size_t each = STEP / column, capacity = each * column;
  char *buffer = qn_host_alloc(capacity);
  if (!buffer) return qn_fail(QN_ENOMEM, output->name, "no memory for a buffer of 1 MB");
  qn_status status = QN_OK;
  for (int64_t j = 0; j < m->cols && status == QN_OK;) {
    size_t used = 0;
    for (; used < capacity && j < m->cols; used += column, j++)
      memcpy(buffer + used, (const char *)m->data + (size_t)j * stride, column);
    status = qn_output_write(output, buffer, used);
  }
  qn_host_free(buffer, capacity);
  return status;
}

qn_status qn_npy_write(qn_output *output, const qn_file_matrix *m) {
  enum { LONG_COLUMN = 1 << 18 };
  char header[QN_NPY_HEADER_MAX];
  size_t length = qn_npy_format(header, m->dtype, m->rows, m->cols);
  qn_status status = qn_output_write(output, header, length);
  size_t size = qn_dtype_size(m->dtype), column = (size_t)m->rows * size;
  if (status != QN_OK || column == 0 || m->cols == 0) return status;
  if (m->ld == m->rows || m->cols == 1)
    return qn_output_write(output, m->data, column * (size_t)m->cols);
  if (column < LONG_COLUMN) return write_gathered(output, m, column);
  for (int64_t j = 0; j < m->cols && status == QN_OK; j++)
    status = qn_output_write(output, (const char *)m->data + (size_t)(j * m->ld) * size, column);
  return status;
}
