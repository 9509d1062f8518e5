/* Writing a Matrix Market file: array, general, column by column. */
#include "io/write.h"
#include "io/convert.h"
#include "io/number.h"
#include "core/core.h"
#include <inttypes.h>
#include <stdio.h>

enum {
  STEP = 256,             /* elements converted at a time */
  BUFFER_BYTES = 1 << 18, /* text gathered for a write */
  ENTRY_BYTES = 2 * QN_IO_REAL_BYTES,
};

typedef struct text {
  qn_output *output;
  char *bytes;
  size_t used;
} text;

static qn_status flush(text *t) {
  size_t used = t->used;
  t->used = 0;
  return qn_output_write(t->output, t->bytes, used);
}

/* Up to STEP elements of one column, a line each. */
static qn_status write_run(text *t, const void *elements, qn_dtype dtype, size_t count) {
  double numbers[2 * STEP];
  size_t parts = qn_dtype_is_complex(dtype) ? 2 : 1;
  qn_io_convert(numbers, parts == 2 ? QN_C128 : QN_F64, elements, dtype, count);
  if (t->used + count * ENTRY_BYTES > BUFFER_BYTES) {
    qn_status status = flush(t);
    if (status != QN_OK) return status;
  }
  for (size_t e = 0; e < count * parts; e++) {
    t->used += qn_io_format_real(t->bytes + t->used, numbers[e], dtype);
    t->bytes[t->used++] = e % parts + 1 == parts ? '\n' : ' ';
  }
  return QN_OK;
}

static qn_status write_elements(text *t, const qn_file_matrix *m) {
  size_t size = qn_dtype_size(m->dtype);
  for (int64_t j = 0; m->rows > 0 && j < m->cols; j++) {
    const char *column = (const char *)m->data + (size_t)j * (size_t)m->ld * size;
    for (int64_t i = 0; i < m->rows; i += STEP) {
      size_t count = (size_t)qn_min64(STEP, m->rows - i);
      qn_status status = write_run(t, column + (size_t)i * size, m->dtype, count);
      if (status != QN_OK) return status;
    }
  }
  return flush(t);
}

qn_status qn_mtx_write(qn_output *output, const qn_file_matrix *m) {
  text t = {output, qn_host_alloc(BUFFER_BYTES), 0};
  if (!t.bytes) return qn_fail(QN_ENOMEM, output->name, "no memory for a buffer");
  t.used = (size_t)snprintf(t.bytes, BUFFER_BYTES,
                            "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n",
                            qn_dtype_is_complex(m->dtype) ? "complex" : "real", m->rows, m->cols);
  qn_status status = write_elements(&t, m);
  qn_host_free(t.bytes, BUFFER_BYTES);
  return status;
}
