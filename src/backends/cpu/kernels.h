/* What one instruction set provides: the inner kernels of the packed products and the packing that
 * feeds them. One table an instruction set (isa_*.c), chosen at run time by qn_cpu_isa_get().
 *
 * Every product is made of tiles of C, mr rows by nr columns, held in registers while k runs:
 *
 *          nr
 *         +--+   B panel            A panel                    B panel
 *         |  | k                    mr rows x k,               nr columns x k,
 *         +--+                      mr contiguous a k-step     nr contiguous a k-step
 *   +---+ +--+                      a00 a10 .. a(mr-1)0        b00 b01 .. b0(nr-1)
 * mr| A | |C |                      a01 a11 .. a(mr-1)1        b10 b11 .. b1(nr-1)
 *   +---+ +--+                      ...                        ...
 *     k
 *
 * Panels that are not full are padded with zeros, so that a panel always takes mr*k (nr*k)
 * elements, and panels follow one another without a gap. Complex panels are split into planes
 * within each k-step, in reals:
 *
 *   re0 re1 .. re(mr-1)  im0 im1 .. im(mr-1)  | next k-step ...      (nr for a B panel)
 *
 * f16 and bf16 become f32 while they are packed; their kernel is f32's. */
#ifndef QN_CPU_KERNELS_H
#define QN_CPU_KERNELS_H

#include "device/cpu_ops.h"

enum { QN_TILE_MAX = 64 * 16 }; /* mr * nr never exceeds it: room for one tile on the stack */

/* C := alpha A B + beta C on one tile.
 *   k               steps, >= 0
 *   a, a_step       A panel; reals between k-steps (the panel's own: mr, or 2 mr where complex). A
 *                   step of lda reads a matrix in place that has full vectors in every column.
 *   b, b_step       the same for the B panel
 *   alpha, beta     pointers to one element of C's dtype; beta = 0 never reads C
 *   c, ldc          element (0, 0) of the tile in C; elements between columns
 *   rows, cols      the part of the tile that exists, 1..mr and 1..nr */
typedef void qn_tile_fn(int64_t k, const void *a, int64_t a_step, const void *b, int64_t b_step,
                        const void *alpha, const void *beta, void *c, int64_t ldc, int rows,
                        int cols);

/* An operand as packing sees it: `width` is the dimension that tiles run over (rows of op(A),
 * columns of op(B)), k the inner one.
 *   along_k = false: element (w, p) at src[w + p * ld]     op(A) = A, or op(B) = B'
 *   along_k = true : element (w, p) at src[p + w * ld]     op(A) = A', or op(B) = B  */
typedef struct qn_operand {
  const void *src;
  int64_t ld;
  bool along_k, conj;
} qn_operand;

/* Packs element (0..width-1, 0..k-1) of the operand into ceil(width / w) panels at `dst`, w being
 * mr or nr. */
typedef void qn_pack_fn(const qn_operand *x, int64_t width, int64_t k, void *dst);

/* The kernels of one dtype. */
typedef struct qn_tile_kernels {
  int mr, nr;
  int vector; /* reals in a vector; mr is a multiple of it */
  qn_tile_fn *tile;
  qn_pack_fn *pack_a, *pack_b;
} qn_tile_kernels;

typedef struct qn_cpu_isa {
  const char *name;
  qn_tile_kernels dtype[QN_DTYPE_COUNT];
  /* `n` contiguous elements, converted; round to nearest even, NaN stays a (quiet) NaN. */
  void (*f16_to_f32)(int64_t n, const uint16_t *src, float *dst);
  void (*f32_to_f16)(int64_t n, const float *src, uint16_t *dst);
  void (*bf16_to_f32)(int64_t n, const uint16_t *src, float *dst);
  void (*f32_to_bf16)(int64_t n, const float *src, uint16_t *dst);
} qn_cpu_isa;

extern const qn_cpu_isa qn_cpu_isa_plain;
#if defined(__x86_64__)
extern const qn_cpu_isa qn_cpu_isa_avx2, qn_cpu_isa_avx512;
#elif defined(__aarch64__)
extern const qn_cpu_isa qn_cpu_isa_neon;
#endif

/* The best instruction set of this machine, or the one that QUERN_CPU_ISA names. Chosen at the
 * first call, constant from then on. */
const qn_cpu_isa *qn_cpu_isa_get(void);
/* The variant of a name ("avx512" ...); NULL where this machine or build has none of that name. */
const qn_cpu_isa *qn_cpu_isa_find(const char *name);

/* Block sizes of the packed products for a dtype, from the caches of this machine: a B panel of kc
 * steps stays in L1, an A block of mc x kc in L2, B's block of kc x nc in the last level; where B
 * is packed by strips of kc x strip these stay in L2. mc is a multiple of mr, strip and nc of nr.
 * kc decides where sums are cut, and so the bits: it depends on the machine and dtype alone. */
typedef struct qn_blocking {
  int64_t mc, kc, nc, strip;
} qn_blocking;

const qn_blocking *qn_cpu_blocking(qn_dtype dtype);

#endif
