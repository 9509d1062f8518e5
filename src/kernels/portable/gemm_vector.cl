/* C := alpha op(A) op(B) + beta C for OpenCL devices that are CPUs: no local memory, no barriers, one
 * item a group, vectors as wide as two registers of theirs. OpenCL C only.
 *
 *   pack_a   op(A) into panels of MR rows       pack_b   op(B) into panels of NR columns
 *
 *        p = 0   1   2 ...                           p = 0: b(0, 0) .. b(0, NR-1)
 *      +---+---+---+                                 p = 1: b(1, 0) .. b(1, NR-1)
 *   MR | 2 vectors each, one behind the other        ...
 *      +---+---+---+
 *
 * Rows and columns beyond the edge are zeros, so that `gemm` has no edges but its stores. A step of k
 * is then two vector loads and NR broadcasts for 2 NR vector products:
 *
 *   real     v0, v1: 2 W rows               sum0[j] += v0 b[j]         sum1[j] += v1 b[j]
 *   complex  v0, v1: re and im of W rows    sum0[j] += v0 re - v1 im   sum1[j] += v0 im + v1 re
 *
 * Macros: QN_T, C_F32 (out.cl); TRANSA, TRANSB 0 N, 1 T, 2 C. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"

#define NR 8
#if QN_T == 3 || QN_T == 5
#define W 8
typedef double8 wide;
#define LOAD_WIDE(p)     vload8(0, p)
#define STORE_WIDE(v, p) vstore8(v, 0, p)
#else
#define W 16
typedef float16 wide;
#define LOAD_WIDE(p)     vload16(0, p)
#define STORE_WIDE(v, p) vstore16(v, 0, p)
#endif
#define K_RUN 64 /* steps that one item packs */
#define PARTS (QN_IS_COMPLEX ? 2 : 1)
#define MR    (QN_IS_COMPLEX ? W : 2 * W)
/* How op(B)'s transpose is stored: N as T, T as N, C as a conjugated N (3). */
#define TURNED_B (TRANSB == 0 ? 1 : TRANSB == 1 ? 0 : 3)

QN_DEV acc operand(QN_GLOBAL const elem *x, qn_i64 ld, int trans, qn_i64 row, qn_i64 col) {
  acc value = acc_load(trans == 1 || trans == 2 ? x[col + row * ld] : x[row + col * ld]);
  return trans >= 2 ? acc_conj(value) : value;
}

#if QN_IS_COMPLEX
#define RE(z) ((z).x)
#define IM(z) ((z).y)
#else
#define RE(z) (z)
#define IM(z) ((real)0)
#endif

/* A panel's step p: `rows` elements of op(A), or of the transpose of op(B), from row i0 on, and zeros up
 * to `most`; the real parts first. */
QN_DEV void pack_step(QN_GLOBAL const elem *x, qn_i64 ld, int trans, qn_i64 i0, int rows, int most,
                      qn_i64 p, QN_GLOBAL real *to) {
  for (int i = 0; i < most; i++) {
    const acc value = i < rows ? operand(x, ld, trans, i0 + i, p) : acc_zero();
    to[i] = RE(value);
    if (QN_IS_COMPLEX) to[most + i] = IM(value);
  }
}

/* Grid: x = panels of A, y = runs of K_RUN steps. */
QN_KERNEL void pack_a(qn_i64 m, qn_i64 k, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off,
                      qn_i64 ld, QN_GLOBAL real *QN_RESTRICT panels) {
  const qn_i64 i0 = (qn_i64)QN_WGID(0) * MR, p0 = (qn_i64)QN_WGID(1) * K_RUN;
  const qn_i64 end = QN_MIN(p0 + K_RUN, k);
  panels += QN_WGID(0) * k * (2 * W);
  if (i0 + MR <= m) {
    for (qn_i64 p = p0; p < end; p++)
      pack_step(a + off, ld, TRANSA, i0, MR, MR, p, panels + p * (2 * W));
  } else {
    for (qn_i64 p = p0; p < end; p++)
      pack_step(a + off, ld, TRANSA, i0, (int)(m - i0), MR, p, panels + p * (2 * W));
  }
}

/* Grid: x = panels of B, y = runs of K_RUN steps. A column of B is a row of its transpose. */
QN_KERNEL void pack_b(qn_i64 n, qn_i64 k, QN_GLOBAL const elem *QN_RESTRICT b, qn_i64 off,
                      qn_i64 ld, QN_GLOBAL real *QN_RESTRICT panels) {
  const qn_i64 j0 = (qn_i64)QN_WGID(0) * NR, p0 = (qn_i64)QN_WGID(1) * K_RUN;
  const qn_i64 end = QN_MIN(p0 + K_RUN, k);
  panels += QN_WGID(0) * k * (PARTS * NR);
  if (j0 + NR <= n) {
    for (qn_i64 p = p0; p < end; p++)
      pack_step(b + off, ld, TURNED_B, j0, NR, NR, p, panels + p * (PARTS * NR));
  } else {
    for (qn_i64 p = p0; p < end; p++)
      pack_step(b + off, ld, TURNED_B, j0, (int)(n - j0), NR, p, panels + p * (PARTS * NR));
  }
}

/* Grid: x = panels of B, y = panels of A: neighbours share the panel of A. */
QN_KERNEL void gemm(qn_i64 m, qn_i64 n, qn_i64 k, int region, acc alpha,
                    QN_GLOBAL const real *QN_RESTRICT a, QN_GLOBAL const real *QN_RESTRICT b,
                    acc beta, QN_GLOBAL out *QN_RESTRICT c, qn_i64 off_c, qn_i64 ldc EPILOGUE_PARAMS) {
  const qn_i64 i0 = (qn_i64)QN_WGID(1) * MR, j0 = (qn_i64)QN_WGID(0) * NR;
  if ((region == 1 && i0 + MR <= j0) || (region == 2 && j0 + NR <= i0)) return;
  a += QN_WGID(1) * k * (2 * W);
  b += QN_WGID(0) * k * (PARTS * NR);
  wide sum0[NR], sum1[NR];
  QN_UNROLL for (int j = 0; j < NR; j++) sum0[j] = sum1[j] = (wide)(0);
  for (qn_i64 p = 0; p < k; p++, a += 2 * W, b += PARTS * NR) {
    const wide v0 = LOAD_WIDE(a), v1 = LOAD_WIDE(a + W);
    QN_UNROLL for (int j = 0; j < NR; j++) {
      const wide re = (wide)(b[j]);
      sum0[j] = QN_REAL_FMA(v0, re, sum0[j]);
      sum1[j] = QN_REAL_FMA(v1, re, sum1[j]);
      if (QN_IS_COMPLEX) {
        const wide im = (wide)(b[NR + j]);
        sum0[j] = QN_REAL_FMA(-v1, im, sum0[j]);
        sum1[j] = QN_REAL_FMA(v0, im, sum1[j]);
      }
    }
  }
  c += off_c;
  for (int j = 0; j < NR && j0 + j < n; j++) {
    real column[2 * W];
    STORE_WIDE(sum0[j], column);
    STORE_WIDE(sum1[j], column + W);
    for (int i = 0; i < MR && i0 + i < m; i++) {
      if ((region == 1 && i0 + i < j0 + j) || (region == 2 && i0 + i > j0 + j)) continue;
      const acc sum = acc_make(column[i], column[W + i]);
      out_update(c + i0 + i + (j0 + j) * ldc, alpha, sum, beta, i0 + i, j0 + j EPILOGUE_PASS);
    }
  }
}
