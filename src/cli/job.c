/* One run of gemm, trmm, trsm or potrf on files. */
#include "cli/job.h"
#include "bench/placement.h"
#include "bench/timing.h"
#include "cli/epilogue.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_job_begin(cli_job *job, const cli_args *args, bench_routine routine) {
  *job = (cli_job){.args = args, .problem = bench_problem_make(routine, QN_F64)};
  job->output = args->value[OPT_OUTPUT];
  if (!job->output)
    return cli_error(CLI_MISUSED, "%s: -o FILE is missing: where does the result go?",
                     bench_routine_name(routine));
  const qn_status status = qn_io_check_output(job->output);
  if (status) return cli_fail(status, "");
  const int exit_status = cli_check_writable(job->output);
  return exit_status ? exit_status : cli_session_open(&job->session, args);
}

/* A mapped file is read when it is first touched. For --explain that happens here, so that the
 * time counts as reading. */
static void touch(const qn_file_matrix *file) {
  const volatile unsigned char *bytes = file->base;
  const size_t page = 4096;
  if (file->hold != QN_IO_MAPPED) return;
  for (size_t at = 0; at < file->bytes; at += page) (void)bytes[at];
}

int cli_job_read(cli_job *job, cli_operand *operand, const char *path) {
  char what[96];
  snprintf(what, sizeof what, "reading %s", path);
  cli_progress_say(what, -1.0);
  const double start = bench_now();
  qn_dtype dtype = QN_F64;
  const int exit_status = cli_get_dtype(job->args, OPT_DTYPE, &dtype);
  if (exit_status != CLI_DONE) return exit_status;
  const qn_status status = job->args->value[OPT_DTYPE] ? qn_io_open_as(path, dtype, &operand->file)
                                                       : qn_io_open(path, &operand->file);
  if (status) return cli_error(CLI_MISUSED, "%s", qn_last_error());
  operand->path = path;
  if (job->args->value[OPT_EXPLAIN]) touch(&operand->file);
  operand->read_seconds = bench_now() - start;
  if (cli_get_verbosity() == CLI_VERBOSE)
    cli_note("%s: %lld x %lld %s, %s", path, (long long)operand->file.rows,
             (long long)operand->file.cols, qn_dtype_name(operand->file.dtype),
             operand->file.hold == QN_IO_MAPPED ? "mapped" : "read into memory");
  return CLI_DONE;
}

static int refuse_imaginary(const cli_job *job, const cli_operand *x, cli_option option,
                            qn_scalar s) {
  if (s.im == 0.0) return CLI_DONE;
  return cli_error(CLI_MISUSED, "--%s %s is complex and %s is %s; --dtype %s converts",
                   cli_options[option].name, job->args->value[option], x->path,
                   qn_dtype_name(x->file.dtype), x->file.dtype == QN_F64 ? "c128" : "c64");
}

/* The smallest dtype that holds all values of both. */
static qn_dtype common_dtype(qn_dtype x, qn_dtype y) {
  const bool wide = x == QN_F64 || x == QN_C128 || y == QN_F64 || y == QN_C128;
  if (bench_is_complex(x) || bench_is_complex(y)) return wide ? QN_C128 : QN_C64;
  return wide ? QN_F64 : QN_F32;
}

int cli_job_agree(cli_job *job, const cli_operand *x, const cli_operand *y) {
  const qn_dtype dtype = x->file.dtype;
  if (y->file.dtype != dtype)
    return cli_error(CLI_MISUSED, "%s is %s and %s is %s; --dtype %s converts on reading", x->path,
                     qn_dtype_name(dtype), y->path, qn_dtype_name(y->file.dtype),
                     qn_dtype_name(common_dtype(dtype, y->file.dtype)));
  job->problem.dtype = dtype;
  int exit_status = CLI_DONE;
  if (!bench_is_complex(dtype)) {
    exit_status = refuse_imaginary(job, x, OPT_ALPHA, job->problem.alpha);
    if (!exit_status) exit_status = refuse_imaginary(job, x, OPT_BETA, job->problem.beta);
    for (int i = 0; i < QN_EPILOGUE_SCALARS && !exit_status; i++)
      exit_status = refuse_imaginary(job, x, OPT_SCALAR, job->epilogue_args.scalar[i]);
  }
  return exit_status ? exit_status : cli_session_choose(&job->session, dtype);
}

int cli_job_square(const cli_operand *operand) {
  if (operand->file.rows == operand->file.cols) return CLI_DONE;
  return cli_error(CLI_MISUSED, "%s is %lld x %lld; a square matrix is needed", operand->path,
                   (long long)operand->file.rows, (long long)operand->file.cols);
}

/* NumPy reads the first of several arrays saved to one file, and so do we; but not in silence. */
static void tell_beyond(const cli_operand *operand) {
  const size_t bytes = operand->file.beyond;
  if (operand->path && bytes)
    cli_note("warning: %s: %zu byte%s after the array %s ignored", operand->path, bytes,
             bytes == 1 ? "" : "s", bytes == 1 ? "is" : "are");
}

static qn_status place(cli_job *job, cli_operand *operand) {
  const bench_matrix host = cli_host_matrix(&operand->file);
  return bench_place(job->session.stream, &host, job->problem.dtype, &operand->placed);
}

static qn_status place_all(cli_job *job) {
  const double start = bench_now();
  qn_status status = place(job, &job->c);
  if (!status && job->problem.routine != BENCH_POTRF) status = place(job, &job->a);
  if (!status && job->problem.routine == BENCH_GEMM) status = place(job, &job->b);
  if (!status) status = cli_epilogue_place(job);
  if (!status) status = qn_stream_sync(job->session.stream);
  job->place_seconds = bench_now() - start;
  return status;
}

static qn_status compute(cli_job *job, int64_t *info) {
  qn_stream *stream = job->session.stream;
  const bool watched = job->args->value[OPT_EXPLAIN] || isatty(STDERR_FILENO);
  qn_status status = watched ? qn_stream_set_trace(stream, cli_take_step, job) : QN_OK;
  cli_progress_say(bench_routine_name(job->problem.routine), -1.0);
  const double start = bench_now();
  if (!status)
    status = bench_call(stream, &job->problem, job->a.placed, job->b.placed, job->c.placed, info);
  if (!status) status = qn_stream_sync(stream);
  job->compute_seconds = bench_now() - start;
  if (watched) qn_stream_set_trace(stream, NULL, NULL);
  if (status || *info) return status;
  const bench_matrix host = cli_host_matrix(&job->c.file);
  const double fetch = bench_now();
  status = bench_fetch(stream, &host, job->c.placed);
  job->fetch_seconds = bench_now() - fetch;
  return status;
}

/* potrf leaves the other triangle alone; in a file of its own it is zero. */
static void clear_other_triangle(const qn_file_matrix *file, qn_uplo uplo) {
  const size_t size = qn_dtype_size(file->dtype);
  for (int64_t j = 0; j < file->cols; j++) {
    char *column = (char *)file->data + (size_t)(j * file->ld) * size;
    if (uplo == QN_LOWER) {
      memset(column, 0, (size_t)j * size);
    } else {
      memset(column + (size_t)(j + 1) * size, 0, (size_t)(file->rows - j - 1) * size);
    }
  }
}

static int write_result(cli_job *job) {
  const qn_file_matrix *file = &job->c.file;
  const qn_file_matrix result = {.dtype = file->dtype,
                                 .rows = file->rows,
                                 .cols = file->cols,
                                 .ld = file->ld,
                                 .data = file->data};
  char what[96];
  snprintf(what, sizeof what, "writing %s", job->output);
  cli_progress_say(what, -1.0);
  const double start = bench_now();
  const qn_status status = qn_io_write(job->output, &result);
  job->write_seconds = bench_now() - start;
  return status ? cli_error(CLI_FAILED, "%s", qn_last_error()) : CLI_DONE;
}

static void tell(const cli_job *job) {
  const qn_file_matrix *file = &job->c.file;
  const double rate = bench_flops(&job->problem) / job->compute_seconds * 1e-9;
  printf("%s: %lld x %lld %s; %s took %s, %.*f GFLOP/s, on %s\n", job->output,
         (long long)file->rows, (long long)file->cols, qn_dtype_name(file->dtype),
         bench_routine_name(job->problem.routine), cli_format_time(job->compute_seconds).text,
         cli_rate_digits(rate), rate, cli_describe_device(&job->session.info).text);
}

int cli_job_run(cli_job *job) {
  const uint64_t bytes =
      (uint64_t)job->problem.m * (uint64_t)job->problem.n * qn_dtype_size(job->problem.dtype);
  const bench_matrix host = cli_host_matrix(&job->c.file);
  int exit_status = cli_check_room(job->output, bytes);
  if (exit_status) return exit_status;
  tell_beyond(&job->a);
  tell_beyond(&job->b);
  tell_beyond(&job->c);
  if (job->args->value[OPT_EXPLAIN] &&
      !bench_sample_take(&job->before, &job->problem, &host, BENCH_SAMPLE_COLUMNS))
    return cli_error(CLI_FAILED, "out of memory for the samples of --explain");
  int64_t info = 0;
  qn_status status = place_all(job);
  if (!status) status = compute(job, &info);
  if (status) return cli_fail(status, "");
  if (info > 0)
    return cli_error(CLI_FAILED,
                     "%s is not positive definite: its leading minor of order %lld is not",
                     job->c.path, (long long)info);
  if (job->problem.routine == BENCH_POTRF) clear_other_triangle(&job->c.file, job->problem.uplo);
  exit_status = write_result(job);
  cli_progress_end();
  if (exit_status) return exit_status;
  if (job->args->value[OPT_EXPLAIN]) return cli_explain(job);
  if (cli_get_verbosity() != CLI_QUIET) tell(job);
  return CLI_DONE;
}

static void close_operand(cli_operand *operand) {
  qn_buffer_free(operand->placed.buffer);
  if (operand->path) {
    qn_io_close(&operand->file);
  } else {
    free(operand->file.data);
  }
}

int cli_job_end(cli_job *job, int exit_status) {
  cli_progress_end();
  if (job->session.stream) qn_stream_sync(job->session.stream);
  close_operand(&job->a);
  close_operand(&job->b);
  close_operand(&job->c);
  for (int i = 0; i < CLI_EXTRAS; i++) close_operand(&job->extra[i]);
  free(job->operand_list);
  qn_epilogue_free(job->epilogue);
  bench_sample_free(&job->before);
  cli_session_close(&job->session);
  return exit_status;
}
