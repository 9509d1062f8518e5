/* Who works in a pipelined product, and its two operands as a constant that functions take.
 *
 * MULTIPLIERS items multiply, COPIERS items bring the operands to shared memory. On sm_90 these are
 * a warp group of their own with few registers, so that those who multiply do nothing else;
 * elsewhere all items do both. */
#define SPECIALISED (QN_SM == 90)
#if SPECIALISED
#define COPIERS 128
#define THREADS (MULTIPLIERS + COPIERS)
#else
#define COPIERS MULTIPLIERS
#define THREADS MULTIPLIERS
#endif

/* Before sm_90 there is less shared memory. */
#if QN_SM < 90 && STAGES > 4
#undef STAGES
#define STAGES 4
#endif

#define A_SIDE       0
#define B_SIDE       1
#define EXTENT(side) ((side) == A_SIDE ? BM : BN)
/* Whether neighbours in memory follow k, not the rows of C (A) or its columns (B). */
#define ALONG_K(side) ((side) == A_SIDE ? TRANSA != 0 : TRANSB == 0)

/* An element of an operand: its row (row or column of C) within the tile, its k within the step. */
typedef struct move {
  int row, p;
} move;

/* A move counted on from another. */
QN_DEV move moved(move from, move by) {
  from.row += by.row;
  from.p += by.p;
  return from;
}
