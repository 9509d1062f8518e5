/* The packed product: five loops around a tile, shared by a team of threads.
 *
 *   for jc  in n by nc       columns of one group of threads
 *     for pc  in k by kc       B block kc x nc packed by the group, then a barrier
 *       for ic  in m by mc       taken in turn by the group's threads; A block mc x kc packed,
 *                                stays in L2
 *         for jr  in nc by nr      B panel, stays in L1
 *           for ir  in mc by mr      A panel, from L2; one tile of C
 *
 * Where no thread has more than one A block (few rows: B is what passes by) the two outer loops
 * change places: A is packed once for all columns, and B by strips, to be read from L2.
 *
 * The team is a grid: row_teams threads share each packed B block and split m; col_teams groups
 * split n. k is cut by kc alone and each tile's sum runs in order of k, so that the bits depend
 * neither on the grid nor on who computes a tile. */
#include "backends/cpu/epilogue.h"
#include "backends/cpu/gemm.h"
#include "backends/cpu/threads.h"
#include "backends/cpu/workspace.h"
#include <stdatomic.h>
#include <string.h>

/* Panels of small products need no workspace; all threads' A blocks take no more than A_BYTES. */
enum { STACK_BYTES = 24 << 10, A_BYTES = 3 << 20 };

typedef struct team_job {
  const qn_product *p;
  int row_teams, col_teams;
  int64_t mc, kc, nc; /* most rows of an A block, steps, columns of one group's B block */
  int64_t m_blocks, k_blocks;
  int threads;             /* wanted; a busy pool gives fewer */
  size_t a_bytes, b_bytes; /* packed blocks of one thread, of one group */
  char *workspace;
  atomic_int_fast64_t *next; /* each group's next A block, after the packed blocks */
} team_job;

/* A half-open range of rows or columns. */
typedef struct range {
  int64_t from, to;
} range;

/* Part `index` of `parts` of `total`, cut at multiples of `unit`. */
static range share(int64_t total, int64_t unit, int64_t index, int64_t parts) {
  int64_t units = qn_ceil_div(total, unit);
  return (range){qn_min64(units * index / parts * unit, total),
                 qn_min64(units * (index + 1) / parts * unit, total)};
}

static bool tile_is_outside(qn_region region, int64_t i, int64_t j, int64_t rows, int64_t cols) {
  if (region == QN_REGION_LOWER) return i + rows - 1 < j;
  if (region == QN_REGION_UPPER) return j + cols - 1 < i;
  return false;
}

static bool tile_is_inside(qn_region region, int64_t i, int64_t j, int64_t rows, int64_t cols) {
  if (region == QN_REGION_LOWER) return i >= j + cols - 1;
  if (region == QN_REGION_UPPER) return j >= i + rows - 1;
  return true;
}

/* Copies the part of the tile at (i, j) that lies in the region. */
static void copy_region(const qn_product *p, const char *tile, int64_t ld, char *c, int64_t i,
                        int64_t j, int64_t rows, int64_t cols) {
  for (int64_t y = 0; y < cols; y++) {
    int64_t diagonal = j + y - i; /* the row, within the tile, of the diagonal element */
    int64_t from = p->region == QN_REGION_LOWER ? qn_max64(0, diagonal) : 0;
    int64_t to = p->region == QN_REGION_UPPER ? qn_min64(rows, diagonal + 1) : rows;
    if (from < to)
      memcpy(c + (size_t)(from + y * p->ldc) * p->c_size,
             tile + (size_t)(from + y * ld) * p->c_size, (size_t)(to - from) * p->c_size);
  }
}

/* A tile that the region's edge crosses: computed whole aside, the part inside copied back. */
static void masked_tile(const qn_product *p, int64_t k, const char *a, int64_t a_step,
                        const char *b, int64_t b_step, const void *beta, char *c, int64_t i,
                        int64_t j, int rows, int cols) {
  _Alignas(64) char tile[QN_TILE_MAX * sizeof(double)];
  static const qn_element zero;
  int64_t ld = p->kernels->mr;
  if (memcmp(beta, &zero, p->c_size) != 0) {
    memset(tile, 0, sizeof tile);
    for (int64_t y = 0; y < cols; y++)
      memcpy(tile + (size_t)(y * ld) * p->c_size, c + (size_t)(y * p->ldc) * p->c_size,
             (size_t)rows * p->c_size);
  }
  p->kernels->tile(k, a, a_step, b, b_step, &p->alpha, beta, tile, ld, rows, cols);
  copy_region(p, tile, ld, c, i, j, rows, cols);
}

/* What one call of block() works on: packed blocks of A and B, and the part of C they give. */
typedef struct block_pair {
  const char *a, *b;
  range rows, cols;
  int64_t k;
  const qn_element *beta;
  bool last; /* of k */
} block_pair;

static void one_tile(const qn_product *p, const block_pair *x, int64_t i, int64_t j, const char *a,
                     const char *b) {
  const qn_tile_kernels *kernels = p->kernels;
  int64_t a_step = (int64_t)kernels->mr * p->step_factor;
  int64_t b_step = (int64_t)kernels->nr * p->step_factor;
  int rows = (int)qn_min64(kernels->mr, x->rows.to - i);
  int cols = (int)qn_min64(kernels->nr, x->cols.to - j);
  char *c = (char *)p->c + (size_t)(i + j * p->ldc) * p->c_size;
  if (tile_is_inside(p->region, i, j, rows, cols)) {
    kernels->tile(x->k, a, a_step, b, b_step, &p->alpha, x->beta, c, p->ldc, rows, cols);
  } else if (!tile_is_outside(p->region, i, j, rows, cols)) {
    masked_tile(p, x->k, a, a_step, b, b_step, x->beta, c, i, j, rows, cols);
  }
}

/* The epilogue of columns whose sums are all in, and still in a near cache. Not to be inlined: the
 * run is large and a plain product has none. */
static __attribute__((noinline)) void finish(const qn_product *p, range rows, range cols) {
  qn_epilogue_run run;
  qn_epilogue_begin(&run, p->epilogue, p->dtype);
  for (int64_t j = cols.from; j < cols.to; j++)
    for (int64_t i = rows.from; i < rows.to; i += run.strip) {
      char *c = (char *)p->c + (size_t)(i + j * p->ldc) * p->c_size;
      qn_epilogue_strip(&run, i, j, qn_min64(run.strip, rows.to - i), c, NULL, c);
    }
}

/* All tiles of a pair of blocks: the A block, from L2, passes by each B panel in L1. An epilogue
 * follows strip by strip, while that part of C is near. */
static void block(const qn_product *p, const block_pair *x) {
  int64_t mr = p->kernels->mr, nr = p->kernels->nr, strip = p->blocking->strip;
  size_t a_panel = (size_t)(mr * x->k) * p->c_size, b_panel = (size_t)(nr * x->k) * p->c_size;
  const char *b = x->b;
  for (int64_t js = x->cols.from; js < x->cols.to; js += strip) {
    int64_t end = qn_min64(js + strip, x->cols.to);
    for (int64_t j = js; j < end; j += nr, b += b_panel) {
      const char *a = x->a;
      for (int64_t i = x->rows.from; i < x->rows.to; i += mr, a += a_panel)
        one_tile(p, x, i, j, a, b);
    }
    if (x->last && p->epilogue) finish(p, x->rows, (range){js, end});
  }
}

static qn_operand operand_at(const qn_product *p, const qn_operand *x, int64_t w, int64_t k) {
  int64_t offset = x->along_k ? k + w * x->ld : w + k * x->ld;
  qn_operand at = *x;
  at.src = (const char *)x->src + (size_t)offset * p->a_size;
  return at;
}

/* Part `row` of `rows` of the packing of columns `cols` of B, whole panels. */
static void pack_b_share(const qn_product *p, range cols, range k, int row, int rows, char *dst) {
  range mine = share(cols.to - cols.from, p->kernels->nr, row, rows);
  if (mine.from >= mine.to) return;
  qn_operand src = operand_at(p, &p->b, cols.from + mine.from, k.from);
  p->kernels->pack_b(&src, mine.to - mine.from, k.to - k.from,
                     dst + (size_t)(mine.from * (k.to - k.from)) * p->c_size);
}

/* One thread's place in the grid and its memory. */
typedef struct member {
  int threads, rows, row, group; /* rows: threads of a group, this one being `row` */
  bool keeps_a;                  /* one A block alone, packed once for all columns */
  range columns;                 /* its group's */
  char *a_block, *b_block;
} member;

/* The next A block for a thread that has done `done` of them with this B block: its own where it
 * keeps A, else the next that nobody of its group has taken; those with most tiles come first. */
static int64_t next_block(team_job *job, const member *t, int64_t done) {
  const int64_t blocks = job->m_blocks;
  if (t->keeps_a) return done == 0 && t->row < blocks ? t->row : -1;
  int64_t turn = atomic_fetch_add(&job->next[t->group], 1);
  if (turn >= blocks) return -1;
  return job->p->region == QN_REGION_LOWER ? blocks - 1 - turn : turn;
}

/* All rows of C against one packed B block, shared among the group's threads. */
static void all_rows(team_job *job, const member *t, range cols, range k, bool a_is_packed) {
  const qn_product *p = job->p;
  const qn_element *beta = k.from > 0 ? &p->one : &p->beta;
  int64_t index;
  for (int64_t done = 0; (index = next_block(job, t, done)) >= 0; done++) {
    range rows = share(p->m, p->kernels->mr, index, job->m_blocks);
    if (!t->keeps_a &&
        tile_is_outside(p->region, rows.from, cols.from, rows.to - rows.from, cols.to - cols.from))
      continue;
    qn_operand src = operand_at(p, &p->a, rows.from, k.from);
    if (!a_is_packed) p->kernels->pack_a(&src, rows.to - rows.from, k.to - k.from, t->a_block);
    block_pair pair = {t->a_block, t->b_block, rows, cols, k.to - k.from, beta, k.to == p->k};
    block(p, &pair);
  }
}

/* B block (pc, jc) of the thread's group, and all that comes of it. */
static void run_step(team_job *job, const member *t, int64_t jc, int64_t pc) {
  const qn_product *p = job->p;
  range cols = {qn_min64(t->columns.from + jc * job->nc, t->columns.to),
                qn_min64(t->columns.from + (jc + 1) * job->nc, t->columns.to)};
  range k = {pc * job->kc, qn_min64((pc + 1) * job->kc, p->k)};
  if (t->rows > 1) qn_team_barrier(t->threads); /* nobody reads the block before any more */
  if (t->row == 0) atomic_store(&job->next[t->group], 0);
  pack_b_share(p, cols, k, t->row, t->rows, t->b_block);
  if (t->rows > 1) qn_team_barrier(t->threads);
  if (cols.from < cols.to) all_rows(job, t, cols, k, t->keeps_a && jc > 0);
}

static void run_part(void *arg, int thread, int threads) {
  team_job *job = arg;
  const qn_product *p = job->p;
  bool all = threads == job->threads;
  int rows = all ? job->row_teams : threads, groups = all ? job->col_teams : 1;
  member t = {.threads = threads, .rows = rows, .row = thread % rows, .group = thread / rows};
  t.keeps_a = job->m_blocks <= rows;
  t.columns = share(p->n, p->kernels->nr, t.group, groups);
  t.a_block = job->workspace + (size_t)thread * job->a_bytes;
  t.b_block = job->workspace + (size_t)job->threads * job->a_bytes + (size_t)t.group * job->b_bytes;

  int64_t nr = p->kernels->nr, most = qn_ceil_div(qn_ceil_div(p->n, nr), groups) * nr;
  int64_t n_blocks = qn_ceil_div(most, job->nc), k_blocks = job->k_blocks;
  for (int64_t i = 0; i < n_blocks * k_blocks; i++) {
    if (t.keeps_a) {
      run_step(job, &t, i % n_blocks, i / n_blocks);
    } else {
      run_step(job, &t, i / k_blocks, i % k_blocks);
    }
  }
}

/* The grid of least cost, counted in multiplications a thread: its share of the tiles, and packing,
 * which costs about PACK of them an element: A's rows of the thread, B's columns over all. A last
 * tile of few rows takes as many vectors as it has. */
static void choose_grid(team_job *job) {
  enum { PACK = 12 };
  const qn_product *p = job->p;
  int64_t mr = p->kernels->mr, nr = p->kernels->nr, vector = p->kernels->vector;
  int64_t m_panels = qn_ceil_div(p->m, mr), n_panels = qn_ceil_div(p->n, nr);
  int64_t best = INT64_MAX;
  int most = p->region == QN_REGION_ALL ? job->threads : 1; /* rows alone are shared as they go */
  for (int cols = 1; cols <= most; cols++) {
    if (job->threads % cols) continue;
    int rows = job->threads / cols;
    int64_t m_share = qn_min64(qn_ceil_div(m_panels, rows) * mr, qn_round_up(p->m, vector));
    int64_t n_share = qn_ceil_div(n_panels, cols) * nr;
    int64_t cost = m_share * n_share + PACK * (m_share + qn_ceil_div(p->n, job->threads));
    if (cost < best) {
      best = cost;
      job->row_teams = rows;
      job->col_teams = cols;
    }
  }
}

/* Block sizes: those of the machine, evened out so that the last block is not a sliver. Over one
 * triangle A's blocks differ in work: with TURNS of them a thread, all end together. */
static void choose_blocks(team_job *job) {
  enum { TURNS = 4 };
  const qn_product *p = job->p;
  const qn_blocking *most = p->blocking;
  int64_t mr = p->kernels->mr, nr = p->kernels->nr;
  job->k_blocks = qn_ceil_div(p->k, most->kc);
  job->kc = qn_min64(qn_round_up(qn_ceil_div(p->k, job->k_blocks), 4), p->k);
  int64_t mc = A_BYTES / job->threads / (job->kc * (int64_t)p->c_size) / mr * mr;
  mc = qn_max64(qn_min64(mc, most->mc), mr);
  int64_t turns = qn_ceil_div(p->m, mc * job->row_teams) * job->row_teams;
  if (p->region != QN_REGION_ALL && job->row_teams > 1)
    turns = qn_max64(turns, TURNS * job->row_teams);
  job->m_blocks = qn_min64(turns, qn_ceil_div(p->m, mr));
  job->mc = qn_ceil_div(qn_ceil_div(p->m, mr), job->m_blocks) * mr;
  int64_t group_most =
      turns <= job->row_teams ? most->strip : qn_max64(most->nc / job->col_teams / nr, 1) * nr;
  int64_t columns = qn_round_up(qn_ceil_div(p->n, job->col_teams), nr);
  int64_t strips = qn_ceil_div(columns, group_most);
  job->nc = qn_round_up(qn_ceil_div(columns, strips), nr);
  job->a_bytes = (size_t)qn_round_up(job->mc * job->kc * (int64_t)p->c_size, QN_HOST_ALIGN);
  job->b_bytes = (size_t)qn_round_up(job->nc * job->kc * (int64_t)p->c_size, QN_HOST_ALIGN);
}

qn_status qn_product_run(const qn_product *p) {
  double flops = 2.0 * (double)p->m * (double)p->n * (double)p->k * (p->step_factor == 2 ? 4 : 1);
  team_job job = {.p = p, .threads = qn_team_size(flops), .row_teams = 1, .col_teams = 1};
  choose_grid(&job);
  choose_blocks(&job);
  size_t packed = (size_t)job.threads * job.a_bytes + (size_t)job.col_teams * job.b_bytes;
  size_t bytes = packed + (size_t)job.col_teams * sizeof *job.next;
  if (bytes <= STACK_BYTES) {
    _Alignas(QN_HOST_ALIGN) char stack[STACK_BYTES];
    job.workspace = stack;
    job.next = (void *)(stack + packed);
    run_part(&job, 0, 1);
    return QN_OK;
  }
  qn_workspace workspace = qn_workspace_get(bytes);
  if (!workspace.memory)
    return qn_fail(QN_ENOMEM, "qn_gemm", "no memory for a workspace of %zu bytes", bytes);
  job.workspace = workspace.memory;
  job.next = (void *)(job.workspace + packed);
  qn_team_run(job.threads, run_part, &job);
  qn_workspace_put(workspace);
  return QN_OK;
}
