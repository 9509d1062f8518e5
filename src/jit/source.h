/* Kernel sources: those built into the library, and putting what they include in its place. */
#ifndef QN_JIT_SOURCE_H
#define QN_JIT_SOURCE_H

#include "core/core.h"

/* A file of src/kernels, embedded when the library was built. */
typedef struct qn_embedded {
  const char *name; /* "portable/gemm.cl" */
  const char *text; /* ends with a NUL that `size` does not count */
  size_t size;
  const char *hash; /* SHA-256 of the text */
} qn_embedded;

extern const qn_embedded qn_embedded_sources[];
extern const unsigned qn_embedded_count;

/* Text made at run time that an expansion takes in the place of the file `name`. A constant:
 * whoever makes one keeps it until the process ends, so that equal ones are one, known by its
 * address. */
typedef struct qn_replacement {
  const char *name, *text;
} qn_replacement;

/* The embedded file of that name, or NULL. */
const qn_embedded *qn_embedded_find(const char *name);

/* The text of `name` with every #include "file" replaced by that file, each file once, and #line
 * marks so that compilers name the right place. `text` NULL means the embedded file (or the one in
 * the folder QUERN_KERNEL_DIR, for work on kernels); `replacement` may be NULL. Free with
 * qn_host_strfree.
 * Errors: QN_EINVAL for a file that is not there, QN_ENOMEM. */
qn_status qn_source_expand(const char *name, const char *text, const qn_replacement *replacement,
                           char **expanded);

#endif
