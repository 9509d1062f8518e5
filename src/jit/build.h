/* From source text to a loaded module, through the cache on disk. */
#ifndef QN_JIT_BUILD_H
#define QN_JIT_BUILD_H

#include "jit/jit.h"
#include <quern/kernel.h>

/* The module of a request; its entry is not looked at. *compiled: the compiler ran. */
qn_status qn_build(qn_device *device, const qn_jit_request *request, qn_bmodule **module,
                   bool *compiled);

/* Its code in a form by choice, compiled anew, shown to `fn`. */
qn_status qn_build_code(qn_device *device, const qn_jit_request *request, qn_code kind,
                        qn_code_fn fn, void *user);

#endif
