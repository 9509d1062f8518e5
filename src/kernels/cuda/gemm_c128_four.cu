/* The products of gemm_c128.cu where imaginary parts' signs are turned as fragments are used:
 * before sm_90, and with a triangle as an operand. */
#define STEP_K 4
#define AHEAD  0
#define LATE   0

/* c[column 2 g and 2 g + 1][rows 2 q and 2 q + 1] += n m over 4 of k */
QN_DEV void multiply_4(double c[2][2], const double n[2], double m) {
#if QN_SM < 90
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[h][0]), "+d"(c[h][1])
        : "d"(n[h]), "d"(m));
#else
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
      : "d"(n[0]), "d"(n[1]), "d"(m));
#endif
}

typedef struct fragment {
  double m[GROUPS_M][2], n[GROUPS_N][2][2]; /* m both parts; n two columns of one part */
} fragment;

QN_DEV void read_fragment(fragment *f, const char *stage, int p, const reader *r) {
  QN_UNROLL
  for (int i = 0; i < GROUPS_M; i++) read_m(f->m[i], stage, p, i * 8, r);
  QN_UNROLL
  for (int j = 0; j < 2 * GROUPS_N; j++)
    read_16(f->n[j / 2][j % 2], place_n(stage, p, j / 2, j % 2, r));
}

/* 8 rows by 16 columns. */
QN_DEV void multiply_pair(sums *c, const fragment *f, int j, int i) {
  const double *re = f->n[j][0];
  double im[2];
  QN_UNROLL
  for (int h = 0; h < 2; h++) im[h] = TRANSB == 2 ? -f->n[j][1][h] : f->n[j][1][h];
  const double turned = TRANSA == 2 ? -f->m[i][1] : f->m[i][1];
  multiply_4(c->of[2 * j][i], re, f->m[i][0]);
  multiply_4(c->of[2 * j + 1][i], re, turned);
  multiply_4(c->of[2 * j][i], im, -turned);
  multiply_4(c->of[2 * j + 1][i], im, f->m[i][0]);
}

QN_DEV void multiply(sums *c, const fragment *f) {
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) {
    QN_UNROLL
    for (int i = 0; i < GROUPS_M; i++) multiply_pair(c, f, j, i);
  }
}

#if TRIANGLE
/* A fragment of which the triangle counts alone; k = 0 lies `shift` behind the tile's first row. */
QN_DEV void cross_fragment(fragment *f, const reader *r, int shift, int unit) {
  const int q = (int)(QN_LID(0) % 4), g = (int)(QN_LID(0) % 32 / 4);
  const int beyond = shift + q - (TRIANGLE_SIDE == A_SIDE ? r->row - 2 * q + g : r->col);
  QN_UNROLL
  for (int part = 0; part < 2; part++) {
    QN_UNROLL
    for (int i = 0; i < (TRIANGLE_SIDE == A_SIDE ? GROUPS_M : 0); i++)
      f->m[i][part] = triangle_part(f->m[i][part], beyond - i * 8, unit, part == 0);
    QN_UNROLL
    for (int j = 0; j < (TRIANGLE_SIDE == B_SIDE ? 2 * GROUPS_N : 0); j++)
      f->n[j / 2][part][j % 2] =
          triangle_part(f->n[j / 2][part][j % 2], beyond - j / 2 * 16 - j % 2, unit, part == 0);
  }
}

/* The same where the diagonal crosses the step, which begins `shift` of k behind the tile. */
QN_DEV void multiply_crossed(sums *sum, const char *stage, const reader *r, int shift, int unit) {
  _Pragma("unroll 1") for (int p = 0; p < BK; p += STEP_K) {
    fragment f;
    read_fragment(&f, stage, p, r);
    cross_fragment(&f, r, shift + p, unit);
    multiply(sum, &f);
  }
}
#endif
