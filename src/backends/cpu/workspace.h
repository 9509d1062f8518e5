/* Workspaces of the packed products: kept by the thread that used them for its next call, while the
 * default allocator is in place; a replaced allocator sees every request. */
#ifndef QN_CPU_WORKSPACE_H
#define QN_CPU_WORKSPACE_H

#include <stddef.h>

typedef struct qn_workspace {
  void *memory; /* aligned to QN_HOST_ALIGN; NULL when memory is exhausted */
  size_t size;  /* what it holds, at least what was asked for */
} qn_workspace;

qn_workspace qn_workspace_get(size_t size);
/* From the thread that got it. A workspace without memory is allowed. */
void qn_workspace_put(qn_workspace workspace);

#endif
