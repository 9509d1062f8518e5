/* From source text to a loaded module, through the cache on disk. */
#ifndef QN_JIT_BUILD_H
#define QN_JIT_BUILD_H

#include "device/device.h"

/* `text` NULL means the embedded source of that name. *compiled: the compiler ran. */
qn_status qn_build(qn_device *device, const char *source, const char *text, const char *options,
                   qn_bmodule **module, bool *compiled);

#endif
