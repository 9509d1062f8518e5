/* Epilogues in blas3: a parsed expression, and one use of it by a product.
 *
 *   text --epilogue_parse.c--> program --epilogue_text.c--> C for kernels
 *                                 |
 *                                 +---> the cpu's strips (device/epilogue.h)
 *
 *   qn_epilogue_args --epilogue_use.c--> qn_epilogue_use, checked, for one call */
#ifndef QN_BLAS3_EPILOGUE_H
#define QN_BLAS3_EPILOGUE_H

#include "device/device.h"
#include "device/epilogue.h"
#include "jit/source.h"

enum {
  QN_EPILOGUE_NAME = 32,                /* characters of a name, with its end */
  QN_EPILOGUE_NAMES = QN_SLOT_CONSTANT, /* slots that have one */
  QN_EPILOGUE_NESTING = 64
};

struct qn_epilogue {
  qn_epilogue_program program;
  char name[QN_EPILOGUE_NAMES][QN_EPILOGUE_NAME]; /* "" where none was declared */
  unsigned column[QN_EPILOGUE_NAMES];             /* of a name's first use, from 1 */
  unsigned real_column; /* of the first operation that complex numbers lack; 0: none */
  char real_name[12];   /* and its name */
  _Atomic(const qn_replacement *)
      text; /* for kernels, NULL until the first use: all that changes */
};

/* A matrix that the expression names: element (i, j) counts at (i step_i, j step_j). */
typedef struct qn_epilogue_matrix {
  qn_matrix m; /* no buffer: not named */
  int64_t step_i, step_j;
} qn_epilogue_matrix;

/* What the names stand for in one call, checked. */
typedef struct qn_epilogue_use {
  const qn_epilogue *epilogue;
  const qn_replacement *text; /* NULL on the cpu */
  qn_epilogue_matrix matrix[QN_EPILOGUE_MATRICES];
  qn_scalar scalar[QN_EPILOGUE_SCALARS];
  uint8_t f32; /* bit i: matrix i is f32 where A is a half */
} qn_epilogue_use;

/* The function of a name; QN_EPI_COUNT where there is none. */
qn_epilogue_code qn_epilogue_function(const char *name);

/* Parses `expression` into *e, whose names stand; the error has the column. */
qn_status qn_epilogue_parse(const char *expression, qn_epilogue *e);

/* Checks the arguments of a product C (m x n) of `dtype` and fills in *use. */
qn_status qn_epilogue_check(qn_stream *stream, const qn_epilogue *e, const qn_epilogue_args *args,
                            qn_dtype dtype, qn_matrix c, qn_epilogue_use *use);

/* Whether it is short straight code of acc and the two biases alone, which kernels may put down
 * many times over (EPILOGUE_LIGHT of portable/epilogue.cl). */
bool qn_epilogue_is_light(const qn_epilogue *e);

/* The text that stands for portable/epilogue.cl, to be freed with qn_host_strfree; NULL without
 * memory. */
char *qn_epilogue_write(const qn_epilogue *e);
/* The same, made once for equal expressions. */
qn_status qn_epilogue_text(const qn_epilogue *e, const qn_replacement **text);

#endif
