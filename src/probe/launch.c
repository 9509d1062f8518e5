/* What a launch costs before a kernel does anything. */
#include "probe/families.h"
#include "probe/sources.h"
#include <math.h>

static qn_status launch_and_wait(probe *p, void *user, unsigned turn) {
  (void)turn;
  const probe_launch *l = user;
  qn_status status = qn_kernel_launch(p->stream, l->kernel, l->grid, l->args[0], l->count);
  return status ? status : qn_stream_sync(p->stream);
}

enum { IN_A_ROW = 200 };

static qn_status launch_many(probe *p, void *user, unsigned turn) {
  (void)turn;
  const probe_launch *l = user;
  qn_status status = QN_OK;
  for (int i = 0; i < IN_A_ROW && !status; i++)
    status = qn_kernel_launch(p->stream, l->kernel, l->grid, l->args[0], l->count);
  return status;
}

void probe_launch_kernels(probe *p) {
  probe_launch l = {.entry = "count_up",
                    .grid = {{1, 1, 1}, {32, 1, 1}},
                    .count = 1,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_elementwise_source, "count_up", NULL)};
  const int32_t zero = 0;
  qn_buffer *counter = probe_upload(p, &zero, sizeof zero);
  probe_figure *alone = probe_add(p, "launch", NAN, PROBE_US, "one, then wait");
  probe_figure *row = probe_add(p, "launch", NAN, PROBE_US, "one of %d in a row", IN_A_ROW);
  if (p->status) return;
  l.args[0][0] = qn_arg_buffer(counter);
  alone->kernel = row->kernel = l.entry;
  row->steps = IN_A_ROW;
  probe_time_whole(p, alone, launch_and_wait, &l);
  const int32_t *before = probe_fetch(p, counter, sizeof zero);
  probe_time_whole(p, row, launch_many, &l);
  const int32_t *after = probe_fetch(p, counter, sizeof zero);
  if (p->status) return;
  probe_check(alone, *before > 0);
  probe_check(row, *after > *before && (*after - *before) % IN_A_ROW == 0);
  probe_say(p,
            "a launch that is waited for takes %.3g us, one in a row %.3g us: do not wait between",
            probe_value(alone), probe_value(row));
}
