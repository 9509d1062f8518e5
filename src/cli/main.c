/* quern: the command. Finds the subcommand and hands over; each has a file of its own. */
#include "cli/cli.h"
#include "io/leftover.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MOST = 16, WORDS_MOST = 64 };

const cli_command *const cli_commands[COMMANDS_MOST] = {
    &cli_devices_command, &cli_gemm_command,  &cli_trmm_command,  &cli_trsm_command,
    &cli_potrf_command,   &cli_bench_command, &cli_probe_command, &cli_roofline_command,
    &cli_certify_command, &cli_npb_command,   &cli_cache_command, NULL,
};

const cli_command *cli_find_command(const char *name) {
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (strcmp((*c)->name, name) == 0) return *c;
  return NULL;
}

static int unknown_command(const char *word) {
  const char *names[COMMANDS_MOST + 1];
  unsigned count = 0;
  for (const cli_command *const *c = cli_commands; *c; c++) names[count++] = (*c)->name;
  names[count++] = "help";
  const char *nearest = cli_nearest(word, names, count);
  if (nearest)
    return cli_error(CLI_MISUSED, "unknown command '%s'; did you mean %s?", word, nearest);
  return cli_error(CLI_MISUSED, "unknown command '%s'; see quern --help", word);
}

static int print_version(void) {
  printf("quern %s\n", qn_version_string());
  return CLI_DONE;
}

/* quern help, quern help COMMAND, quern help env */
static int help(const char *topic) {
  if (!topic || strcmp(topic, "help") == 0) {
    cli_help();
    return CLI_DONE;
  }
  if (strcmp(topic, "env") == 0) {
    cli_help_variables();
    return CLI_DONE;
  }
  const cli_command *command = cli_find_command(topic);
  if (!command) return unknown_command(topic);
  cli_help_command(command);
  return CLI_DONE;
}

static int run_command(const cli_command *command, int argc, char **argv) {
  cli_args args;
  const int status = cli_parse(command, argc, argv, &args);
  if (status != CLI_DONE) return status;
  if (args.value[OPT_HELP]) return help(command->name);
  if (args.value[OPT_VERSION]) return print_version();
  if (args.value[OPT_QUIET] && args.value[OPT_VERBOSE])
    return cli_error(CLI_MISUSED, "%s: --quiet and --verbose exclude each other", command->name);
  cli_set_verbosity(args.value[OPT_QUIET]     ? CLI_QUIET
                    : args.value[OPT_VERBOSE] ? CLI_VERBOSE
                                              : CLI_NORMAL);
  return command->run(&args);
}

static int run(int argc, char **argv) {
  if (argc < 2) return cli_error(CLI_MISUSED, "no command given; see quern --help");
  const char *word = argv[1];
  if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
    return help(argv[2]);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
  if (*word == '-')
    return cli_error(CLI_MISUSED, "%s stands before the command; options follow it", word);
  const cli_command *command = cli_find_command(word);
  return command ? run_command(command, argc - 1, argv + 1) : unknown_command(word);
}

/* What sets them for NPB's programs: "4", or "4,2" where regions are nested. */
static void set_threads(void) {
  const char *all = getenv("OMP_NUM_THREADS");
  char outer[16];
  if (!all || !*all) return;
  snprintf(outer, sizeof outer, "%.*s", (int)strcspn(all, ","), all);
  setenv("QUERN_THREADS", outer, 0);
}

/* As bin/ep.S.x, the name NPB's own programs have: quern npb ep --class S, with what follows. */
static int run_as_benchmark(char class_name, int argc, char **argv) {
  char name[] = "npb", benchmark[] = "ep", option[] = "--class", value[] = {class_name, '\0'};
  char *words[WORDS_MOST] = {name, benchmark, option, value};
  int count = 4;
  for (int i = 1; i < argc && count < WORDS_MOST - 1; i++) words[count++] = argv[i];
  set_threads();
  return run_command(&cli_npb_command, count, words);
}

/* The class of "ep.S.x", or '\0'. */
static char class_of_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return strlen(name) == 6 && strncmp(name, "ep.", 3) == 0 && strcmp(name + 4, ".x") == 0 ? name[3]
                                                                                          : '\0';
}

/* The signal comes again once the handler returns, and then has its own effect: also where a
 * library has put its handler before this one, which it calls. NVRTC does so when it compiles. */
static void end_by_signal(int number) {
  qn_leftover_remove();
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_endings(void) {
  static const int endings[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
  struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_RESETHAND}, old;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (sigaction(endings[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(endings[i], &action, NULL);
}

int main(int argc, char **argv) {
  catch_endings();
  signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error to tell, not a death */
  const char class_name = argc > 0 ? class_of_name(argv[0]) : '\0';
  return cli_finish(class_name ? run_as_benchmark(class_name, argc, argv) : run(argc, argv));
}
