/* The cells of a bench, from the lists of its options. */
#include "cli/bench_grid.h"
#include "cli/values.h"
#include <stdlib.h>
#include <string.h>

enum { LIST_MOST = 64 };
static const int64_t size_most = 1 << 20;

typedef struct bench_size {
  int64_t m, n, k; /* alike unless given as MxNxK */
} bench_size;

/* The lists; a right-hand side count of 0 stands for "n", the order. */
typedef struct bench_lists {
  bench_routine routine;
  bench_size size[LIST_MOST];
  int64_t nrhs[LIST_MOST], threads[LIST_MOST];
  qn_side side[LIST_MOST];
  qn_uplo uplo[LIST_MOST];
  qn_trans trans[LIST_MOST];
  qn_dtype dtype[LIST_MOST];
  size_t sizes, nrhses, sides, uplos, transes, dtypes, thread_counts;
} bench_lists;

/* ---- the items of the lists ---- */

static bool add_size(void *user, const char *word) {
  bench_lists *l = user;
  if (l->sizes == LIST_MOST) return false;
  bench_size *size = &l->size[l->sizes];
  char text[32];
  snprintf(text, sizeof text, "%s", word);
  int64_t part[3];
  int parts = 0;
  for (char *next = text; next && parts < 3; parts++) {
    char *piece = next;
    next = strchr(next, 'x');
    if (next) *next++ = '\0';
    if (!cli_read_integer(piece, 1, size_most, &part[parts])) return false;
    if (parts == 2 && next) return false;
  }
  if (parts == 1) part[1] = part[2] = part[0];
  if (parts == 2 || (parts == 3 && l->routine != BENCH_GEMM)) return false;
  *size = (bench_size){part[0], part[1], part[2]};
  l->sizes++;
  return true;
}

static bool add_nrhs(void *user, const char *word) {
  bench_lists *l = user;
  int64_t *nrhs = &l->nrhs[l->nrhses];
  if (l->nrhses == LIST_MOST) return false;
  *nrhs = 0;
  if (strcmp(word, "n") != 0 && !cli_read_integer(word, 1, size_most, nrhs)) return false;
  l->nrhses++;
  return true;
}

/* The word as one letter out of `letters`, in any case; 0 where it is none. */
static char letter_of(const char *word, const char *letters) {
  const char letter = word[0] >= 'a' && word[0] <= 'z' ? (char)(word[0] - 'a' + 'A') : word[0];
  return letter && !word[1] && strchr(letters, letter) ? letter : '\0';
}

static bool add_side(void *user, const char *word) {
  bench_lists *l = user;
  const char letter = letter_of(word, "LR");
  if (l->sides == LIST_MOST || !letter) return false;
  l->side[l->sides++] = (qn_side)letter;
  return true;
}

static bool add_uplo(void *user, const char *word) {
  bench_lists *l = user;
  const char letter = letter_of(word, "LU");
  if (l->uplos == LIST_MOST || !letter) return false;
  l->uplo[l->uplos++] = (qn_uplo)letter;
  return true;
}

static bool add_trans(void *user, const char *word) {
  bench_lists *l = user;
  const char letter = letter_of(word, "NTC");
  if (l->transes == LIST_MOST || !letter) return false;
  l->trans[l->transes++] = (qn_trans)letter;
  return true;
}

static bool add_dtype(void *user, const char *word) {
  bench_lists *l = user;
  if (l->dtypes == LIST_MOST || qn_dtype_parse(word, &l->dtype[l->dtypes])) return false;
  l->dtypes++;
  return true;
}

static bool add_threads(void *user, const char *word) {
  bench_lists *l = user;
  if (l->thread_counts == LIST_MOST ||
      !cli_read_integer(word, 1, 4096, &l->threads[l->thread_counts]))
    return false;
  l->thread_counts++;
  return true;
}

static void set_defaults(bench_lists *l) {
  if (!l->sizes)
    for (int64_t n = 256; n <= 2048; n *= 2) l->size[l->sizes++] = (bench_size){n, n, n};
  if (!l->nrhses) {
    l->nrhs[l->nrhses++] = 0;
    l->nrhs[l->nrhses++] = 64;
  }
  if (!l->sides) l->side[l->sides++] = QN_LEFT;
  if (!l->uplos) l->uplo[l->uplos++] = QN_LOWER;
  if (!l->transes) l->trans[l->transes++] = QN_NOTRANS;
  if (!l->dtypes) {
    l->dtype[l->dtypes++] = QN_F32;
    l->dtype[l->dtypes++] = QN_F64;
  }
  if (!l->thread_counts) l->threads[l->thread_counts++] = qn_num_threads();
}

static int take_lists(bench_lists *l, const cli_args *args) {
  const char *sizes = l->routine == BENCH_GEMM
                          ? "up to 64 orders, 1 to 1048576, such as 256,512 or 4096x4096x64"
                          : "up to 64 orders, 1 to 1048576, such as 256,512";
  int exit_status = cli_get_list(args, OPT_SIZES, sizes, add_size, l);
  if (!exit_status)
    exit_status =
        cli_get_list(args, OPT_NRHS, "up to 64 numbers of columns, 1 to 1048576 or n", add_nrhs, l);
  if (!exit_status) exit_status = cli_get_list(args, OPT_SIDES, "L, R or both", add_side, l);
  if (!exit_status) exit_status = cli_get_list(args, OPT_UPLOS, "L, U or both", add_uplo, l);
  if (!exit_status) exit_status = cli_get_list(args, OPT_TRANSES, "N, T, C", add_trans, l);
  if (!exit_status)
    exit_status = cli_get_list(args, OPT_DTYPES, "f16 bf16 f32 f64 c64 c128", add_dtype, l);
  if (!exit_status)
    exit_status = cli_get_list(args, OPT_THREAD_LIST, "up to 64 numbers of threads, 1 to 4096",
                               add_threads, l);
  set_defaults(l);
  return exit_status;
}

/* ---- the cells ---- */

static bool is_triangular(bench_routine routine) {
  return routine == BENCH_TRMM || routine == BENCH_TRSM;
}

/* An option that the routine does not have would leave something else timed than was meant. */
static int refuse_foreign(bench_routine routine, const cli_args *args) {
  enum { GEMM = 1 << BENCH_GEMM, POTRF = 1 << BENCH_POTRF };
  enum { TRIANGULAR = 1 << BENCH_TRMM | 1 << BENCH_TRSM };
  static const struct {
    cli_option option;
    unsigned routines;
  } known[] = {{OPT_NRHS, TRIANGULAR},    {OPT_SIDES, TRIANGULAR}, {OPT_UPLOS, TRIANGULAR | POTRF},
               {OPT_TRANSES, TRIANGULAR}, {OPT_DIAG, TRIANGULAR},  {OPT_TRANSA, GEMM},
               {OPT_TRANSB, GEMM}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (args->value[known[i].option] && !(known[i].routines >> routine & 1))
      return cli_error(CLI_MISUSED, "bench: %s has no --%s", bench_routine_name(routine),
                       cli_options[known[i].option].name);
  return CLI_DONE;
}

/* Letters that hold for all cells. */
static int take_letters(bench_problem *p, const cli_args *args) {
  int transa = p->transa, transb = p->transb, diag = p->diag;
  int exit_status = cli_get_letter(args, OPT_DIAG, "NU", &diag);
  if (!exit_status) exit_status = cli_get_letter(args, OPT_TRANSA, "NTC", &transa);
  if (!exit_status) exit_status = cli_get_letter(args, OPT_TRANSB, "NTC", &transb);
  p->transa = (qn_trans)transa;
  p->transb = (qn_trans)transb;
  p->diag = (qn_diag)diag;
  return exit_status;
}

static void set_shape(bench_problem *p, bench_size size, int64_t nrhs) {
  p->m = size.m;
  p->n = size.n;
  p->k = size.k;
  if (!is_triangular(p->routine)) return;
  const int64_t other = nrhs ? nrhs : size.m;
  p->m = p->side == QN_LEFT ? size.m : other;
  p->n = p->side == QN_LEFT ? other : size.m;
}

/* Those of one form, over the right-hand sides and orders. */
static void add_form(bench_grid *grid, const bench_lists *l, bench_problem p, int threads) {
  for (size_t r = 0; r < (is_triangular(p.routine) ? l->nrhses : 1); r++) {
    for (size_t i = 0; i < l->sizes; i++) {
      set_shape(&p, l->size[i], l->nrhs[r]);
      grid->cell[grid->count++] = (bench_cell){.problem = p, .threads = threads};
    }
  }
}

static void add_cells(bench_grid *grid, const bench_lists *l, bench_problem p, int threads) {
  const bool triangular = is_triangular(p.routine);
  for (size_t s = 0; s < (triangular ? l->sides : 1); s++) {
    for (size_t u = 0; u < (p.routine != BENCH_GEMM ? l->uplos : 1); u++) {
      for (size_t t = 0; t < (triangular ? l->transes : 1); t++) {
        p.side = l->side[s];
        p.uplo = l->uplo[u];
        if (triangular) p.transa = l->trans[t];
        add_form(grid, l, p, threads);
      }
    }
  }
}

int cli_grid_make(bench_grid *grid, const cli_args *args) {
  bench_lists lists = {0};
  const char *routine = args->operand[0];
  if (!bench_routine_parse(routine, &lists.routine))
    return cli_error(CLI_MISUSED, "bench takes gemm, trmm, trsm or potrf, not '%s'", routine);
  bench_problem p = bench_problem_make(lists.routine, QN_F32);
  int exit_status = refuse_foreign(lists.routine, args);
  if (!exit_status) exit_status = take_lists(&lists, args);
  if (!exit_status) exit_status = take_letters(&p, args);
  if (exit_status) return exit_status;
  const size_t forms = lists.sides * lists.uplos * lists.transes;
  const size_t most = lists.sizes * lists.nrhses * forms * lists.dtypes * lists.thread_counts;
  double sustain = 0.0, least = 0.0;
  exit_status = cli_get_positive(args, OPT_SUSTAIN, 600.0, &sustain);
  if (!exit_status) exit_status = cli_get_positive(args, OPT_LEAST, 600.0, &least);
  if (exit_status) return exit_status;
  *grid = (bench_grid){.cell = calloc(most, sizeof *grid->cell)};
  if (!grid->cell) return cli_error(CLI_FAILED, "out of memory");
  for (size_t t = 0; t < lists.thread_counts; t++) {
    for (size_t d = 0; d < lists.dtypes; d++) {
      p.dtype = lists.dtype[d];
      add_cells(grid, &lists, p, (int)lists.threads[t]);
    }
  }
  for (size_t i = 0; i < grid->count; i++) {
    grid->cell[i].sustain = sustain;
    grid->cell[i].least = least;
  }
  return CLI_DONE;
}

void cli_grid_free(bench_grid *grid) {
  free(grid->cell);
  free(grid->variant);
  *grid = (bench_grid){0};
}

cli_form_text cli_form(const bench_problem *p) {
  cli_form_text s;
  if (p->uplo == QN_LOWER && p->transa == QN_NOTRANS)
    snprintf(s.text, sizeof s.text, "%c", p->side);
  else
    snprintf(s.text, sizeof s.text, "%c%c%c", p->side, p->uplo, p->transa);
  return s;
}

cli_shape_text cli_shape(const bench_problem *p) {
  cli_shape_text s;
  if (p->routine == BENCH_GEMM) {
    snprintf(s.text, sizeof s.text, "%lld x %lld x %lld", (long long)p->m, (long long)p->n,
             (long long)p->k);
  } else if (p->routine == BENCH_POTRF) {
    snprintf(s.text, sizeof s.text, "%s%lld", p->uplo == QN_UPPER ? "U " : "", (long long)p->n);
  } else {
    snprintf(s.text, sizeof s.text, "%s %lld x %lld", cli_form(p).text, (long long)bench_order(p),
             (long long)(p->side == QN_LEFT ? p->n : p->m));
  }
  return s;
}

double cli_rate(const bench_cell *cell, const bench_side *side) {
  return 1e-9 * bench_flops(&cell->problem) / side->seconds.median;
}

size_t cli_grid_means(const bench_grid *grid, cli_mean means[CLI_MEANS_MOST]) {
  size_t count = 0;
  double *ratios = calloc(grid->done + 1, sizeof *ratios);
  for (size_t i = 0; ratios && i < grid->done; i++) {
    const bench_cell *first = &grid->cell[i];
    bool seen = !first->compared;
    for (size_t m = 0; m < count; m++)
      seen |= means[m].dtype == first->problem.dtype && means[m].threads == first->threads;
    if (seen || count == CLI_MEANS_MOST) continue;
    cli_mean *mean = &means[count++];
    *mean = (cli_mean){
        .dtype = first->problem.dtype, .threads = first->threads, .worst = first->ratio.median};
    for (size_t k = i; k < grid->done; k++) {
      const bench_cell *cell = &grid->cell[k];
      if (!cell->compared || cell->problem.dtype != mean->dtype || cell->threads != mean->threads)
        continue;
      ratios[mean->cells++] = cell->ratio.median;
      if (cell->ratio.median < mean->worst) mean->worst = cell->ratio.median;
    }
    mean->ratio = bench_geometric_mean(ratios, mean->cells);
  }
  free(ratios);
  return count;
}
