/* The cuda backend's table. */
#include "backends/cuda/cuda.h"

extern const qn_backend_ops qn_cuda_backend;

const qn_backend_ops qn_cuda_backend = {
    .abi = QN_BACKEND_ABI,
    .name = "cuda",
    .probe = qn_cu_probe,
    .query = qn_cu_query,
    .open = qn_cu_open,
    .close = qn_cu_close,
    .alloc = qn_cu_alloc,
    .free = qn_cu_free,
    .host = qn_cu_host,
    .stream_new = qn_cu_stream_new,
    .stream_free = qn_cu_stream_free,
    .sync = qn_cu_sync,
    .copy_in = qn_cu_copy_in,
    .copy_out = qn_cu_copy_out,
    .copy = qn_cu_copy,
    .fill = qn_cu_fill,
    .event_new = qn_cu_event_new,
    .event_free = qn_cu_event_free,
    .event_record = qn_cu_event_record,
    .event_wait = qn_cu_event_wait,
    .event_sync = qn_cu_event_sync,
    .event_query = qn_cu_event_query,
    .event_elapsed = qn_cu_event_elapsed,
    .identity = qn_cu_identity,
    .compile = qn_cu_compile,
    .module_load = qn_cu_module_load,
    .module_free = qn_cu_module_free,
    .kernel_get = qn_cu_kernel_get,
    .residency = qn_cu_residency,
    .launch = qn_cu_launch,
    .proc = qn_cu_proc,
    .on_paper = qn_cu_on_paper,
};
