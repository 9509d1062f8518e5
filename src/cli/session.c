/* The device that a command computes on. */
#include "cli/session.h"
#include "cli/values.h"
#include <stdio.h>
#include <string.h>

enum { THREADS_MOST = 4096 };

static int finish_opening(cli_session *session, qn_status status) {
  if (!status) status = qn_device_query(session->device, &session->info);
  if (!status) status = qn_stream_create(session->device, &session->stream);
  return status ? cli_fail(status, "") : CLI_DONE;
}

int cli_session_open(cli_session *session, const cli_args *args) {
  *session = (cli_session){0};
  int64_t threads = 0;
  const int exit_status = cli_get_integer(args, OPT_THREADS, 1, THREADS_MOST, &threads);
  if (exit_status != CLI_DONE) return exit_status;
  if (threads > 0) {
    const qn_status status = qn_set_num_threads((int)threads);
    if (status) return cli_fail(status, "--threads");
  }
  const char *name = args->value[OPT_DEVICE];
  if (!name || strcmp(name, "auto") == 0) return CLI_DONE;
  const qn_status status = qn_device_open(name, &session->device);
  if (status == QN_EINVAL)
    return cli_error(CLI_MISUSED, "--device takes auto, cpu, cuda:N or opencl:N, not '%s'", name);
  return status ? cli_fail(status, "--device") : finish_opening(session, status);
}

int cli_session_choose(cli_session *session, qn_dtype dtype) {
  if (session->device) return CLI_DONE;
  return finish_opening(session, qn_device_open_for(dtype, &session->device));
}

void cli_session_close(cli_session *session) {
  qn_stream_free(session->stream);
  qn_device_close(session->device);
  *session = (cli_session){0};
}

cli_device_text cli_describe_device(const qn_device_info *info) {
  cli_device_text d;
  if (info->kind == QN_DEVICE_CPU && strcmp(info->backend, "cpu") == 0) {
    const int threads = qn_num_threads();
    snprintf(d.text, sizeof d.text, "%s (%s, %d thread%s)", info->id, info->arch, threads,
             threads == 1 ? "" : "s");
  } else {
    snprintf(d.text, sizeof d.text, "%s (%s)", info->id, info->name);
  }
  return d;
}
