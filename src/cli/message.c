/* What is said on stderr, and the end of stdout. */
#include "cli/cli.h"
#include "cli/progress.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 4096 };

static cli_verbosity verbosity = CLI_NORMAL;

/* One line, whatever the text: a name of a file may hold a newline, a build log does. */
static void print_line(const char *kind, const char *format, va_list args) {
  char text[MESSAGE_BYTES];
  cli_progress_end(); /* wipes its line */
  vsnprintf(text, sizeof text, format, args);
  for (char *p = text; *p; p++)
    if (*p == '\n' || *p == '\r') *p = ' ';
  fprintf(stderr, "quern: %s%s\n", kind, text);
}

int cli_error(int exit_status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_line("", format, args);
  va_end(args);
  return exit_status;
}

void cli_note(const char *format, ...) {
  if (verbosity == CLI_QUIET) return;
  va_list args;
  va_start(args, format);
  print_line("", format, args);
  va_end(args);
}

int cli_fail(qn_status status, const char *context) {
  const char *text = qn_last_error();
  const bool by_user = status == QN_EINVAL || status == QN_EUNSUPPORTED || status == QN_EFORMAT ||
                       status == QN_ENODEVICE;
  return cli_error(by_user ? CLI_MISUSED : CLI_FAILED, "%s%s%s", context, *context ? ": " : "",
                   *text ? text : qn_status_string(status));
}

static void print_log_line(const char *kind, ...) {
  va_list args;
  va_start(args, kind);
  print_line(kind, "%s", args);
  va_end(args);
}

/* Errors come back as a status and are told once, by who handles them. The library repeats a
 * warning on every call; here the same line is told once. */
static void take_log(void *user, qn_log_level level, const char *message) {
  (void)user;
  static char last[MESSAGE_BYTES];
  if (level == QN_LOG_ERROR || strncmp(last, message, sizeof last - 1) == 0) return;
  snprintf(last, sizeof last, "%s", message);
  print_log_line(level == QN_LOG_WARNING ? "warning: " : "", message);
}

static void take_warnings(void *user, qn_log_level level, const char *message) {
  if (level == QN_LOG_WARNING) take_log(user, level, message);
}

void cli_set_verbosity(cli_verbosity wanted) {
  verbosity = wanted;
  qn_set_log(wanted == CLI_QUIET ? NULL : wanted == CLI_VERBOSE ? take_log : take_warnings, NULL);
}

cli_verbosity cli_get_verbosity(void) {
  return verbosity;
}

int cli_finish(int exit_status) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return exit_status;
  return cli_error(exit_status ? exit_status : CLI_FAILED, "standard output: %s", strerror(errno));
}
