/* Two elements of C that are neighbours in a column, as one word. Needs out.cl. */

#if !C_F32
#if QN_T == 0
#define PACK "cvt.rn.f16x2.f32"
#else
#define PACK "cvt.rn.bf16x2.f32"
#endif
QN_DEV qn_u32 pack(float lo, float hi) {
  qn_u32 both;
  asm(PACK " %0, %2, %1;" : "=r"(both) : "f"(lo), "f"(hi));
  return both;
}
#endif

/* Where sums go. */
typedef struct target {
  out *c;
  qn_i64 ldc;
  int m, n;
  float alpha, beta;
} target;

/* Whether every pair from an even row on lies on a boundary of its size. */
QN_DEV int pairs_aligned(const target *t) {
  return (qn_u64)t->c % (2 * sizeof(out)) == 0 && t->ldc % 2 == 0;
}

/* Rows i (even) and i + 1 of column j, as far as they are in C. */
QN_DEV void store_pair(const target *t, int aligned, int i, int j, float lo,
                       float hi EPILOGUE_PARAMS) {
  if (i >= t->m || j >= t->n) return;
  out *c = t->c + i + j * t->ldc;
  if (i + 1 == t->m || !aligned) {
    out_update(c, t->alpha, lo, t->beta, i, j EPILOGUE_PASS);
    if (i + 1 < t->m) out_update(c + 1, t->alpha, hi, t->beta, i + 1, j EPILOGUE_PASS);
    return;
  }
  lo = out_value(c, t->alpha, lo, t->beta, i, j EPILOGUE_PASS);
  hi = out_value(c + 1, t->alpha, hi, t->beta, i + 1, j EPILOGUE_PASS);
#if C_F32
  *(float2 *)c = make_float2(lo, hi);
#else
  *(qn_u32 *)c = pack(lo, hi);
#endif
}
