/* What the environment sets for blas3. Read once, at the process's first use of a routine, so that
 * a small call never pays for it: later changes of the environment have no effect.
 *
 *   QUERN_GEMM_VARIANT     the only gemm variant to use; a name the device does not know is logged
 *                          and ignored
 *   QUERN_TRSM_VARIANT     "columns": a group a right-hand side, on devices with kernels, for
 *                          measuring; "tensor": by tensor cores however few right-hand sides, where
 *                          there are any, for testing
 *   QUERN_TRSM_BLOCK       the order of a base block, unless qn_device_set_trsm_block is called
 *   QUERN_TRMM_BLOCK       likewise
 *   QUERN_POTRF_BLOCK      columns that potrf factors at once: where it takes along what is below
 *                          them a multiple of 64, else at most the target's own
 *   QUERN_TRIANGLE_BLOCKS  how many blocks of a triangle one launch takes, on devices with kernels
 */
#ifndef QN_BLAS3_SETTINGS_H
#define QN_BLAS3_SETTINGS_H

#include "core/core.h"

typedef struct qn_settings {
  char gemm_variant[32]; /* "" for none */
  bool trsm_columns, trsm_tensor;
  int64_t trsm_block, trmm_block, potrf_block; /* 0 for the target's own */
  int triangle_blocks;                         /* likewise */
} qn_settings;

const qn_settings *qn_settings_get(void);

#endif
