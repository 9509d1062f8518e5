/* The diagonal blocks D of trsm_tensor.cu, NB x NB.
 *
 *   x := V r            V = D^-1, worked out ahead by a warp for each block
 *   x := x + V (r - D x)
 *
 * The correction takes what V's rounding did to x: backward errors are those of substitution as
 * long as that is small, 32 u norm(|V| |D|) <= 2^-10 (which rows graded by powers of two do not
 * raise). In f32 V is of more digits than X, and none is needed. Where V is no good, or x not sound
 * (sound.cu) or not finite, for then zeros of V may have become NaN: by substitution.
 *
 * V lies by eights: those at (i, j), j <= i, rows and columns in the order of their solution, one
 * after another, each [row][column] as in memory, where a lane's fragment is side by side. */
QN_DEV int is_finite(double x) {
  return (QN_BITS_OF_F64(x) >> 52 & 0x7ff) != 0x7ff;
}

/* The lane's numbers of V, or of D. */
typedef struct inverse {
  double of[EIGHTS * (EIGHTS + 1) / 2][2];
} inverse;

QN_DEV void read_inverse(inverse *to, const double *v, int lane) {
  QN_UNROLL
  for (int s = 0; s < EIGHTS * (EIGHTS + 1) / 2; s++) read_eight(to->of[s], v + s * 64, lane);
}

/* y + z := y + z + V r; y gets what every other eight of r gives, z the rest */
QN_DEV void take_inverse(double (*y)[4], double (*z)[4], const inverse *v, const double (*r)[4]) {
  QN_UNROLL
  for (int j = 0; j < EIGHTS; j++) {
    QN_UNROLL
    for (int i = j; i < EIGHTS; i++) {
      double *const to = j % 2 ? z[i] : y[i];
      multiply_to(to, to, r[j], v->of[SUB(i, j) / 64]);
    }
  }
}

/* The lane's numbers of D, a tile at `d`; `rows` of the matrix are in it. */
QN_DEV void read_block(inverse *to, const elem *d, int rows, int unit, int lane) {
  const int g = lane / 4, q = lane % 4;
  QN_UNROLL
  for (int i = 0; i < EIGHTS; i++) {
    QN_UNROLL
    for (int j = 0; j <= i; j++) {
      double *const right = to->of[SUB(i, j) / 64];
      read_right(right, d + AT(g, 2 * q), EIGHT(i), EIGHT(j));
      if (i > j) continue;
      QN_UNROLL
      for (int h = 0; h < 2; h++) {
        const int k = 2 * q + h;
        if (BACK ? k < g : k > g) right[h] = 0;
        if (k == g && (unit || 8 * EIGHT(i) + g >= rows)) right[h] = 1;
      }
    }
  }
}

/* r := r - D y */
QN_DEV void take_block(double (*r)[4], const inverse *d, const double (*y)[4]) {
  QN_UNROLL
  for (int j = 0; j < EIGHTS; j++) {
    QN_UNROLL
    for (int i = j; i < EIGHTS; i++) multiply_off(r[i], y[j], d->of[SUB(i, j) / 64]);
  }
}

/* By substitution, an unknown at a time, which the lane that has it tells the three others of its
 * columns. D lies in memory at `d`, `rows` of it are there. */
QN_DEV void substitute(double (*x)[4], const elem *d, qn_i64 ld, int rows, int unit, int q) {
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) {
    _Pragma("unroll 1") for (int turn = 0; turn < 8; turn++) {
      const int in_eight = BACK ? 7 - turn : turn, u = 8 * EIGHT(s) + in_eight;
      if (u >= rows) continue;
      const double by = unit ? 1 : d[u * (ld + 1)];
      double found[2];
      QN_UNROLL
      for (int c = 0; c < 2; c++) {
        const double own = in_eight % 2 ? x[s][2 * c + 1] : x[s][2 * c];
        found[c] = __shfl_sync(0xffffffffu, own / by, in_eight / 2, 4);
      }
      QN_UNROLL
      for (int e = 0; e < 2 * (EIGHTS - s); e++) {
        const int to = s + e / 2, r = 8 * EIGHT(to) + 2 * q + e % 2;
        const int later = (BACK ? r < u : r > u) && r < rows;
        const double l = later ? d[TRANS ? u + r * ld : r + u * ld] : 0;
        QN_UNROLL
        for (int c = 0; c < 2; c++) {
          double *const own = &x[to][2 * c + e % 2];
          *own = r == u ? found[c] : later ? fma(-l, found[c], *own) : *own;
        }
      }
    }
  }
}

/* x := D^-1 x, its eights in the order of their solution; the block begins at `row`. What x was
 * stays meanwhile where it will go, at `own`. Where registers are few D is read from its tile, and
 * V once more, when they are wanted. */
QN_DEV void solve_block(double (*x)[4], const inverse *ready, const double *v, int good, inverse *d,
                        const elem *tile, const triangle *p, int row, int lane, double *own) {
  double y[EIGHTS][4], z[EIGHTS][4]; /* z: in f64 the correction, else a part of the sums */
  int fine = good;
  if (good) {
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) {
      put_eight(own + 16 * EIGHT(s), x[s]);
      QN_UNROLL
      for (int e = 0; e < 4; e++) y[s][e] = z[s][e] = 0;
    }
#if ROOMY
    take_inverse(y, DIAGONAL ? y : z, ready, x);
    if (DIAGONAL) {
      take_block(x, d, y);
      take_inverse(z, z, ready, x);
    }
#else
    inverse now;
    read_inverse(&now, v, lane);
    take_inverse(y, DIAGONAL ? y : z, &now, x);
    if (DIAGONAL) {
      read_block(d, tile, opaque(p->n) - row, p->unit, lane);
      take_block(x, d, y);
      read_inverse(&now, v, lane);
      take_inverse(z, z, &now, x);
    }
#endif
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) {
      QN_UNROLL
      for (int e = 0; e < 4; e++) {
        y[s][e] += z[s][e];
        fine &= is_finite(y[s][e]) & is_sound(y[s][e], z[s][e]);
      }
    }
    fine = __all_sync(0xffffffffu, fine);
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) {
      if (!fine) get_eight(y[s], own + 16 * EIGHT(s));
      QN_UNROLL
      for (int e = 0; e < 4; e++) x[s][e] = y[s][e];
    }
  }
  if (!fine) substitute(x, p->a + row * (p->lda + 1), p->lda, p->n - row, p->unit, lane % 4);
}
