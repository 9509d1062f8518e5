/* The cut, the join and the base block of a triangle. */
#include "blas3/triangle.h"
#include "blas3/half.h"

enum { TILE = 64 }; /* packed kernels like operands that start and end at multiples of this */

/* Near n/2, at a multiple of the tile, or of the largest power of two that a smaller block allows;
 * 0 < split < n because n > block >= tile. */
static int64_t half(int64_t n, int64_t block) {
  int64_t tile = TILE;
  while (tile > block) tile /= 2;
  return qn_max64(tile, (n / 2 + tile / 2) / tile * tile);
}

/* Where A is cut. In panels: so that whole ones are first and what is second is one, or the part of
 * it that makes them whole, rounded up to the tile where it lies ahead of them. */
static int64_t split(const qn_triangle *t, int64_t n, bool forward) {
  if (t->panel < t->block || n <= 2 * t->panel) return half(n, t->block);
  const int64_t whole = (n - 1) / t->panel * t->panel;
  return forward ? whole : qn_round_up(n - whole, TILE);
}

qn_triangle_cut qn_triangle_cut_of(const qn_triangle *t, qn_matrix a, qn_matrix b) {
  bool left = t->side == QN_LEFT, lower = t->uplo == QN_LOWER;
  bool op_lower = lower == (t->trans == QN_NOTRANS);
  bool forward = op_lower == left;
  int64_t n = a.rows, h = split(t, n, forward), r = n - h;

  qn_matrix top = qn_matrix_sub(a, 0, 0, h, h), bottom = qn_matrix_sub(a, h, h, r, r);
  qn_matrix off = lower ? qn_matrix_sub(a, h, 0, r, h) : qn_matrix_sub(a, 0, h, h, r);
  qn_matrix head = left ? qn_matrix_sub(b, 0, 0, h, b.cols) : qn_matrix_sub(b, 0, 0, b.rows, h);
  qn_matrix tail = left ? qn_matrix_sub(b, h, 0, r, b.cols) : qn_matrix_sub(b, 0, h, b.rows, r);

  if (forward) return (qn_triangle_cut){top, bottom, off, head, tail};
  return (qn_triangle_cut){bottom, top, off, tail, head};
}

static qn_status join(const qn_triangle *t, qn_scalar alpha, qn_matrix off, qn_matrix from,
                      qn_scalar beta, qn_matrix into) {
  qn_gemm_problem p = {QN_NOTRANS, QN_NOTRANS, alpha,         beta, off,
                       from,       into,       QN_REGION_ALL, NULL, NULL};
  if (t->side == QN_LEFT) {
    p.transa = t->trans;
  } else {
    p.a = from;
    p.b = off;
    p.transb = t->trans;
  }
  return qn_step_gemm(t->stream, &p);
}

/* A half-precision `off` is converted a tile at a time; beta rides in the first of each sum. */
static qn_status join_by_tiles(const qn_triangle *t, qn_scalar alpha, qn_matrix off, qn_matrix from,
                               qn_scalar beta, qn_matrix into) {
  bool left = t->side == QN_LEFT;
  bool inner_first = left == (t->trans != QN_NOTRANS); /* the stored rows run along the sum */
  int64_t outer = left ? into.rows : into.cols, inner = left ? from.rows : from.cols;
  int64_t step = t->tile.rows;
  for (int64_t i = 0; i < outer; i += step) {
    int64_t ni = qn_min64(step, outer - i);
    qn_matrix part =
        left ? qn_matrix_sub(into, i, 0, ni, into.cols) : qn_matrix_sub(into, 0, i, into.rows, ni);
    for (int64_t k = 0; k < inner; k += step) {
      int64_t nk = qn_min64(step, inner - k);
      qn_matrix stored =
          inner_first ? qn_matrix_sub(off, k, i, nk, ni) : qn_matrix_sub(off, i, k, ni, nk);
      qn_matrix tile = qn_matrix_sub(t->tile, 0, 0, stored.rows, stored.cols);
      qn_matrix term = left ? qn_matrix_sub(from, k, 0, nk, from.cols)
                            : qn_matrix_sub(from, 0, k, from.rows, nk);
      QN_TRY(qn_step_cast(t->stream, tile, stored));
      QN_TRY(join(t, alpha, tile, term, k == 0 ? beta : qn_real(1.0), part));
    }
  }
  return QN_OK;
}

qn_status qn_triangle_join(const qn_triangle *t, qn_scalar alpha, qn_matrix off, qn_matrix from,
                           qn_scalar beta, qn_matrix into) {
  return t->tile.buffer ? join_by_tiles(t, alpha, off, from, beta, into)
                        : join(t, alpha, off, from, beta, into);
}

qn_status qn_triangle_base(const qn_triangle *t,
                           qn_status (*step)(qn_stream *, const qn_triangular_problem *),
                           qn_scalar alpha, qn_matrix a, qn_matrix b) {
  const int64_t first = (a.offset - t->origin) / (a.ld + 1);
  if (t->tile.buffer) {
    qn_matrix tile = qn_matrix_sub(t->tile, 0, 0, a.rows, a.cols);
    QN_TRY(qn_step_cast(t->stream, tile, a));
    a = tile;
  }
  return step(t->stream, &(qn_triangular_problem){t->side, t->uplo, t->trans, t->diag, alpha, a, b,
                                                  t->inverses, first});
}

bool qn_triangle_ends(const qn_triangle *t,
                      qn_status (*step)(qn_stream *, const qn_triangular_problem *),
                      qn_scalar alpha, qn_matrix a, qn_matrix b, qn_status *status) {
  if (a.rows > t->block) return false;
  *status = qn_triangle_base(t, step, alpha, a, b);
  return *status != QN_EDEVMEM || a.rows <= TILE;
}

int64_t qn_triangle_block(const qn_stream *stream, const qn_triangular_problem *p,
                          const _Atomic int64_t *program, int64_t environment,
                          qn_triangle_order tuned, qn_triangle_order limit) {
  int64_t block = atomic_load_explicit(program, memory_order_relaxed);
  if (block == 0) block = environment;
  if (block == 0) block = tuned(stream, p);
  return limit ? qn_min64(block, limit(stream, p)) : block;
}

/* ---- the columns of B (left) or its rows (right) in lanes ---- */

enum { LANE_NRHS = 2 * TILE }; /* a narrower part would not be worth a lane */

static qn_status lane(qn_triangle *t, const qn_triangular_problem *p, int64_t at, int64_t width,
                      qn_triangle_walk walk) {
  const qn_matrix b = p->side == QN_LEFT ? qn_matrix_sub(p->b, 0, at, p->b.rows, width)
                                         : qn_matrix_sub(p->b, at, 0, width, p->b.cols);
  QN_TRY(qn_buffer_use(p->a.buffer, t->stream));
  QN_TRY(qn_buffer_use(b.buffer, t->stream));
  return walk(t, p->alpha, p->a, b);
}

static qn_status in_lanes(qn_triangle *t, const qn_triangular_problem *p, qn_triangle_walk walk) {
  const int64_t nrhs = qn_triangular_nrhs(p);
  const int64_t most = qn_min64(qn_lanes(t->stream), nrhs / LANE_NRHS);
  if (most < 2) return walk(t, p->alpha, p->a, p->b);
  const int64_t width = qn_round_up(qn_ceil_div(nrhs, most), TILE);
  const int count = (int)qn_ceil_div(nrhs, width);
  qn_stream *stream = t->stream;
  QN_TRY(qn_lanes_fork(stream, count));
  qn_status status = QN_OK;
  for (int i = 0; i < count && status == QN_OK; i++) {
    t->stream = qn_lane(stream, i);
    status =
        qn_stream_result(t->stream, lane(t, p, i * width, qn_min64(width, nrhs - i * width), walk));
  }
  const qn_status joined = qn_lanes_join(stream, count);
  return status == QN_OK ? joined : status;
}

qn_status qn_triangle_run(qn_stream *stream, const qn_triangular_problem *p, int64_t block,
                          int64_t panel, const qn_buffer *inverses, qn_triangle_walk walk) {
  if (p->b.rows == 0 || p->b.cols == 0) return QN_OK;
  if (qn_scalar_is(p->alpha, 0.0)) return qn_step_scale(stream, p->alpha, p->b);
  qn_triangle t = {stream, p->side, p->uplo,  p->trans,    p->diag,
                   block,  panel,   inverses, p->a.offset, {0}};
  if (qn_dtype_is_half(p->a.dtype)) return qn_half_slabs(&t, p, walk);
  return in_lanes(&t, p, walk);
}

/* The diagonal changes no kernel, alpha = 0 does. */
qn_prepare_key qn_triangle_key(char routine, const qn_triangular_problem *p) {
  uint32_t form = (uint32_t)p->uplo << 24 | (uint32_t)p->side << 16 | (uint32_t)p->trans << 8 |
                  qn_scalar_is(p->alpha, 0.0);
  return (qn_prepare_key){routine, p->a.dtype, form, p->b.rows, p->b.cols, 0};
}
