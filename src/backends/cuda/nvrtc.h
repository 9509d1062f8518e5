/* NVIDIA's run-time compiler, found at run time. Needs no driver and no card. */
#ifndef QN_CUDA_NVRTC_H
#define QN_CUDA_NVRTC_H

#include "device/backend.h"

/* Finds the newest libnvrtc whose major is at most `major`; false, with what is missing in
 * `message`, when there is none. May be called again. */
bool qn_nvrtc_find(int major, char *message, size_t message_size);

/* "13.0" of the one found. */
void qn_nvrtc_version(char *text, size_t size);

/* The target for a capability (90 for 9.0): "sm_90a" when this compiler makes machine code for it,
 * else the newest "compute_NN" below, whose text the driver compiles. */
qn_status qn_nvrtc_target(int capability, char *target, size_t size);

/* Compiles for a target: machine code for sm_*, PTX for compute_*. */
qn_status qn_nvrtc_compile(const char *target, const qn_source *source, qn_blob *binary,
                           char **log);

/* The PTX of a target of either kind; text->size counts the NUL at its end. */
qn_status qn_nvrtc_ptx(const char *target, const qn_source *source, qn_blob *text, char **log);

#endif
