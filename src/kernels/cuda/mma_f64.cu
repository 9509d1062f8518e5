/* Tensor cores in f64 (sm_80 on). Needs prelude.cl; QN_SM where the larger instruction of sm_90 is
 * to be taken. */

/* c += x y: x is 16 x 8, y is 8 x 8.
 *
 *   lane = 4 g + q   x[h + 2 s]: row g + 8 h, k = q + 4 s
 *                    y[s]:       column g,    k = q + 4 s
 *                    c[2 h + e]: row g + 8 h, column 2 q + e */
QN_DEV void mma_f64(double *c, const double *x, const double *y) {
#if QN_SM >= 90
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]));
#else
  QN_UNROLL
  for (int h = 0; h < 2; h++) {
    QN_UNROLL
    for (int s = 0; s < 2; s++)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
          : "d"(x[h + 2 * s]), "d"(y[s]));
  }
#endif
}
