/* The options of every command, and the taking apart of a command line. */
#include "cli/cli.h"
#include <getopt.h>
#include <string.h>

const cli_option_row cli_options[OPT_COUNT] = {
    [OPT_OUTPUT] = {"output", 'o', "FILE", "where the result goes; .npy or .mtx by its name"},
    [OPT_TRANSA] = {"transa", 0, "N|T|C", "op(A): A, its transpose or conjugate transpose [N]"},
    [OPT_TRANSB] = {"transb", 0, "N|T|C", "op(B), likewise [N]"},
    [OPT_ALPHA] = {"alpha", 0, "X", "a number, such as 2, -1e-3 or, for complex types, 1-2i [1]"},
    [OPT_BETA] = {"beta", 0, "Y", "factor of C0; goes with --c [1]"},
    [OPT_C] = {"c", 0, "FILE", "C0, the matrix to which the product is added"},
    [OPT_EPILOGUE] = {"epilogue", 0, "EXPR",
                      "what becomes of each element, such as relu(acc + bias_n)"},
    [OPT_BIAS] = {"bias", 0, "FILE", "the vector that EXPR names bias_n or bias_m"},
    [OPT_RESIDUAL] = {"residual", 0, "FILE", "the matrix that EXPR names residual"},
    [OPT_SCALAR] = {"scalar", 0, "LIST", "numbers for names of your own: limit=2,slope=0.1"},
    [OPT_OPERAND] = {"operand", 0, "LIST", "files for names of your own: gate=G.npy,up=U.npy"},
    [OPT_SIDE] = {"side", 0, "L|R", "op(A) stands left or right of the other matrix [L]"},
    [OPT_UPLO] = {"uplo", 0, "L|U", "which triangle of A counts, lower or upper [L]"},
    [OPT_TRANS] = {"trans", 0, "N|T|C", "op(A): A, its transpose or conjugate transpose [N]"},
    [OPT_DIAG] = {"diag", 0, "N|U", "U: the diagonal of A is taken as ones [N]"},
    [OPT_JSON] = {"json", 0, NULL, "print JSON instead of a table"},
    [OPT_SIZES] = {"sizes", 0, "LIST",
                   "orders, such as 256,512; gemm also MxNxK [256,512,1024,2048]"},
    [OPT_NRHS] = {"nrhs", 0, "LIST",
                  "trmm, trsm: columns (rows, side R) of B; n is the order [n,64]"},
    [OPT_SIDES] = {"side", 0, "LIST", "trmm, trsm: L, R or L,R [L]"},
    [OPT_UPLOS] = {"uplo", 0, "LIST", "which triangle of A counts: L, U or L,U [L]"},
    [OPT_TRANSES] = {"trans", 0, "LIST", "trmm, trsm: op(A), of N T C [N]"},
    [OPT_DTYPES] = {"dtype", 0, "LIST", "of f16 bf16 f32 f64 c64 c128 [f32,f64]"},
    [OPT_THREAD_LIST] = {"threads", 0, "LIST", "threads of both sides, such as 1,2 [one a core]"},
    [OPT_VARIANTS] = {"variant", 0, "LIST",
                      "gemm: variants by name, or all that the device has [by cost]"},
    [OPT_DUMP] = {"dump", 0, "ptx|cubin|sass",
                  "gemm: write what its kernels are compiled to; nothing is timed"},
    [OPT_DUMP_FILE] = {"output", 'o', "FILE", "where --dump writes [standard output]"},
    [OPT_LEAST] = {"seconds", 0, "S", "least time of a side in a cell [0.3; on a device 0.05]"},
    [OPT_SUSTAIN] = {"sustain", 0, "S", "then time each side under S seconds of steady load [0]"},
    [OPT_AGAINST] = {"against", 0, "PEER",
                     "cblas, cublas, cublaslt, clblast: time it in pairs; or an earlier JSON file"},
    [OPT_JSON_FILE] = {"json", 0, "FILE", "write all figures as JSON (- is standard output)"},
    [OPT_CSV_FILE] = {"csv", 0, "FILE", "write all figures as a table of commas (- likewise)"},
    [OPT_LIST] = {"list", 0, NULL, "list the rows and what each shows"},
    [OPT_ELEMENTS] = {"elements", 0, "N", "elements of vectors [each row's own, 2^20 to 2^24]"},
    [OPT_ORDER] = {"order", 0, "N", "order of matrices [1024]"},
    [OPT_GROUP] = {"block", 0, "N", "items a group [256]"},
    [OPT_BYTES] = {"bytes", 0, "N", "largest working set, such as 64M [past the last cache]"},
    [OPT_SECONDS] = {"seconds", 0, "S", "time for each figure [0.05]"},
    [OPT_PLOT] = {"plot", 0, "FILE", "draw the figures; .svg or .png by its name"},
    [OPT_COMPARE] = {"compare", 0, NULL, "lay two JSON files, A and B, over one another"},
    [OPT_REPORT] = {"against", 0, "FILE", "an earlier report of --json that must be reached"},
    [OPT_FAIL_UNDER] = {"fail-under", 0, "R", "exit 1 where a ratio to --against is below R"},
    [OPT_CLASS] = {"class", 0, "X", "size of the problem: S W A B C D E or F"},
    [OPT_VARIANT] = {"variant", 0, "V", "default, port, steps of it (see above) or all [default]"},
    [OPT_MK] = {"mk", 0, "N", "port: 2^N pairs a batch, one item's work [16]"},
    [OPT_MI] = {"mi", 0, "N", "port: 2^N passes over the problem, each in 2^-N of the memory [0]"},
    [OPT_BLOCK] = {"block", 0, "N", "port: items a group [128]"},
    [OPT_DEVICE] = {"device", 0, "NAME", "auto, cpu, cuda:N or opencl:N; see quern devices [auto]"},
    [OPT_DTYPE] = {"dtype", 0, "T", "convert what is read to f16 bf16 f32 f64 c64 or c128"},
    [OPT_THREADS] = {"threads", 0, "N", "threads of the cpu device [one a core]"},
    [OPT_EXPLAIN] = {"explain", 0, NULL, "print where the time went, and how exact the result is"},
    [OPT_VERBOSE] = {"verbose", 'v', NULL, "say more"},
    [OPT_QUIET] = {"quiet", 'q', NULL, "say nothing but errors"},
    [OPT_HELP] = {"help", 'h', NULL, "print this help"},
    [OPT_VERSION] = {"version", 'V', NULL, "print the version"},
};

enum { FIRST_LONG = 256 }; /* getopt's number of the option with id 0, beyond all letters */

/* What getopt_long wants to know of a command's options. */
typedef struct getopt_tables {
  struct option rows[OPT_COUNT + 1];
  char letters[3 * OPT_COUNT + 2];
  const char *names[OPT_COUNT];
  unsigned count;
} getopt_tables;

static void make_tables(const cli_command *command, getopt_tables *t) {
  char *letter = t->letters;
  *letter++ = ':'; /* a missing value is told from an unknown option */
  t->count = 0;
  for (const cli_option *id = command->options; *id != OPT_COUNT; id++) {
    const cli_option_row *row = &cli_options[*id];
    t->rows[t->count] = (struct option){row->name, row->value ? required_argument : no_argument,
                                        NULL, FIRST_LONG + (int)*id};
    t->names[t->count++] = row->name;
    if (row->letter) *letter++ = row->letter;
    if (row->letter && row->value) *letter++ = ':';
  }
  *letter = '\0';
  t->rows[t->count] = (struct option){0};
}

/* What getopt_long did not take: `arg` is the word at fault. */
static int refuse(const cli_command *command, const getopt_tables *t, int answer, const char *arg) {
  const bool is_long = strncmp(arg, "--", 2) == 0;
  if (answer == ':')
    return cli_error(CLI_MISUSED, "%s: option %s needs a value", command->name, arg);
  if (!is_long)
    return cli_error(CLI_MISUSED, "%s: unknown option -%c; see quern %s --help", command->name,
                     optopt, command->name);
  char name[64];
  const size_t length = strcspn(arg + 2, "=");
  if (optopt >= FIRST_LONG)
    return cli_error(CLI_MISUSED, "%s: option --%.*s takes no value", command->name, (int)length,
                     arg + 2);
  const char *nearest = NULL;
  if (length < sizeof name) {
    memcpy(name, arg + 2, length);
    name[length] = '\0';
    nearest = cli_nearest(name, t->names, t->count);
  }
  if (nearest)
    return cli_error(CLI_MISUSED, "%s: unknown option --%.*s; did you mean --%s?", command->name,
                     (int)length, arg + 2, nearest);
  return cli_error(CLI_MISUSED, "%s: unknown option --%.*s; see quern %s --help", command->name,
                   (int)length, arg + 2, command->name);
}

static cli_option id_of(const cli_command *command, int answer) {
  if (answer >= FIRST_LONG) return (cli_option)(answer - FIRST_LONG);
  const cli_option *id = command->options;
  while (*id != OPT_COUNT && cli_options[*id].letter != answer) id++;
  return *id;
}

static int take_operands(const cli_command *command, int count, char **words, cli_args *args) {
  const char *space = *command->operands ? " " : "";
  args->words = words;
  args->word_count = (unsigned)count;
  if (command->any_operands) return CLI_DONE;
  if ((unsigned)count > command->operand_count)
    return cli_error(CLI_MISUSED, "%s: '%s' is one operand too many; usage: quern %s%s%s",
                     command->name, words[command->operand_count], command->name, space,
                     command->operands);
  if ((unsigned)count < command->operand_count)
    return cli_error(CLI_MISUSED, "%s: an operand is missing; usage: quern %s%s%s", command->name,
                     command->name, space, command->operands);
  for (int i = 0; i < count; i++) args->operand[i] = words[i];
  return CLI_DONE;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args) {
  getopt_tables tables;
  make_tables(command, &tables);
  *args = (cli_args){0};
  opterr = 0;
  for (;;) {
    const int at = optind;
    const int answer = getopt_long(argc, argv, tables.letters, tables.rows, NULL);
    if (answer == -1) break;
    if (answer == '?' || answer == ':')
      return refuse(command, &tables, answer, argv[optind > at ? optind - 1 : optind]);
    const cli_option id = id_of(command, answer);
    const char *takes = cli_options[id].value;
    if (takes && strcmp(takes, "FILE") == 0 && optarg && !*optarg)
      return cli_error(CLI_MISUSED, "--%s takes the name of a file, not ''", cli_options[id].name);
    args->value[id] = optarg ? optarg : "";
  }
  if (args->value[OPT_HELP] || args->value[OPT_VERSION]) return CLI_DONE;
  return take_operands(command, argc - optind, argv + optind, args);
}
