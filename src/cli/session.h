/* The device that a command computes on, as its options say. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/cli.h"

typedef struct cli_session {
  qn_device *device;
  qn_stream *stream;
  qn_device_info info;
} cli_session;

/* Sets the threads and opens the device that --device names, so that a wrong name is told before
 * long work. "auto" waits for cli_session_choose. */
int cli_session_open(cli_session *session, const cli_args *args);
/* Opens the device that auto prefers for the dtype, unless one is open. */
int cli_session_choose(cli_session *session, qn_dtype dtype);
void cli_session_close(cli_session *session);

/* "cpu (avx512, 2 threads)", "cuda:0 (NVIDIA H200)" */
typedef struct cli_device_text {
  char text[192];
} cli_device_text;
cli_device_text cli_describe_device(const qn_device_info *info);

#endif
