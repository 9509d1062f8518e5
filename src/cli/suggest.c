/* The name that a mistyped one was likely meant to be. */
#include "cli/cli.h"
#include <string.h>

enum { LONGEST = 31 };

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
static unsigned distance(const char *a, const char *b) {
  const size_t m = strlen(a), n = strlen(b);
  unsigned d[LONGEST + 1][LONGEST + 1];
  if (m > LONGEST || n > LONGEST) return LONGEST;
  for (size_t i = 0; i <= m; i++) d[i][0] = (unsigned)i;
  for (size_t j = 0; j <= n; j++) d[0][j] = (unsigned)j;
  for (size_t i = 1; i <= m; i++) {
    for (size_t j = 1; j <= n; j++) {
      d[i][j] =
          least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[m][n];
}

const char *cli_nearest(const char *text, const char *const *names, unsigned count) {
  const char *best = NULL;
  const size_t length = strlen(text);
  unsigned best_distance = 1 + (unsigned)(length > 2) + (unsigned)(length > 6); /* 1 to 3 edits */
  best_distance++;
  for (unsigned i = 0; i < count; i++) {
    const unsigned d = distance(text, names[i]);
    const bool begins = length >= 3 && strncmp(text, names[i], length) == 0;
    if (d < best_distance || (begins && !best)) {
      best = names[i];
      best_distance = begins && d >= best_distance ? best_distance : d;
    }
  }
  return best;
}
