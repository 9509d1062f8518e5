/* The products of gemm_c128.cu two at a time: eight of k of an instruction are both parts of four.
 *
 *   real part:       columns of B (re, -im)   by rows of A (re, im)
 *   imaginary part:  columns of B (im, re)    by the same
 *
 * All of these lie in shared memory: the planes of B are re, im and -im (where A is conjugate re,
 * im and -re, and the pairs (re, im) and (im, -re)). So a group of 16 columns gives two blocks of
 * the wide operand of gemm_f64_ahead.cu, and nothing stands between the instructions but reads. */
#define WIDE    B_SIDE
#define NARROW  A_SIDE
#define WIDES   (2 * GROUPS_N) /* which counts blocks as sums do */
#define NARROWS GROUPS_M
#define AHEAD   2

/* To [of k][of columns]. Read anew each time: a plane that two blocks have would be moved between
 * registers else. */
QN_DEV void read_block(double to[2][2], const char *stage, int side, int p, int block,
                       const reader *r) {
  const int plane[2] = {block % 2, block % 2 ? TRANSA == 2 ? 2 : 0 : TRANSA == 2 ? 1 : 2};
  (void)side;
  QN_UNROLL
  for (int i = 0; i < 2; i++)
    read_anew_16(to[i], shared_of(place_n(stage, p / 2, block / 2, plane[i], r)));
}

QN_DEV void read_row(double to[2], const char *stage, int side, int p, int row, const reader *r) {
  (void)side;
  read_m(to, stage, p / 2, row, r);
}

#include "cuda/gemm_f64_ahead.cu"
