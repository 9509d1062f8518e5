/* What every file of the command shares: messages, options, commands. */
#ifndef CLI_H
#define CLI_H

#include <quern/quern.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_MISUSED = 2 };

/* ---- messages (message.c) ---- */

/* Prints "quern: <text>" as one line on stderr and returns `exit_status`. */
int cli_error(int exit_status, const char *format, ...) CLI_PRINTF(2, 3);
/* The same without a status, unless --quiet. */
void cli_note(const char *format, ...) CLI_PRINTF(1, 2);
/* Keeps the first error from now on, and drops the others, until it is told or dropped too: of many
 * ranks one is to tell. */
void cli_hold(void);
/* Whether an error is kept. */
bool cli_holds(void);
/* Tells it after `before`, which may be ""; NULL drops it. */
void cli_release(const char *before);
/* Prints qn_last_error() (or the status, where no text was left) after `context`, which may be "";
 * the exit status tells whether the user or the machine is to blame. */
int cli_fail(qn_status status, const char *context);
/* Sets how much is told, and takes the library's log. */
typedef enum cli_verbosity { CLI_QUIET, CLI_NORMAL, CLI_VERBOSE } cli_verbosity;
void cli_set_verbosity(cli_verbosity verbosity);
cli_verbosity cli_get_verbosity(void);
/* The last word: `exit_status`, or CLI_FAILED where stdout could not take all that was printed. */
int cli_finish(int exit_status);

/* ---- options (options.c) ---- */

typedef enum cli_option {
  OPT_OUTPUT,
  OPT_TRANSA,
  OPT_TRANSB,
  OPT_ALPHA,
  OPT_BETA,
  OPT_C,
  OPT_EPILOGUE,
  OPT_BIAS,
  OPT_RESIDUAL,
  OPT_SCALAR,
  OPT_OPERAND,
  OPT_SIDE,
  OPT_UPLO,
  OPT_TRANS,
  OPT_DIAG,
  OPT_JSON,
  /* bench */
  OPT_SIZES,
  OPT_NRHS,
  OPT_SIDES,
  OPT_UPLOS,
  OPT_TRANSES,
  OPT_DTYPES,
  OPT_THREAD_LIST,
  OPT_VARIANTS,
  OPT_DUMP,
  OPT_DUMP_FILE,
  OPT_SUSTAIN,
  OPT_LEAST,
  OPT_AGAINST,
  OPT_JSON_FILE,
  OPT_CSV_FILE,
  OPT_LIST, /* probe */
  OPT_ELEMENTS,
  OPT_ORDER,
  OPT_GROUP,
  OPT_BYTES,
  OPT_SECONDS,
  OPT_PLOT,
  OPT_COMPARE, /* roofline */
  OPT_REPORT,  /* certify */
  OPT_FAIL_UNDER,
  OPT_CLASS, /* npb */
  OPT_VARIANT,
  OPT_MK,
  OPT_MI,
  OPT_BLOCK,
  /* common */
  OPT_DEVICE,
  OPT_DTYPE,
  OPT_THREADS,
  OPT_EXPLAIN,
  OPT_VERBOSE,
  OPT_QUIET,
  OPT_HELP,
  OPT_VERSION,
  OPT_COUNT
} cli_option;

typedef struct cli_option_row {
  const char *name;  /* without the dashes; two rows of different commands may share one */
  char letter;       /* 0: none */
  const char *value; /* what follows it, NULL: nothing */
  const char *help;
} cli_option_row;

extern const cli_option_row cli_options[OPT_COUNT];

enum { CLI_OPERANDS_MOST = 2 };

/* A command line taken apart. */
typedef struct cli_args {
  const char *value[OPT_COUNT]; /* the text given, "" for an option without one; NULL: not given */
  const char *operand[CLI_OPERANDS_MOST];
  char **words; /* all operands, of a command that takes any number */
  unsigned word_count;
} cli_args;

typedef struct cli_command cli_command;
struct cli_command {
  const char *name, *summary;
  const char *operands; /* "A B -o X", as the usage line shows them */
  unsigned operand_count;
  bool any_operands; /* as many as there are; `operand` is not filled in */
  const char *about, *examples;
  const cli_option *options; /* ends with OPT_COUNT */
  int (*run)(const cli_args *args);
};

/* The commands, in the order that help shows them; ends with NULL. */
extern const cli_command *const cli_commands[];
extern const cli_command cli_devices_command, cli_gemm_command, cli_trmm_command, cli_trsm_command,
    cli_potrf_command, cli_bench_command, cli_npb_command, cli_cache_command, cli_probe_command,
    cli_roofline_command, cli_certify_command;
const cli_command *cli_find_command(const char *name);

/* CLI_DONE, or an exit status after an error message. argv[0] is the command's name. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args);

/* ---- help (help.c) ---- */

void cli_help(void);
void cli_help_command(const cli_command *command);
void cli_help_variables(void);

/* An environment variable that has a meaning here (variables.c); ends with a NULL name. */
typedef struct cli_variable {
  const char *name, *meaning;
} cli_variable;
extern const cli_variable cli_variables[];

/* ---- the nearest name (suggest.c) ---- */

/* Of `names` the one that `text` was likely meant to be, or NULL when none is near. */
const char *cli_nearest(const char *text, const char *const *names, unsigned count);

#endif
