/* quern cache: the compiled kernels on disk. */
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATH_MOST = 4096, KEY_SHOWN = 8 };

static void print_bytes(uint64_t bytes) {
  if (bytes >= (uint64_t)1 << 20) {
    printf("%7.1f MiB", (double)bytes / (1 << 20));
  } else {
    printf("%7.1f KiB", (double)bytes / (1 << 10));
  }
}

static void print_row(const qn_cache_row *row) {
  const time_t used = (time_t)row->used;
  struct tm local;
  char when[32] = "?";
  if (localtime_r(&used, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
  printf("%.*s  ", KEY_SHOWN, row->key);
  print_bytes(row->bytes);
  printf("  %s  %s\n", when, row->what);
}

static void print_rows(const qn_cache_row *rows, unsigned count, const char *path) {
  uint64_t bytes = 0;
  if (count) printf("%-*s  %11s  %-16s  %s\n", KEY_SHOWN, "KEY", "SIZE", "LAST USED", "MODULE");
  for (unsigned i = 0; i < count; i++) {
    print_row(&rows[i]);
    bytes += rows[i].bytes;
  }
  printf("%u module%s, ", count, count == 1 ? "" : "s");
  print_bytes(bytes);
  printf(", in %s\n", path);
}

static int list(void) {
  char path[PATH_MOST];
  unsigned count = 0;
  qn_status status = qn_cache_path(path, sizeof path);
  if (!status) status = qn_cache_list(NULL, 0, &count);
  if (status) return cli_fail(status, "cache");
  const unsigned room = count;
  qn_cache_row *rows = calloc(room + 1u, sizeof *rows);
  if (!rows) return cli_error(CLI_FAILED, "cache: out of memory");
  status = qn_cache_list(rows, room, &count);
  if (!status) print_rows(rows, count < room ? count : room, path);
  free(rows);
  return status ? cli_fail(status, "cache") : CLI_DONE;
}

static int clear(void) {
  char path[PATH_MOST];
  unsigned removed = 0;
  qn_status status = qn_cache_path(path, sizeof path);
  if (!status) status = qn_cache_clear(&removed);
  if (status) return cli_fail(status, "cache");
  printf("%u module%s removed from %s\n", removed, removed == 1 ? "" : "s", path);
  return CLI_DONE;
}

static bool add_dtype(void *user, const char *word) {
  qn_dtype dtype;
  unsigned *dtypes = user;
  if (qn_dtype_parse(word, &dtype) != QN_OK) return false;
  *dtypes |= 1u << dtype;
  return true;
}

static int warm_device(const cli_session *session, unsigned dtypes) {
  qn_warmup_report r;
  cli_progress_begin();
  cli_progress_say("compiling", -1.0);
  const qn_status status = qn_device_warmup(session->device, 0, dtypes, &r);
  cli_progress_end();
  if (status) return cli_fail(status, "cache");
  const char *device = cli_describe_device(&session->info).text;
  if (strcmp(session->info.backend, "cpu") == 0) {
    printf("%s: its kernels are part of the program; nothing is compiled there\n", device);
    return CLI_DONE;
  }
  printf("%s: %u kernels ready; %u modules compiled, %u from the cache, in %s\n", device, r.kernels,
         r.compiled, r.loaded, cli_format_time(r.seconds).text);
  return CLI_DONE;
}

static int warm(const cli_args *args) {
  unsigned dtypes = 0;
  cli_session session;
  int exit_status = cli_get_list(args, OPT_DTYPES, "f16 bf16 f32 f64 c64 c128", add_dtype, &dtypes);
  if (!exit_status) exit_status = cli_session_open(&session, args);
  if (exit_status) return exit_status;
  exit_status = cli_session_choose(&session, QN_F32);
  if (!exit_status && !args->value[OPT_DTYPES])
    dtypes = session.info.dtypes & (1u << QN_F32 | 1u << QN_F64);
  if (!exit_status) exit_status = warm_device(&session, dtypes);
  cli_session_close(&session);
  return exit_status;
}

static int run(const cli_args *args) {
  const char *action = args->operand[0];
  if (strcmp(action, "warm") == 0) return warm(args);
  if (args->value[OPT_DEVICE] || args->value[OPT_DTYPES])
    return cli_error(CLI_MISUSED, "cache: --device and --dtype go with warm");
  if (strcmp(action, "list") == 0) return list();
  if (strcmp(action, "clear") == 0) return clear();
  return cli_error(CLI_MISUSED, "cache takes list, clear or warm, not '%s'", action);
}

static const cli_option options[] = {OPT_DTYPES, OPT_DEVICE,  OPT_VERBOSE, OPT_QUIET,
                                     OPT_HELP,   OPT_VERSION, OPT_COUNT};

const cli_command cli_cache_command = {
    .name = "cache",
    .summary = "list, clear or fill the folder of compiled kernels",
    .operands = "list|clear|warm",
    .operand_count = 1,
    .about =
        "Kernels for GPUs are compiled on the machine where they run, once, and kept in a folder:\n"
        "$QUERN_CACHE_DIR, or quern in $XDG_CACHE_HOME or ~/.cache.\n"
        "\n"
        "  list   what is there, longest unused first\n"
        "  clear  removes all of it; what is needed again is compiled again\n"
        "  warm   compiles what gemm, trmm, trsm and potrf need on --device for --dtype, so that\n"
        "         no later run waits for a compiler; on the cpu nothing is compiled\n",
    .examples = "  quern cache list\n"
                "  quern cache warm --device auto --dtype f32\n"
                "  quern cache clear\n",
    .options = options,
    .run = run,
};
