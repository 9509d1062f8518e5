/* One run of gemm, trmm, trsm or potrf on files: read, place, compute, fetch, write, explain. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "bench/problem.h"
#include "bench/residual.h"
#include "cli/session.h"
#include "io/io.h"

/* A matrix of the job. */
typedef struct cli_operand {
  const char *path; /* NULL: none, or a C that begins empty */
  qn_file_matrix file;
  qn_matrix placed; /* on the device */
  double read_seconds;
} cli_operand;

enum { CLI_STEPS_MOST = 32, CLI_EXTRAS = 3 + QN_EPILOGUE_OPERANDS };

/* The steps of one kind and variant, added up. */
typedef struct cli_step {
  char kind[16], variant[48], why[160];
  int64_t calls;
  double seconds, flops, bytes;
} cli_step;

typedef struct cli_steps {
  cli_step row[CLI_STEPS_MOST];
  int count;
  double done; /* operations so far, for the progress line */
} cli_steps;

typedef struct cli_job {
  const cli_args *args;
  bench_problem problem;
  cli_operand a, b, c;           /* c is what is written: B of trmm and trsm, A of potrf */
  cli_operand extra[CLI_EXTRAS]; /* what an epilogue names: bias_m, bias_n, residual, one's own */
  char *operand_list;            /* the text that paths of `extra` point into, or NULL */
  qn_epilogue *epilogue;         /* NULL: none */
  qn_epilogue_args epilogue_args;
  const char *output;
  cli_session session;
  bench_sample before; /* what c held, for the backward error */
  cli_steps steps;
  double place_seconds, compute_seconds, fetch_seconds, write_seconds;
} cli_job;

/* Looks at the output's name and place, opens a named device. */
int cli_job_begin(cli_job *job, const cli_args *args, bench_routine routine);

/* Reads the file of an operand, as --dtype where that is given. */
int cli_job_read(cli_job *job, cli_operand *operand, const char *path);
/* Refuses dtypes that differ and a complex factor of real matrices; sets the problem's dtype and
 * chooses the device. `x` and `y` may be the same. */
int cli_job_agree(cli_job *job, const cli_operand *x, const cli_operand *y);

/* CLI_DONE if the operand is square. */
int cli_job_square(const cli_operand *operand);

/* Computes, writes the output and tells what --explain asks for; the shapes have been checked. */
int cli_job_run(cli_job *job);

/* Gives everything back; passes the exit status on. */
int cli_job_end(cli_job *job, int exit_status);

/* ---- explain.c ---- */

/* Takes the steps of the routine; on its way it moves the progress line. */
void cli_take_step(void *job, const qn_trace_step *step);
/* Prints where the time went, how it was done and how good it is. CLI_FAILED when the backward
 * error is beyond its limit. */
int cli_explain(cli_job *job);

static inline bench_matrix cli_host_matrix(const qn_file_matrix *file) {
  return (bench_matrix){file->data, file->rows, file->cols, file->ld};
}

#endif
