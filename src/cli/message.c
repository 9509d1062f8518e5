/* What is said on stderr, and the end of stdout. */
#include "cli/cli.h"
#include "cli/progress.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 4096 };

static cli_verbosity verbosity = CLI_NORMAL;
static bool holding;
static char held[MESSAGE_BYTES];

/* One line, whatever the text: a name of a file may hold a newline, a build log does. */
static void print_line(const char *kind, char *text) {
  cli_progress_end(); /* wipes its line */
  for (char *p = text; *p; p++)
    if (*p == '\n' || *p == '\r') *p = ' ';
  fprintf(stderr, "quern: %s%s\n", kind, text);
}

int cli_error(int exit_status, const char *format, ...) {
  char text[MESSAGE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!holding)
    print_line("", text);
  else if (!*held)
    memcpy(held, text, sizeof held);
  return exit_status;
}

void cli_hold(void) {
  holding = true;
}

bool cli_holds(void) {
  return *held;
}

void cli_release(const char *before) {
  holding = false;
  if (*held && before) print_line(before, held);
  *held = '\0';
}

void cli_note(const char *format, ...) {
  char text[MESSAGE_BYTES];
  if (verbosity == CLI_QUIET) return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  print_line("", text);
}

/* The library and the benchmarks begin with the function that failed, which tells a user of the
 * command nothing. */
static const char *without_function(const char *text) {
  const char *colon = strchr(text, ':');
  const bool ours = strncmp(text, "qn_", 3) == 0 || strncmp(text, "ep_", 3) == 0;
  const bool named = ours && colon && colon[1] == ' ';
  return named && verbosity != CLI_VERBOSE ? colon + 2 : text;
}

int cli_fail(qn_status status, const char *context) {
  const char *text = qn_last_error();
  const bool by_user = status == QN_EINVAL || status == QN_EUNSUPPORTED || status == QN_EFORMAT ||
                       status == QN_ENODEVICE;
  return cli_error(by_user ? CLI_MISUSED : CLI_FAILED, "%s%s%s", context, *context ? ": " : "",
                   *text ? without_function(text) : qn_status_string(status));
}

/* Whether QUERN_LOG, words with commas between, has the one that the message begins with, or "all".
 */
static bool asked_for(const char *message) {
  const char *words = getenv("QUERN_LOG");
  const size_t begins = strcspn(message, " :");
  while (words && *words) {
    const size_t length = strcspn(words, ",");
    if (length == begins && strncmp(words, message, length) == 0) return true;
    if (length == 3 && strncmp(words, "all", length) == 0) return true;
    words += words[length] == ',' ? length + 1 : length;
  }
  return false;
}

/* Errors come back as a status and are told once, by who handles them. The library repeats a
 * warning on every call; here the same line is told once. */
static void take_log(void *user, qn_log_level level, const char *message) {
  (void)user;
  static char last[MESSAGE_BYTES];
  if (level == QN_LOG_ERROR || (level == QN_LOG_DEBUG && !asked_for(message)) ||
      strncmp(last, message, sizeof last - 1) == 0)
    return;
  snprintf(last, sizeof last, "%s", message);
  char text[MESSAGE_BYTES];
  snprintf(text, sizeof text, "%s", message);
  print_line(level == QN_LOG_WARNING ? "warning: " : "", text);
}

static void take_warnings(void *user, qn_log_level level, const char *message) {
  if (level == QN_LOG_WARNING || asked_for(message)) take_log(user, level, message);
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
