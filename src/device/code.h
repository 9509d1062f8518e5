/* The contract behind proc(dev, QN_PROC_CODE): compiled code to look at, in the forms that a
 * backend's compiler has between source and machine. NULL where there is one form alone, which only
 * the driver can read. */
#ifndef QN_DEVICE_CODE_H
#define QN_DEVICE_CODE_H

#include "device/backend.h"
#include <quern/kernel.h>

#define QN_PROC_CODE "code"

typedef struct qn_code_ops {
  /* As the backend's compile, to a form by choice; nothing is kept. */
  qn_status (*compile)(qn_bdev *dev, const qn_source *source, qn_code form, qn_blob *code,
                       char **log);
} qn_code_ops;

#endif
