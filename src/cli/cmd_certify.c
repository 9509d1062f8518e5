/* quern certify: one page on what this machine does, and whether it does it right. */
#include "cli/certify.h"
#include "cli/output.h"
#include "cli/values.h"
#include "plot/chart.h"
#include <stdlib.h>
#include <string.h>

static const double share_usual = 0.9;

static int check_options(const cli_args *args, certify_settings *s, double *share) {
  if (args->value[OPT_JSON_FILE] && !cli_json_available())
    return cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  if (args->value[OPT_FAIL_UNDER] && !args->value[OPT_REPORT])
    return cli_error(CLI_MISUSED, "--fail-under needs --against, a report to compare with");
  int exit_status = cli_get_positive(args, OPT_FAIL_UNDER, 10.0, share);
  if (!exit_status) exit_status = cli_get_integer(args, OPT_ORDER, 16, 16384, &s->order);
  if (!exit_status) exit_status = cli_get_positive(args, OPT_SECONDS, 10.0, &s->seconds);
  return exit_status ? exit_status : cli_check_plot(args->value[OPT_PLOT]);
}

static int finish(const certify_report *r, const cli_args *args, const cli_text_file *json) {
  const char *plot = args->value[OPT_PLOT];
  char error[QN_CHART_ERROR];
  if (json->stream) {
    cli_json *root = certify_json(r);
    cli_json_print(root, json->stream);
    cli_json_free(root);
  }
  if (json->stream != stdout && cli_get_verbosity() != CLI_QUIET) certify_print(r);
  if (plot && !certify_draw(r, plot, error)) return cli_error(CLI_FAILED, "%s", error);
  if (certify_passed(r)) return CLI_DONE;
  return cli_error(CLI_FAILED, "certify: a line is wrong, or below the reference");
}

static int run(const cli_args *args) {
  cli_session session = {0};
  cli_text_file json = {0};
  certify_settings settings = {0};
  cli_json *reference = NULL;
  const char *against = args->value[OPT_REPORT];
  double share = share_usual;
  certify_report *r = calloc(1, sizeof *r);
  if (!r) return cli_error(CLI_FAILED, "out of memory");
  int exit_status = check_options(args, &settings, &share);
  if (!exit_status && against) exit_status = certify_load(against, &reference);
  if (!exit_status) exit_status = cli_session_open(&session, args);
  if (!exit_status) exit_status = cli_session_choose(&session, QN_F64);
  if (!exit_status && args->value[OPT_JSON_FILE])
    exit_status = cli_text_begin(&json, args->value[OPT_JSON_FILE]);
  if (!exit_status) exit_status = certify_measure(&session, &settings, r);
  const bool whole = exit_status == CLI_DONE;
  if (whole && against) exit_status = certify_compare(r, reference, share);
  if (whole) {
    const int finished = finish(r, args, &json);
    if (!exit_status) exit_status = finished;
  }
  const int json_status = cli_text_end(&json, whole);
  if (!exit_status) exit_status = json_status;
  cli_session_close(&session);
  if (reference) cli_json_free(reference);
  free(r);
  return exit_status;
}

static const cli_option options[] = {
    OPT_ORDER,   OPT_SECONDS, OPT_REPORT, OPT_FAIL_UNDER, OPT_JSON_FILE, OPT_PLOT, OPT_DEVICE,
    OPT_THREADS, OPT_VERBOSE, OPT_QUIET,  OPT_HELP,       OPT_VERSION,   OPT_COUNT};

const cli_command cli_certify_command = {
    .name = "certify",
    .summary = "one page on what this machine does, and whether it does it right",
    .operands = "",
    .about =
        "Ceilings, the benchmark EP verified by its published sums, products from the naive "
        "kernel\n"
        "to the library's, triangular solves, and the errors of all routines beside their limits.\n"
        "With a reference, a report of --json, every rate must reach a share of the one there.\n"
        "The exit status is 1 where something is wrong or below.\n",
    .examples = "  quern certify\n"
                "  quern certify --json site.json --plot site.png\n"
                "  quern certify --against site.json --fail-under 0.95\n",
    .options = options,
    .run = run,
};
