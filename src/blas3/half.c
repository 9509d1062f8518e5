/* Half types on f32 slabs.
 *
 *             slab                     workspace, one buffer:
 *          +--+----+---+
 *      B   |  |    |   |  left         | slab of B, f32 | tile of A, f32 |
 *          +--+----+---+                   <= 4 MiB*         <= 1 MiB
 *                                      * or SLAB_MIN rows or columns: O(n)
 *
 * Each slab is cast in, solved or multiplied in f32, rounded once on its way out. A is converted
 * block by block as the recursion comes to it, so its copy never grows with n. */
#include "blas3/half.h"

enum {
  TILE_ORDER = 512,               /* 1 MiB of f32 */
  SLAB_ELEMENTS = 1024 * 1024,    /* 4 MiB */
  SLAB_MIN = 16,                  /* a narrower slab would convert A too often */
  SLAB_ALIGN = 64 / sizeof(float) /* the tile begins at a cache line */
};

static qn_matrix slab_of(qn_matrix b, qn_side side, int64_t at, int64_t width) {
  return side == QN_LEFT ? qn_matrix_sub(b, 0, at, b.rows, width)
                         : qn_matrix_sub(b, at, 0, width, b.cols);
}

static qn_status walk_slabs(const qn_triangle *t, const qn_triangular_problem *p, int64_t width,
                            qn_buffer *work, qn_triangle_walk walk) {
  int64_t nrhs = qn_triangular_nrhs(p);
  for (int64_t at = 0; at < nrhs; at += width) {
    qn_matrix half = slab_of(p->b, p->side, at, qn_min64(width, nrhs - at));
    qn_matrix slab = qn_matrix_of(work, QN_F32, half.rows, half.cols, half.rows);
    QN_TRY(qn_step_cast(t->stream, slab, half));
    QN_TRY(walk(t, p->alpha, p->a, slab));
    QN_TRY(qn_step_cast(t->stream, half, slab));
  }
  return QN_OK;
}

qn_status qn_half_slabs(qn_triangle *t, const qn_triangular_problem *p, qn_triangle_walk walk) {
  int64_t order = qn_triangular_order(p), nrhs = qn_triangular_nrhs(p);
  int64_t width = SLAB_ELEMENTS / order / SLAB_MIN * SLAB_MIN;
  width = qn_min64(nrhs, qn_max64(SLAB_MIN, width));
  int64_t tile = qn_min64(order, TILE_ORDER);
  int64_t slab = qn_round_up(order * width, SLAB_ALIGN);

  qn_buffer *work;
  QN_TRY(qn_step_alloc(t->stream, (size_t)(slab + tile * tile) * sizeof(float), &work));
  t->tile = (qn_matrix){work, slab, tile, tile, tile, QN_F32};
  t->block = qn_min64(t->block, tile);
  qn_status status = walk_slabs(t, p, width, work, walk);
  qn_scratch_free(t->stream, work);
  return status;
}
