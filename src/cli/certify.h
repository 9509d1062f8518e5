/* What quern certify finds: a list of figures, each verified. */
#ifndef CLI_CERTIFY_H
#define CLI_CERTIFY_H

#include "cli/json.h"
#include "cli/session.h"

enum { CERTIFY_MOST = 64 };

typedef struct certify_line {
  const char *section; /* "ceilings" "ep" "gemm" "trsm" "accuracy" */
  char name[48];       /* unique in its section; the reference is looked up by both */
  double value;
  const char *unit; /* "u": units of roundoff, of which fewer is better */
  double limit;     /* of an error; 0 elsewhere */
  double reference; /* what the reference has; 0: nothing */
  bool wrong;       /* its result did not verify */
  bool below;       /* worse than the reference allows */
} certify_line;

typedef struct certify_report {
  qn_device_info device;
  int threads;
  certify_line line[CERTIFY_MOST];
  unsigned count;
  bool compared;
} certify_report;

/* A new line; the last one again where there are too many. */
certify_line *certify_add(certify_report *r, const char *section, const char *name, double value,
                          const char *unit);

typedef struct certify_settings {
  int64_t order;  /* of the routines; 0: 1024, 4096 on a GPU */
  double seconds; /* for each figure of the probe; 0: its default */
} certify_settings;

/* Measures everything; an exit status. */
int certify_measure(cli_session *session, const certify_settings *settings, certify_report *r);

/* A report that was written before; an exit status. Free it with cli_json_free, also after a
 * failure. */
int certify_load(const char *path, cli_json **reference);
/* Looks up each line in it; `share` of its value must be reached. An exit status: a reference
 * without any of these lines is none. */
int certify_compare(certify_report *r, const cli_json *reference, double share);

void certify_print(const certify_report *r);
bool certify_passed(const certify_report *r);
cli_json *certify_json(const certify_report *r);
bool certify_draw(const certify_report *r, const char *path, char *error);

#endif
