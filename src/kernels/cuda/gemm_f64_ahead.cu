/* The products of gemm_f64.cu where fragments are read ahead: over 16 of k at a time, 16 rows of
 * the wide operand by 8 of the narrow one.
 *
 * Where a warp's part is large, registers hold all rows of the narrow operand, and of the wide one
 * two blocks of 16. A block is read while products with the block before it are under way, into the
 * registers of the one before that; the narrow rows of a step among the last products of the step
 * before:
 *
 *   products of block    0 0 0 0   1 1 1 1   2 2 2 2   3 3 3 3
 *   read                   1         2         3         0 of the next step, narrow rows
 *
 * A small part is read whole, a step ahead. */

#define WHOLE (NARROWS < 4)
#define SLOTS (WHOLE ? WIDES : 2)

typedef struct ahead {
  double wide[SLOTS][2][2][2];  /* eight of k, then as in a fragment */
  double narrow[NARROWS][2][2]; /* of 8 rows: eight of k, two of k */
} ahead;

QN_DEV void multiply_16(double c[2][2], const double x[2][2][2], const double y[2][2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
               : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
               : "d"(x[0][0][0]), "d"(x[0][0][1]), "d"(x[0][1][0]), "d"(x[0][1][1]),
                 "d"(x[1][0][0]), "d"(x[1][0][1]), "d"(x[1][1][0]), "d"(x[1][1][1]), "d"(y[0][0]),
                 "d"(y[0][1]), "d"(y[1][0]), "d"(y[1][1])
               : "memory");
}

QN_DEV void read_wide(ahead *f, const char *stage, int block, const reader *r) {
  QN_UNROLL
  for (int h = 0; h < 2; h++) read_block(f->wide[block % SLOTS][h], stage, WIDE, 8 * h, block, r);
}

QN_DEV void read_narrow(ahead *f, const char *stage, int i, const reader *r) {
  QN_UNROLL
  for (int h = 0; h < 2; h++) read_row(f->narrow[i][h], stage, NARROW, 8 * h, i * 8, r);
}

/* What a step begins with. The last narrow rows follow among its products. */
QN_DEV void read_first(ahead *f, const char *stage, const reader *r) {
  QN_UNROLL
  for (int i = 0; i < NARROWS - !WHOLE; i++) read_narrow(f, stage, i, r);
  QN_UNROLL
  for (int j = 0; j < (WHOLE ? WIDES : 1); j++) read_wide(f, stage, j, r);
}

#if STAYS == 2 && !TRIANGLE && EPILOGUE_LIGHT
#define LATE (!EPILOGUE_BIAS_M && !EPILOGUE_BIAS_N)
#else
#define LATE 0
#endif

#if LATE
/* Sums that are yet to be stored: where the item's first goes to, or nowhere. */
typedef struct late {
  out *to;
  qn_i64 ldc;
  acc alpha;
} late;

/* Whether two sums that are stored at once lie side by side in registers. */
#define SIDE_BY_SIDE (WIDE == B_SIDE)

/* Those of one instruction, two of them neighbours in a column; then they are 0. */
QN_DEV void put_late(double sum[2][2], int j, int i, const late *before EPILOGUE_PARAMS) {
  out *to = before->to;
  qn_i64 ldc = before->ldc;
  const int there = to != 0;
  const double alpha = before->alpha;
  /* addresses are worked out one by one: all of them would fill registers */
  asm volatile("" : "+l"(to), "+l"(ldc)::"memory");
  QN_UNROLL
  for (int h = 0; h < (SIDE_BY_SIDE ? 4 : 0); h++) sum[h / 2][h % 2] *= alpha;
  QN_UNROLL
  for (int v = 0; v < 2; v++) {
    const int row = WIDE == A_SIDE ? j * 16 : i * 8;
    const int col = WIDE == A_SIDE ? i * 8 + v : j * 16 + v * (NEIGHBOURS(B_SIDE) ? 1 : 8);
    const double first = SIDE_BY_SIDE ? sum[v][0] : alpha * sum[0][v],
                 second = SIDE_BY_SIDE ? sum[v][1] : alpha * sum[1][v];
    double2 x;
    x.x = epilogue_light(first, 0, 0 EPILOGUE_PASS);
    x.y = epilogue_light(second, 0, 0 EPILOGUE_PASS);
    if (there) *(double2 *)(to + row + col * ldc) = x;
  }
  QN_UNROLL
  for (int h = 0; h < 4; h++) sum[h / 2][h % 2] = 0;
}

#define LATE_PARAMS  , const late *before EPILOGUE_PARAMS
#define LATE_PASS(x) , x EPILOGUE_PASS
#else
#define LATE_PARAMS
#define LATE_PASS(x)
#endif

/* Where there are late sums they leave right before the first product that takes their registers.
 */
QN_DEV void multiply_one(sums *c, const ahead *f, int j, int i LATE_PARAMS) {
#if LATE
  if (before) put_late(c->of[j][i], j, i, before EPILOGUE_PASS);
#endif
  multiply_16(c->of[j][i], f->wide[j % SLOTS], f->narrow[i]);
}

#if WHOLE
QN_DEV void multiply_most(sums *c, ahead *f, const char *stage, const reader *r LATE_PARAMS) {}

QN_DEV void multiply_end(sums *c, const ahead *f LATE_PARAMS) {
  QN_UNROLL
  for (int s = 0; s < WIDES * NARROWS; s++)
    multiply_one(c, f, s / NARROWS, s % NARROWS LATE_PASS(before));
}

QN_DEV void multiply_rest(sums *c, ahead *f, const char *next, const reader *r LATE_PARAMS) {
  ahead behind;
  read_first(&behind, next, r);
  multiply_end(c, f LATE_PASS(before));
  *f = behind;
}
#else
QN_DEV void multiply_most(sums *c, ahead *f, const char *stage, const reader *r LATE_PARAMS) {
  if (WIDES == 1) read_narrow(f, stage, NARROWS - 1, r);
  QN_UNROLL
  for (int s = 0; s < (WIDES - 1) * NARROWS; s++) {
    const int j = s / NARROWS, i = s % NARROWS;
    multiply_one(c, f, j, i LATE_PASS(before));
    if (s == 0) read_narrow(f, stage, NARROWS - 1, r);
    if (i != 1) continue;
    parting((int)r->a);
    read_wide(f, stage, j + 1, r);
  }
}

QN_DEV void multiply_rest(sums *c, ahead *f, const char *next, const reader *r LATE_PARAMS) {
  QN_UNROLL
  for (int i = 0; i < NARROWS; i++) {
    multiply_one(c, f, WIDES - 1, i LATE_PASS(before));
    if (i == (WIDES % 2 ? NARROWS - 1 : 1)) { /* of an odd number the last block has its place */
      parting((int)r->a);
      read_wide(f, next, 0, r);
    }
    if (i > 0) read_narrow(f, next, i - 1, r);
  }
}

QN_DEV void multiply_end(sums *c, const ahead *f LATE_PARAMS) {
  QN_UNROLL
  for (int i = 0; i < NARROWS; i++) multiply_one(c, f, WIDES - 1, i LATE_PASS(before));
}
#endif
