/* Substitution in a diagonal block, a column's unknowns spread over lanes, eight of them a lane:
 *
 *   lane = LQ c + q:  unknowns 8 q ... 8 q + 7 of column c of the warp
 *
 * Eight unknowns are solved inside their lane, then go to the lanes that follow.
 *
 * A block lies in shared memory as tiles do: AT(r, k) with the rows permuted (PLACE_OF_ROW), so
 * that the lanes of a column read 16 bytes each of one run of 128:
 *
 *   rows contiguous in memory (TRANS = 0): [k][s / VW][q][s % VW]       with r = 8 q + s
 *   k contiguous (TRANS = 1):              [k / VW][s][q][k % VW]
 *
 * Macros of the includer: NB, TRANS, BACK, CONJ; SETS, columns of a lane. Columns of X and 1 / d
 * begin at multiples of 16 bytes. */

#include "portable/tame.cl"

#define LQ              (NB / 8)
#define PLACE_OF(q, s)  (TRANS ? (s)*LQ + (q) : (s) / VW * (LQ * VW) + (q)*VW + (s) % VW)
#define PLACE_OF_ROW(r) PLACE_OF((r) / 8, (r) % 8)
#define AT(r, k)                                                                                   \
  (TRANS ? (k) / VW * (NB * VW) + PLACE_OF_ROW(r) * VW + (k) % VW : (k)*NB + PLACE_OF_ROW(r))
#define RUN VW /* unknowns of a batch: eight reads of 16 bytes bring them */

/* l[s][v] := element (8 q + s, k + v) of a block, s < 8, v < RUN; k is a multiple of RUN. */
QN_DEV void read_run(elem (*l)[RUN], const elem *block, int q, int k) {
#if TRANS
  QN_UNROLL
  for (int s = 0; s < 8; s++) UNVEC(l[s], 0, *(const vec *)(block + k * NB + PLACE_OF(q, s) * VW));
#else
  QN_UNROLL
  for (int v = 0; v < RUN; v++) {
    QN_UNROLL
    for (int s = 0; s < 8; s += VW) {
      elem part[VW];
      UNVEC(part, 0, *(const vec *)(block + (k + v) * NB + PLACE_OF(q, s)));
      QN_UNROLL
      for (int u = 0; u < VW; u++) l[s + u][v] = part[u];
    }
  }
#endif
  if (CONJ) {
    QN_UNROLL
    for (int s = 0; s < 8; s++) {
      QN_UNROLL
      for (int v = 0; v < RUN; v++) l[s][v] = acc_conj(l[s][v]);
    }
  }
}

/* r := r - l x over one batch, where `on`. */
QN_DEV void take_run(acc *r, elem (*l)[RUN], const elem *x, int on) {
  QN_UNROLL
  for (int v = 0; v < RUN; v++) {
    QN_UNROLL
    for (int s = 0; s < 8; s++)
      if (on) r[s] = acc_fnma(l[s][v], x[v], r[s]);
  }
}

/* The lane's eight rows, for each of its columns, less tile times X; a column of X is contiguous
 * and columns lie `xs` apart. A batch is read while the one before it is multiplied. */
QN_DEV void take_tile(acc (*r)[8], const elem *tile, const elem *x, int xs, int lane) {
  const int q = lane % LQ;
  elem l[2][8][RUN], xk[2][SETS][RUN];
  read_run(l[0], tile, q, 0);
  QN_UNROLL
  for (int c = 0; c < SETS; c++) UNVEC(xk[0][c], 0, *(const vec *)(x + c * xs));
#pragma unroll 1
  for (int k = 0; k < NB; k += 2 * RUN) {
    QN_UNROLL
    for (int half = 0; half < 2; half++) {
      const int next = k + (half + 1) * RUN;
      if (half == 0 || next < NB) {
        read_run(l[1 - half], tile, q, next);
        QN_UNROLL
        for (int c = 0; c < SETS; c++) UNVEC(xk[1 - half][c], 0, *(const vec *)(x + c * xs + next));
      }
      QN_UNROLL
      for (int c = 0; c < SETS; c++) take_run(r[c], l[half], xk[half][c], 1);
    }
  }
}

QN_DEV elem from_lane(elem v, int lane) {
#if QN_IS_COMPLEX
  return acc_make(__shfl_sync(0xffffffffu, v.x, lane), __shfl_sync(0xffffffffu, v.y, lane));
#else
  return __shfl_sync(0xffffffffu, v, lane);
#endif
}

/* Whether registers can hold the triangle of the lane's own unknowns. */
#define KEEP (QN_T == 2 || (QN_T != 5 && !TRANS))

/* x := D^-1 x. `inverse` has 1 / d, or d itself unless the block is tame. Each lane solves its own
 * triangle at every turn; the turn's owner has a right side for it. */
QN_DEV void substitute(acc (*x)[8], int lane, const elem *d, const elem *inverse, int tame) {
  const int q = lane % LQ;
  elem by[8], own[KEEP ? 8 / RUN : 1][8][RUN];
  if (KEEP) {
    QN_UNROLL
    for (int s = 0; s < 8; s += VW) UNVEC(by, s, *(const vec *)(inverse + 8 * q + s));
    QN_UNROLL
    for (int k = 0; k < 8; k += RUN) read_run(own[KEEP ? k / RUN : 0], d, q, 8 * q + k);
  }
#pragma unroll 1
  for (int turn = 0; turn < LQ; turn++) {
    const int p = BACK ? LQ - 1 - turn : turn; /* whose unknowns are solved */
    const int after = BACK ? q < p : q > p;
    acc v[SETS][8];
    elem l[2][8][RUN];
    read_run(l[0], d, q, 8 * p);
    QN_UNROLL
    for (int c = 0; c < SETS; c++) {
      QN_UNROLL
      for (int s = 0; s < 8; s++) v[c][s] = x[c][s];
    }
    QN_UNROLL
    for (int step = 0; step < 8; step++) {
      const int k = BACK ? 7 - step : step;
      if (!KEEP) {
        asm volatile("" ::: "memory"); /* not all steps' reads at once */
        read_run(own[0], d, q, 8 * q + k / RUN * RUN);
        by[k] = inverse[8 * q + k];
      }
      QN_UNROLL
      for (int c = 0; c < SETS; c++) {
        v[c][k] = tame ? acc_mul(v[c][k], by[k]) : acc_div(v[c][k], by[k]);
        QN_UNROLL
        for (int s = 0; s < 8; s++)
          if (BACK ? s < k : s > k)
            v[c][s] = acc_fnma(own[KEEP ? k / RUN : 0][s][k % RUN], v[c][k], v[c][s]);
      }
    }
    QN_UNROLL
    for (int c = 0; c < SETS; c++) {
      QN_UNROLL
      for (int k = 0; k < 8; k++) {
        v[c][k] = from_lane(v[c][k], (lane & ~(LQ - 1)) | p);
        if (q == p) x[c][k] = v[c][k];
      }
    }
    QN_UNROLL
    for (int k = 0; k < 8; k += RUN) {
      const int now = k / RUN % 2;
      if (k + RUN < 8) read_run(l[1 - now], d, q, 8 * p + k + RUN);
      QN_UNROLL
      for (int c = 0; c < SETS; c++) take_run(x[c], l[now], &v[c][k], after);
    }
  }
}
