/* The backends built in. Adding one is a line here, guarded by its CMake option. */
#include "device/device.h"

extern const qn_backend_ops qn_cuda_backend, qn_opencl_backend, qn_cpu_backend;

/* In the order "auto" prefers them. */
const qn_backend_ops *const qn_backend_list[] = {
#ifdef QUERN_CUDA
    &qn_cuda_backend,
#endif
#ifdef QUERN_OPENCL
    &qn_opencl_backend,
#endif
    &qn_cpu_backend,
};

const unsigned qn_backend_count = sizeof qn_backend_list / sizeof qn_backend_list[0];
