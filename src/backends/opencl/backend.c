/* The opencl backend's table. */
#include "backends/opencl/resources.h"

extern const qn_backend_ops qn_opencl_backend;

const qn_backend_ops qn_opencl_backend = {
    .abi = QN_BACKEND_ABI,
    .name = "opencl",
    .probe = qn_cl_probe,
    .query = qn_cl_query,
    .open = qn_cl_open,
    .close = qn_cl_close,
    .alloc = qn_cl_alloc,
    .free = qn_cl_free,
    .host = qn_cl_host,
    .stream_new = qn_cl_stream_new,
    .stream_free = qn_cl_stream_free,
    .sync = qn_cl_sync,
    .copy_in = qn_cl_copy_in,
    .copy_out = qn_cl_copy_out,
    .copy = qn_cl_copy,
    .fill = qn_cl_fill,
    .event_new = qn_cl_event_new,
    .event_free = qn_cl_event_free,
    .event_record = qn_cl_event_record,
    .event_wait = qn_cl_event_wait,
    .event_sync = qn_cl_event_sync,
    .event_query = qn_cl_event_query,
    .event_elapsed = qn_cl_event_elapsed,
    .identity = qn_cl_identity,
    .compile = qn_cl_compile,
    .module_load = qn_cl_module_load,
    .module_free = qn_cl_module_free,
    .kernel_get = qn_cl_kernel_get,
    .launch = qn_cl_launch,
    .resources = qn_cl_resources,
    .residency = qn_cl_residency,
};
