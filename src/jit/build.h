/* From source text to a loaded module, through the cache on disk. */
#ifndef QN_JIT_BUILD_H
#define QN_JIT_BUILD_H

#include "jit/jit.h"

/* The module of a request; its entry is not looked at. *compiled: the compiler ran. */
qn_status qn_build(qn_device *device, const qn_jit_request *request, qn_bmodule **module,
                   bool *compiled);

#endif
