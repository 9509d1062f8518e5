/* From sums to C by way of shared memory, a warp's 32 rows of 16 columns at a time: a strip.
 *
 *   line: 32 sums of a column, 128 bytes, whose 16-byte parts are permuted as the copy engine does
 * it (part p of line r at p ^ r % 8), so that neither side meets a bank twice
 *
 * A lane then takes eight rows of one column: C and the epilogue's operands are read in the order
 * in which they lie, and the epilogue's code stands there once and is short, however many sums
 * there are.
 *
 * Needs out.cl. */
#include "cuda/out_pair.cu"

#define STRIP_I     32
#define STRIP_J     16
#define STRIP_LINE  (STRIP_I * 4)
#define BYTES_STRIP (STRIP_J * STRIP_LINE)

/* In the order of the instruction's sums: x[4 s + 2 h + e] of lane 4 g + q is row 8 s + 2 q + e of
 * column 8 h + g. */
QN_DEV void put_strip(qn_u32 lines, const float *x) {
  const int lane = threadIdx.x % 32;
  QN_UNROLL
  for (int e = 0; e < STRIP_I / 2; e += 2) {
    const int line = e / 2 % 2 * 8 + lane / 4, pair = e / 4 * 4 + lane % 4;
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(lines + line * STRIP_LINE +
                                                          (pair * 8 ^ (line % 8) << 4)),
                 "f"(x[e]), "f"(x[e + 1])
                 : "memory");
  }
}

/* Eight sums of a column: 32 bytes from the `eighth`-th on. */
QN_DEV void get_eight(float *x, qn_u32 lines, int line, int eighth) {
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[4 * h]), "=f"(x[4 * h + 1]), "=f"(x[4 * h + 2]), "=f"(x[4 * h + 3])
                 : "r"(lines + line * STRIP_LINE + ((eighth * 2 + h ^ line % 8) << 4))
                 : "memory");
}

QN_DEV void store_eight(out *c, const float *x) {
#if C_F32
  *(float4 *)c = make_float4(x[0], x[1], x[2], x[3]);
  *(float4 *)(c + 4) = make_float4(x[4], x[5], x[6], x[7]);
#else
  *(uint4 *)c = make_uint4(pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7]));
#endif
}

#define EIGHTHS (STRIP_I * STRIP_J / 8 / 32) /* a lane's */

/* The strip at (i0, j0), from sums to C. All is read before the first is written. */
QN_DEV void finish_strip(const target *t, qn_u32 lines, int i0, int j0 EPILOGUE_PARAMS) {
  const int aligned = (qn_u64)t->c % 16 == 0 && t->ldc % (16 / sizeof(out)) == 0;
  const int lane = threadIdx.x % 32, line = lane / 4, apart = STRIP_J / EIGHTHS;
  const int i = i0 + lane % 4 * 8;
  if (i >= t->m) return;
  float x[EIGHTHS][8];
  QN_UNROLL
  for (int s = 0; s < EIGHTHS; s++) {
    get_eight(x[s], lines, line + s * apart, lane % 4);
    const int j = QN_MIN(j0 + line + s * apart, t->n - 1); /* beyond C: not stored */
    QN_UNROLL
    for (int e = 0; e < 8; e++) {
      const int at = QN_MIN(i + e, t->m - 1);
      x[s][e] = out_value(t->c + at + j * t->ldc, t->alpha, x[s][e], t->beta, at, j EPILOGUE_PASS);
    }
  }
  QN_UNROLL
  for (int s = 0; s < EIGHTHS; s++) {
    const int j = j0 + line + s * apart;
    out *c = t->c + i + j * t->ldc;
    if (j >= t->n) break;
    if (aligned && i + 8 <= t->m) {
      store_eight(c, x[s]);
    } else {
      QN_UNROLL
      for (int e = 0; e < 8; e++)
        if (i + e < t->m) c[e] = out_store(x[s][e]);
    }
  }
}
