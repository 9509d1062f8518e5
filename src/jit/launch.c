/* Launches of the library's own kernels. */
#include "jit/jit.h"

qn_status qn_jit_launch(qn_stream *stream, const qn_jit_entry *kernel, const qn_launch *launch,
                        const qn_arg *args, unsigned count) {
  if (launch->groups[0] == 0 || launch->groups[1] == 0 || launch->groups[2] == 0) return QN_OK;
  return qn_stream_result(
      stream, stream->device->ops->launch(stream->handle, kernel->handle, launch, args, count));
}
