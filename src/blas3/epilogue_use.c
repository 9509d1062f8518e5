/* One use of an epilogue: the arguments of a call, checked against what the expression names. */
#include "blas3/epilogue.h"
#include <stdio.h>

static const char function[] = "qn_gemm_ex";

/* "bias_n (column 7 of the epilogue)" */
typedef struct label {
  char text[QN_EPILOGUE_NAME + 40];
} label;

static label label_of(const qn_epilogue *e, int slot) {
  label l;
  snprintf(l.text, sizeof l.text, "%s (column %u of the epilogue)", e->name[slot], e->column[slot]);
  return l;
}

/* How the matrix of a slot lies over a C of m x n; false where its shape is none that it may have.
 */
static bool fit(int slot, qn_matrix x, int64_t m, int64_t n, qn_epilogue_matrix *fitted) {
  *fitted = (qn_epilogue_matrix){x, 0, 0};
  bool own = slot >= QN_SLOT_OPERAND;
  if ((own || slot == QN_SLOT_RESIDUAL) && x.rows == m && x.cols == n) {
    fitted->step_i = 1;
    fitted->step_j = x.ld;
    return true;
  }
  int64_t along_rows = slot == QN_SLOT_BIAS_M || own ? m : -1;
  int64_t along_cols = slot == QN_SLOT_BIAS_N || own ? n : -1;
  if (x.cols == 1 && x.rows == along_rows) return fitted->step_i = 1, true;
  if (x.rows == 1 && x.cols == along_cols) return fitted->step_j = x.ld, true;
  if (own) return false;
  /* a bias may lie either way */
  if (x.rows == 1 && x.cols == along_rows) return fitted->step_i = x.ld, true;
  if (x.cols == 1 && x.rows == along_cols) return fitted->step_j = 1, true;
  return false;
}

static const char *shapes_of(int slot) {
  if (slot == QN_SLOT_BIAS_M) return "a vector of as many values as c has rows";
  if (slot == QN_SLOT_BIAS_N) return "a vector of as many values as c has columns";
  return slot == QN_SLOT_RESIDUAL ? "of c's shape" : "of c's shape, one column or one row of it";
}

static qn_status check_matrix(qn_stream *stream, const qn_epilogue *e, int slot, qn_matrix x,
                              qn_dtype dtype, qn_matrix c, qn_epilogue_matrix *fitted) {
  label l = label_of(e, slot);
  QN_TRY(qn_matrix_check(stream, x, function, l.text));
  if (x.dtype != dtype && x.dtype != qn_dtype_compute(dtype))
    return qn_fail(QN_EINVAL, function, "%s is %s where a is %s", l.text, qn_dtype_name(x.dtype),
                   qn_dtype_name(dtype));
  if (fit(slot, x, c.rows, c.cols, fitted)) return QN_OK;
  return qn_fail(QN_EINVAL, function, "%s is %lld x %lld where c is %lld x %lld; it must be %s",
                 l.text, (long long)x.rows, (long long)x.cols, (long long)c.rows, (long long)c.cols,
                 shapes_of(slot));
}

static qn_matrix argument(const qn_epilogue_args *args, int slot) {
  switch (slot) {
  case QN_SLOT_BIAS_M:
    return args->bias_m;
  case QN_SLOT_BIAS_N:
    return args->bias_n;
  case QN_SLOT_RESIDUAL:
    return args->residual;
  default:
    return args->operand[slot - QN_SLOT_OPERAND];
  }
}

static qn_status check_matrices(qn_stream *stream, const qn_epilogue *e,
                                const qn_epilogue_args *args, qn_dtype dtype, qn_matrix c,
                                qn_epilogue_use *use) {
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++) {
    int slot = QN_SLOT_BIAS_M + i;
    use->matrix[i] = (qn_epilogue_matrix){.m.buffer = NULL};
    if (!qn_epilogue_reads(&e->program, (unsigned)slot)) continue;
    qn_matrix x = argument(args, slot);
    QN_TRY(check_matrix(stream, e, slot, x, dtype, c, &use->matrix[i]));
    if (x.dtype != dtype) use->f32 |= (uint8_t)(1u << i);
  }
  return QN_OK;
}

qn_status qn_epilogue_check(qn_stream *stream, const qn_epilogue *e, const qn_epilogue_args *args,
                            qn_dtype dtype, qn_matrix c, qn_epilogue_use *use) {
  static const qn_epilogue_args none;
  if (qn_dtype_is_complex(dtype) && e->real_column)
    return qn_fail(QN_EINVAL, function, "column %u of the epilogue: %s has no meaning for %s",
                   e->real_column, e->real_name, qn_dtype_name(dtype));
  if (!args) args = &none;
  use->epilogue = e;
  use->text = NULL;
  use->f32 = 0;
  for (int i = 0; i < QN_EPILOGUE_SCALARS; i++) use->scalar[i] = args->scalar[i];
  QN_TRY(check_matrices(stream, e, args, dtype, c, use));
  return stream->device->cpu ? QN_OK : qn_epilogue_text(e, &use->text);
}
