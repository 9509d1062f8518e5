/* What one instruction set provides for the triangular routines, on the one form of tri_form.h.
 *
 * Right-hand sides lie along the vectors: a panel holds `mr` of them, unknown after unknown, and is
 * solved (multiplied) in place. The triangle is packed in blocks of `nr` unknowns, each a panel of
 * steps as a product's B panel is, ended by its corner of the diagonal:
 *
 *      k    nr                                          mr
 *    +-----+--+                    step 0             +----+
 *    | ............                t00 t10 .. t50     |    | k unknowns, known by now
 * nr | block |\ |                  t01 t11 .. t51     |    |
 *    +-----+--+                    ...                +----+
 *      panel  corner               corner: d, and     |    | nr unknowns, in registers
 *                                  t below it         +----+
 *
 * Block 0 holds what n leaves over a multiple of nr, after rows of the identity that complete it;
 * a panel has as many zeros before its first unknown. All other blocks are full. Complex elements
 * are split within each step: mr (nr) real parts, then as many imaginary parts.
 *
 * A larger triangle is cut into strips of blocks; the rectangle of a strip's rows and some columns
 * before it is packed in the same blocks, without corners. */
#ifndef QN_TRI_KERNELS_H
#define QN_TRI_KERNELS_H

#include "backends/cpu/tri_form.h"

typedef enum qn_tri_use {
  QN_TRI_SOLVE,  /* the diagonal packed as its reciprocal */
  QN_TRI_DIVIDE, /* as it is, for a solve that divides */
  QN_TRI_MULTIPLY
} qn_tri_use;

typedef struct qn_tri_kernels {
  int mr, nr;
  /* Whether reciprocals of the diagonal are as good as dividing: each is a normal number, or gives
   * what a quotient by zero, Inf or NaN is. */
  bool (*reciprocals_do)(const qn_tri_form *f);
  void (*pack_triangle)(const qn_tri_form *f, qn_tri_use use, void *triangle);
  /* Packs `blocks` blocks of rows from `row` on, a block's first, over columns
   * column .. column+k-1, k >= 4. */
  void (*pack_rectangle)(const qn_tri_form *f, int64_t row, int64_t column, int64_t k,
                         int64_t blocks, void *rectangle);
  /* Packs right-hand sides first .. first+count-1, times alpha, mr a panel, and puts them back. A
   * panel has room for n rounded up to nr; panel_size is the bytes from one to the next. */
  void (*pack)(const qn_tri_form *f, int64_t first, int64_t count, void *panels, size_t panel_size);
  void (*unpack)(const qn_tri_form *f, int64_t first, int64_t count, const void *panels,
                 size_t panel_size);
  /* On the n unknowns from `panel` on, that is with the zeros before them. The panel that is worked
   * on after this one lies `next` bytes further on; there need not be one. */
  void (*solve)(int64_t n, bool divide, const void *triangle, void *panel, size_t next);
  void (*multiply)(int64_t n, const void *triangle, void *panel, size_t next);
  /* Subtracts (solve) or adds rectangle times x: `blocks` blocks of k steps, x the k unknowns of
   * its columns, `out` those of its rows. */
  void (*update)(int64_t k, int64_t blocks, bool solve, const void *rectangle, const void *x,
                 void *out, size_t next);
  /* Cholesky of a block, best of potrf_block unknowns; element (i, j) of the lower factor at a[i ai
   * + j aj]: the bytes that it needs, and the first bad pivot or 0. NULL for the complex types. */
  int potrf_block;
  size_t (*potrf_workspace)(int64_t n);
  int64_t (*potrf)(void *a, ptrdiff_t ai, ptrdiff_t aj, int64_t n, void *workspace);
} qn_tri_kernels;

/* Those of the instruction set in use; dtype is f32 f64 c64 c128. */
const qn_tri_kernels *qn_tri_kernels_get(qn_dtype dtype);

/* One table an instruction set, indexed by dtype. */
typedef struct qn_tri_isa {
  qn_tri_kernels dtype[QN_DTYPE_COUNT];
} qn_tri_isa;

extern const qn_tri_isa qn_tri_isa_plain;
#if defined(__x86_64__)
extern const qn_tri_isa qn_tri_isa_avx2, qn_tri_isa_avx512;
#elif defined(__aarch64__)
extern const qn_tri_isa qn_tri_isa_neon;
#endif

#endif
