/* The environment variables, as `quern --help env` and the man page list them. */
#include "cli/cli.h"

const cli_variable cli_variables[] = {
    {"QUERN_THREADS", "threads of the cpu device [one a core]; --threads goes before it"},
    {"QUERN_STREAMS", "streams that one routine may use on a device, 1 to 8 [1]"},
    {"QUERN_CPU_ISA", "instruction set of the cpu device: avx512 avx2 neon plain [the widest]"},
    {"QUERN_CPU_BLAS", "CBLAS library for the cpu's products, or auto: the first found [our own]"},
    {"QUERN_GEMM_VARIANT", "the gemm variant to use, by the name that --explain shows [by cost]"},
    {"QUERN_TRSM_BLOCK", "order at which trsm ends its recursion [tuned]"},
    {"QUERN_TRMM_BLOCK", "order at which trmm ends its recursion [tuned]"},
    {"QUERN_POOL_LIMIT", "most memory a device's pool holds, such as 512M or 4G [no limit]"},
    {"QUERN_CUDA_LIBRARY", "file of the CUDA driver [libcuda.so.1]"},
    {"QUERN_NVRTC_LIBRARY", "file of NVRTC, the CUDA compiler [the newest that fits the driver]"},
    {"QUERN_OPENCL_LIBRARY", "file of the OpenCL loader [libOpenCL.so.1]"},
    {"QUERN_CACHE_DIR", "folder of compiled kernels [quern in $XDG_CACHE_HOME or ~/.cache]"},
    {"QUERN_CACHE_LIMIT", "most bytes in that folder, such as 64M; 0 keeps none [256M]"},
    {"QUERN_COMPILE_THREADS", "kernels compiled at a time, 1 to 64 [one a core, at least 8]"},
    {"QUERN_KERNEL_DIR", "folder whose kernel sources go before those built in [none]"},
    {"QUERN_LOG", "what of the library's log the command shows, such as gemm, or all [none]"},
    {"QUERN_PEER_CBLAS", "library that bench --against cblas loads [the first found]"},
    {"QUERN_PEER_CUBLAS", "library that bench --against cublas loads [the first found]"},
    {"QUERN_PEER_CUSOLVER", "the one it takes potrf from, likewise"},
    {"QUERN_PEER_CUBLASLT", "library that bench --against cublaslt loads [the first found]"},
    {"QUERN_FAULT", "tests: with --device faults+NAME call N (N:alloc|copy|launch|sync|any) fails"},
    {"NPB_TIMER_FLAG", "npb times its parts too: 1, on, yes, true [a file timer.flag here]"},
    {NULL, NULL},
};
