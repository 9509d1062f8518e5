/* A device on paper: it has a compiler, memory of the host's and launches that do nothing. The
 * routines themselves choose what to compile for it, so that a compiler sees every kernel that the
 * library would give it, without a card. */
#ifndef PAPER_H
#define PAPER_H

#include "device/device.h"

/* Compiles for `arch`; several threads may call it at once. `binary` gets what holds the kernels'
 * names. */
typedef qn_status paper_compile(const char *arch, const qn_source *source, qn_blob *binary,
                                char **log);

/* Runs every routine and every variant of gemm, in every dtype and form, on a GPU of that
 * architecture, then qn_device_warmup and EP; exits with 1 where one fails. */
void paper_compile_all(const char *arch, paper_compile *compile);

#endif
