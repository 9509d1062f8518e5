/* Arguments of a kernel launch, collected one by one, and the launch. A qn_call is never copied:
 * its arguments point into it. */
#ifndef QN_BLAS3_LAUNCH_H
#define QN_BLAS3_LAUNCH_H

#include "blas3/epilogue.h"
#include "jit/form.h"

enum { QN_CALL_ARGS = 24 + QN_EPILOGUE_SCALARS + 4 * QN_EPILOGUE_MATRICES };
_Static_assert((int)QN_CALL_ARGS <= (int)QN_MAX_KERNEL_ARGS, "what a kernel may take");

typedef struct qn_call {
  qn_arg args[QN_CALL_ARGS];
  union {
    int32_t i32;
    int64_t i64;
    float f32[2];
    double f64[2];
  } values[QN_CALL_ARGS];
  unsigned count;
  /* CUDA alone: how many groups along z are one cluster (0 for none), bytes of dynamic memory. */
  uint32_t cluster, dynamic;
  uint32_t cluster_x; /* how many groups, neighbours along x, are one cluster */
  bool early;         /* the kernel waits for the launch before it by itself (qn_launch) */
} qn_call;

void qn_call_i32(qn_call *call, int32_t value);
void qn_call_i64(qn_call *call, int64_t value);
/* As the accumulator of `dtype`: one or two f32 or f64. */
void qn_call_scalar(qn_call *call, qn_dtype dtype, qn_scalar value);
void qn_call_buffer(qn_call *call, const qn_buffer *buffer);
/* Any other value; `value` stays the caller's until the launch. */
void qn_call_bytes(qn_call *call, const void *value, size_t size);
/* Buffer, offset and leading dimension. */
void qn_call_matrix(qn_call *call, qn_matrix m);

/* What EPILOGUE_PARAMS declares behind a kernel's own parameters; nothing without an epilogue. */
void qn_call_epilogue(qn_call *call, qn_dtype dtype, const qn_epilogue_use *use);

/* How kernels take a transpose, as a macro: 0 N, 1 T, 2 C. */
static inline uint8_t qn_trans_code(qn_trans trans) {
  return trans == QN_NOTRANS ? 0 : trans == QN_TRANS ? 1 : 2;
}

/* Groups x, y, z of `items` items in one dimension. */
typedef struct qn_call_shape {
  int64_t x, y, z;
  uint32_t items;
} qn_call_shape;

/* Launches the kernel; on a stream that rehearses, notes its form and launches nothing. */
qn_status qn_call_run(qn_stream *stream, const qn_form *form, qn_call_shape shape,
                      const qn_call *call);

/* Workspace through which groups of one launch hand results to one another
 * (src/kernels/cuda/exchange.cu): so many elements, all holes, and a ticket behind them. */
qn_status qn_exchange_alloc(qn_stream *stream, int64_t elements, qn_dtype dtype,
                            qn_buffer **exchange);

/* An item for an element of a view and those beside it, some columns apart: groups of QN_CALL_ITEMS
 * along the rows, grid y along the columns. */
enum { QN_CALL_ITEMS = 64, QN_CALL_MOST_Y = 65535 };
qn_status qn_call_each(qn_stream *stream, qn_matrix over, const qn_form *form, const qn_call *call);

#endif
