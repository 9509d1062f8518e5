/* An epilogue as those who compute it see it: a list of operations on numbered slots.
 *
 *   relu(acc + bias_n * 2)        constant 0: 2
 *                                 temp 0 := bias_n * constant 0
 *                                 temp 0 := acc + temp 0
 *                                 temp 0 := relu temp 0
 *
 * The last operation leaves the result. src/blas3 parses the text into it and writes it out as C
 * for kernels; the cpu backend runs it over strips of columns. */
#ifndef QN_DEVICE_EPILOGUE_H
#define QN_DEVICE_EPILOGUE_H

#include "core/core.h"
#include <quern/epilogue.h>

enum { QN_EPILOGUE_CONSTANTS = 32, QN_EPILOGUE_TEMPS = 24, QN_EPILOGUE_OPS = 256 };

/* Where a value stands. The matrices are one run, from bias_m on. */
enum {
  QN_SLOT_ACC,
  QN_SLOT_C,
  QN_SLOT_ROW,
  QN_SLOT_COL,
  QN_SLOT_BIAS_M,
  QN_SLOT_BIAS_N,
  QN_SLOT_RESIDUAL,
  QN_SLOT_OPERAND,
  QN_SLOT_SCALAR = QN_SLOT_OPERAND + QN_EPILOGUE_OPERANDS,
  QN_SLOT_CONSTANT = QN_SLOT_SCALAR + QN_EPILOGUE_SCALARS,
  QN_SLOT_TEMP = QN_SLOT_CONSTANT + QN_EPILOGUE_CONSTANTS,
  QN_SLOTS = QN_SLOT_TEMP + QN_EPILOGUE_TEMPS,
  QN_EPILOGUE_MATRICES = QN_SLOT_SCALAR - QN_SLOT_BIAS_M
};

/* name of the operation, how many sources it has, whether complex numbers have it */
#define QN_EPILOGUE_CODES(X)                                                                       \
  X(copy, 1, true)                                                                                 \
  X(add, 2, true)                                                                                  \
  X(sub, 2, true)                                                                                  \
  X(mul, 2, true)                                                                                  \
  X(div, 2, true)                                                                                  \
  X(neg, 1, true)                                                                                  \
  X(lt, 2, false)                                                                                  \
  X(le, 2, false)                                                                                  \
  X(gt, 2, false)                                                                                  \
  X(ge, 2, false)                                                                                  \
  X(eq, 2, true)                                                                                   \
  X(ne, 2, true)                                                                                   \
  X(select, 3, true)                                                                               \
  X(min, 2, false)                                                                                 \
  X(max, 2, false)                                                                                 \
  X(abs, 1, true)                                                                                  \
  X(exp, 1, false)                                                                                 \
  X(log, 1, false)                                                                                 \
  X(tanh, 1, false)                                                                                \
  X(erf, 1, false)                                                                                 \
  X(sqrt, 1, false)                                                                                \
  X(relu, 1, false)                                                                                \
  X(gelu, 1, false)                                                                                \
  X(gelu_tanh, 1, false)                                                                           \
  X(silu, 1, false)                                                                                \
  X(sigmoid, 1, false)                                                                             \
  X(clamp, 3, false)

typedef enum qn_epilogue_code {
#define QN_EPILOGUE_ENUM(name, sources, complex) QN_EPI_##name,
  QN_EPILOGUE_CODES(QN_EPILOGUE_ENUM)
#undef QN_EPILOGUE_ENUM
      QN_EPI_COUNT
} qn_epilogue_code;

typedef struct qn_epilogue_op {
  uint8_t code, target, source[3]; /* slots; the target is a temp */
} qn_epilogue_op;

typedef struct qn_epilogue_program {
  qn_epilogue_op op[QN_EPILOGUE_OPS];
  double constant[QN_EPILOGUE_CONSTANTS];
  unsigned ops, constants, temps;
  uint32_t uses; /* bit 1 << slot for what stands before the constants */
} qn_epilogue_program;

static inline bool qn_epilogue_reads(const qn_epilogue_program *p, unsigned slot) {
  return p->uses >> slot & 1;
}

#endif
