/* A line on the terminal, redrawn by a thread of its own, so that work need not stop for it:
 *
 *   quern: reading A.npy  [##########----------]  50 %  12 s */
#include "cli/progress.h"
#include "bench/timing.h"
#include "cli/cli.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24, PERIOD_MS = 200 };
static const double quiet_seconds = 1.0;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  pthread_t thread;
  bool running, drawn;
  char what[96];
  double fraction, start;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void draw(double elapsed) {
  fprintf(stderr, "\r\033[Kquern: %s", line.what);
  if (line.fraction >= 0.0) {
    char bar[BAR + 1];
    const int full = (int)(line.fraction * BAR + 0.5);
    for (int i = 0; i < BAR; i++) bar[i] = i < full ? '#' : '-';
    bar[BAR] = '\0';
    fprintf(stderr, "  [%s] %3.0f %%", bar, 100.0 * line.fraction);
  }
  fprintf(stderr, "  %.0f s", elapsed);
  fflush(stderr);
  line.drawn = true;
}

static void *redraw(void *unused) {
  (void)unused;
  pthread_mutex_lock(&line.lock);
  while (line.running) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PERIOD_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (pthread_cond_timedwait(&line.wake, &line.lock, &until) != ETIMEDOUT) continue;
    const double elapsed = bench_now() - line.start;
    if (line.running && elapsed >= quiet_seconds) draw(elapsed);
  }
  pthread_mutex_unlock(&line.lock);
  return NULL;
}

void cli_progress_begin(void) {
  if (line.running || !isatty(STDERR_FILENO) || cli_get_verbosity() == CLI_QUIET) return;
  line.start = bench_now();
  line.drawn = false;
  line.what[0] = '\0';
  line.running = pthread_create(&line.thread, NULL, redraw, NULL) == 0;
}

void cli_progress_say(const char *what, double fraction) {
  pthread_mutex_lock(&line.lock);
  snprintf(line.what, sizeof line.what, "%s", what);
  line.fraction = fraction > 1.0 ? 1.0 : fraction;
  pthread_mutex_unlock(&line.lock);
}

void cli_progress_end(void) {
  if (!line.running) return;
  pthread_mutex_lock(&line.lock);
  line.running = false;
  pthread_cond_signal(&line.wake);
  pthread_mutex_unlock(&line.lock);
  pthread_join(line.thread, NULL);
  if (line.drawn) fprintf(stderr, "\r\033[K");
}
