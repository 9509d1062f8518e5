/* --epilogue: the expression, and the files and numbers that its names stand for. */
#include "cli/epilogue.h"
#include "bench/placement.h"
#include "cli/values.h"
#include <stdlib.h>
#include <string.h>

/* The matrices that an expression may name, in the order of cli_job.extra. */
enum { BIAS_M, BIAS_N, RESIDUAL, OWN };
static const char *const names[OWN] = {"bias_m", "bias_n", "residual"};

typedef struct word {
  char *name, *value;
} word;

/* The next NAME=VALUE of a list that is taken apart in place; false at its end. */
static bool next_word(char **list, word *w) {
  if (!*list) return false;
  w->name = strsep(list, ",");
  w->value = w->name;
  strsep(&w->value, "=");
  return true;
}

/* `declared`: the names of one's own so far, parted by spaces. */
typedef struct reading {
  cli_job *job;
  char *scalars, *operands, *declared_scalars, *declared_operands;
  int own_scalars, own_operands;
} reading;

/* Spaces part names for the library. */
static bool is_one_name(const char *name) {
  return *name && !strpbrk(name, " \t\n");
}

static int malformed(cli_option option, const word *w, const char *needs) {
  return cli_error(CLI_MISUSED, "--%s takes NAME=%s and more of them after commas, not '%s%s%s'",
                   cli_options[option].name, needs, w->name, w->value ? "=" : "",
                   w->value ? w->value : "");
}

static int too_many(cli_option option, int most) {
  return cli_error(CLI_MISUSED, "--%s: more than %d of your own", cli_options[option].name, most);
}

static void declare(char *names_so_far, const char *name) {
  size_t used = strlen(names_so_far);
  if (used > 0) names_so_far[used++] = ' ';
  memcpy(names_so_far + used, name, strlen(name) + 1);
}

static int take_scalars(reading *r) {
  qn_scalar *scalar = r->job->epilogue_args.scalar;
  char *list = r->scalars;
  for (word w; next_word(&list, &w); r->own_scalars++) {
    if (r->own_scalars == QN_EPILOGUE_SCALARS) return too_many(OPT_SCALAR, QN_EPILOGUE_SCALARS);
    if (!w.value || !is_one_name(w.name) || !cli_read_scalar(w.value, &scalar[r->own_scalars]))
      return malformed(OPT_SCALAR, &w, "NUMBER");
    declare(r->declared_scalars, w.name);
  }
  return CLI_DONE;
}

static int built_in(const char *name) {
  int i = 0;
  while (i < OWN && strcmp(names[i], name) != 0) i++;
  return i;
}

static int take_operands(reading *r) {
  char *list = r->operands;
  for (word w; next_word(&list, &w);) {
    if (!w.value || !*w.value || !is_one_name(w.name)) return malformed(OPT_OPERAND, &w, "FILE");
    int at = built_in(w.name);
    if (at == OWN) {
      if (r->own_operands == QN_EPILOGUE_OPERANDS)
        return too_many(OPT_OPERAND, QN_EPILOGUE_OPERANDS);
      at += r->own_operands++;
      declare(r->declared_operands, w.name);
    }
    r->job->extra[at].path = w.value;
  }
  return CLI_DONE;
}

/* The bias that the expression names, for --bias. */
static int give_bias(cli_job *job, const char *path) {
  const bool m = qn_epilogue_uses(job->epilogue, names[BIAS_M]);
  const bool n = qn_epilogue_uses(job->epilogue, names[BIAS_N]);
  if (m && n)
    return cli_error(CLI_MISUSED, "--bias: the epilogue names bias_m and bias_n; give them with "
                                  "--operand bias_m=FILE,bias_n=FILE");
  if (!m && !n)
    return cli_error(CLI_MISUSED, "--bias: the epilogue names neither bias_m nor bias_n");
  job->extra[m ? BIAS_M : BIAS_N].path = path;
  return CLI_DONE;
}

static int check_given(cli_job *job) {
  const cli_args *args = job->args;
  if (qn_epilogue_uses(job->epilogue, "c") && !args->value[OPT_C])
    return cli_error(CLI_MISUSED, "--epilogue names c: --c FILE is missing");
  int exit_status = args->value[OPT_BIAS] ? give_bias(job, args->value[OPT_BIAS]) : CLI_DONE;
  if (args->value[OPT_RESIDUAL]) job->extra[RESIDUAL].path = args->value[OPT_RESIDUAL];
  for (int i = 0; i < OWN && !exit_status; i++) {
    const bool used = qn_epilogue_uses(job->epilogue, names[i]);
    if (used && !job->extra[i].path)
      exit_status = cli_error(CLI_MISUSED, "--epilogue names %s: --%s FILE is missing", names[i],
                              i == RESIDUAL ? "residual" : "bias");
    if (!used && job->extra[i].path)
      exit_status = cli_error(CLI_MISUSED, "--epilogue does not name %s, for which there is %s",
                              names[i], job->extra[i].path);
  }
  return exit_status;
}

static int parse(reading *r) {
  cli_job *job = r->job;
  int exit_status = take_scalars(r);
  if (!exit_status) exit_status = take_operands(r);
  if (exit_status) return exit_status;
  if (qn_epilogue_create(job->args->value[OPT_EPILOGUE], r->declared_scalars, r->declared_operands,
                         &job->epilogue) != QN_OK) {
    const char *what = strstr(qn_last_error(), ": ");
    return cli_error(CLI_MISUSED, "--epilogue: %s", what ? what + 2 : qn_last_error());
  }
  return check_given(job);
}

int cli_epilogue_take(cli_job *job) {
  static const cli_option others[] = {OPT_BIAS, OPT_RESIDUAL, OPT_SCALAR, OPT_OPERAND};
  const cli_args *args = job->args;
  for (int i = 0; i < 4 && !args->value[OPT_EPILOGUE]; i++)
    if (args->value[others[i]])
      return cli_error(CLI_MISUSED, "gemm: --%s goes with --epilogue EXPR",
                       cli_options[others[i]].name);
  if (!args->value[OPT_EPILOGUE]) return CLI_DONE;
  const char *scalars = args->value[OPT_SCALAR], *operands = args->value[OPT_OPERAND];
  reading r = {.job = job,
               .scalars = scalars ? strdup(scalars) : NULL,
               .operands = operands ? strdup(operands) : NULL,
               .declared_scalars = calloc(1, (scalars ? strlen(scalars) : 0) + 1),
               .declared_operands = calloc(1, (operands ? strlen(operands) : 0) + 1)};
  const bool room = (r.scalars || !scalars) && (r.operands || !operands) && r.declared_scalars &&
                    r.declared_operands;
  int exit_status = room ? parse(&r) : cli_error(CLI_FAILED, "out of memory for --epilogue");
  free(r.scalars);
  free(r.declared_scalars);
  free(r.declared_operands);
  job->operand_list = r.operands; /* paths point into it */
  return exit_status;
}

int cli_epilogue_read(cli_job *job) {
  const qn_dtype dtype = job->problem.dtype;
  const bool half = dtype == QN_F16 || dtype == QN_BF16;
  for (int i = 0; i < CLI_EXTRAS; i++) {
    cli_operand *x = &job->extra[i];
    if (!x->path) continue;
    const int exit_status = cli_job_read(job, x, x->path);
    if (exit_status) return exit_status;
    if (x->file.dtype != dtype && !(half && x->file.dtype == QN_F32))
      return cli_error(CLI_MISUSED, "%s is %s where the product is %s; --dtype converts on reading",
                       x->path, qn_dtype_name(x->file.dtype), qn_dtype_name(dtype));
  }
  return CLI_DONE;
}

/* What the shape of each operand must be. The library checks it too, but knows no files. */
static int check_shape(const cli_operand *x, int at, int64_t m, int64_t n) {
  const int64_t rows = x->file.rows, cols = x->file.cols;
  const bool row = rows == 1 && cols == n, column = rows == m && cols == 1;
  const bool whole = rows == m && cols == n;
  const long long r = rows, c = cols, lm = m, ln = n;
  switch (at) {
  case BIAS_M:
    if (column || (rows == 1 && cols == m)) return CLI_DONE;
    return cli_error(CLI_MISUSED, "%s is %lld x %lld; bias_m is a vector of %lld, one a row",
                     x->path, r, c, lm);
  case BIAS_N:
    if (row || (rows == n && cols == 1)) return CLI_DONE;
    return cli_error(CLI_MISUSED, "%s is %lld x %lld; bias_n is a vector of %lld, one a column",
                     x->path, r, c, ln);
  case RESIDUAL:
    if (whole) return CLI_DONE;
    return cli_error(CLI_MISUSED, "%s is %lld x %lld; residual is as the product, %lld x %lld",
                     x->path, r, c, lm, ln);
  default:
    if (whole || column || row) return CLI_DONE;
    return cli_error(CLI_MISUSED,
                     "%s is %lld x %lld; an operand is as the product, %lld x %lld, or a column or "
                     "a row of it",
                     x->path, r, c, lm, ln);
  }
}

int cli_epilogue_check_shapes(const cli_job *job) {
  int exit_status = CLI_DONE;
  for (int i = 0; i < CLI_EXTRAS && !exit_status; i++)
    if (job->extra[i].path)
      exit_status = check_shape(&job->extra[i], i, job->problem.m, job->problem.n);
  return exit_status;
}

qn_status cli_epilogue_place(cli_job *job) {
  qn_epilogue_args *args = &job->epilogue_args;
  qn_matrix *const built[OWN] = {&args->bias_m, &args->bias_n, &args->residual};
  for (int i = 0; i < CLI_EXTRAS; i++) {
    cli_operand *x = &job->extra[i];
    if (!x->path) continue;
    const bench_matrix host = cli_host_matrix(&x->file);
    const qn_status status = bench_place(job->session.stream, &host, x->file.dtype, &x->placed);
    if (status) return status;
    *(i < OWN ? built[i] : &args->operand[i - OWN]) = x->placed;
  }
  job->problem.epilogue = job->epilogue;
  job->problem.epilogue_args = args;
  return QN_OK;
}
