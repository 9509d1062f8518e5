/* Kernels by small numbers: what a launch looks up without touching a string.
 *
 *   text (a constant)                  form: text + values       the device's table
 *   +--------------------------+
 *   | "portable/gemm.cl" "gemm"|       {&text, {2, 0, 1, 90}} --> node {form, qn_jit_entry}
 *   | "-DBM=64 -DBN=64 ..."    |                                  or NULL: not compiled yet
 *   | {"QN_T", "TRANSA", ...}  |
 *   +--------------------------+
 *
 * The options of a form are the text's own and -D<macro>=<value> for each of its macros. They are
 * written out, and the cache of cache.c is asked, only for a form that the table lacks. A form may
 * also name text that replaces one of the source's files (an epilogue). */
#ifndef QN_JIT_FORM_H
#define QN_JIT_FORM_H

#include "jit/jit.h"
#include <quern/kernel.h>

enum { QN_FORM_VALUES = 8 };

typedef struct qn_kernel_text {
  const char *source, *entry;
  const char *options;                /* macros that are the same in all forms; "" for none */
  const char *macros[QN_FORM_VALUES]; /* those that differ; the rest NULL */
} qn_kernel_text;

typedef struct qn_form {
  const qn_kernel_text *text;
  uint8_t value[QN_FORM_VALUES];
  const qn_replacement *replacement; /* NULL: none */
} qn_form;

/* The kernel, or NULL where it has not been compiled or loaded yet. Takes no lock. */
const qn_jit_entry *qn_form_find(const qn_device *device, const qn_form *form);

/* The kernel, compiled if need be. Errors as qn_jit_kernel. */
qn_status qn_form_kernel(qn_device *device, const qn_form *form, const qn_jit_entry **kernel);

/* Makes many ready, the cold ones side by side. cost may be NULL. */
qn_status qn_form_kernels(qn_device *device, const qn_form *forms, unsigned count,
                          qn_jit_cost *cost);

/* Compiles it to code that can be looked at, and shows it to `fn`; no cache takes part. Errors as
 * qn_jit_kernel, and QN_EUNSUPPORTED where the backend's code is for the driver alone. */
qn_status qn_form_code(qn_device *device, const qn_form *form, qn_code kind, qn_code_fn fn,
                       void *user);

bool qn_form_equal(const qn_form *a, const qn_form *b);

#endif
