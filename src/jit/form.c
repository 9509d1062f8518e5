/* The table of forms of one device: open addressing over pointers that are set once.
 *
 * A reader follows the slots from the form's hash to the first empty one; a writer puts its node
 * there with one compare-and-swap. Nothing is ever removed, so no reader waits. A table that is
 * full only sends its callers the long way. */
#include "jit/form.h"
#include "jit/build.h"
#include <stdio.h>
#include <string.h>

enum { SLOTS = 1024, OPTIONS = 320 };

typedef struct node {
  qn_form form;
  const qn_jit_entry *kernel;
} node;

typedef struct table {
  qn_kernel_store base;
  _Atomic(node *) slot[SLOTS];
} table;

bool qn_form_equal(const qn_form *a, const qn_form *b) {
  return a->text == b->text && a->replacement == b->replacement &&
         memcmp(a->value, b->value, sizeof a->value) == 0;
}

static unsigned hash_of(const qn_form *form) {
  uint64_t values;
  _Static_assert(sizeof values == sizeof form->value, "the values are one word");
  memcpy(&values, form->value, sizeof values);
  values ^= (uintptr_t)form->text >> 4 ^ (uint64_t)(uintptr_t)form->replacement << 16;
  uint64_t mixed = values * UINT64_C(0x9E3779B97F4A7C15);
  return (unsigned)(mixed >> 54) % SLOTS;
}

static void free_table(qn_kernel_store *base, const qn_backend_ops *ops) {
  (void)ops; /* the kernels themselves are the cache's */
  table *t = (table *)base;
  for (unsigned i = 0; i < SLOTS; i++) qn_host_free(atomic_load(&t->slot[i]), sizeof(node));
  qn_host_free(t, sizeof *t);
}

static table *table_of(qn_device *device) {
  qn_kernel_store *present = atomic_load(&device->forms);
  if (present) return (table *)present;
  table *t = qn_host_zalloc(sizeof *t);
  if (!t) return NULL;
  t->base.free = free_table;
  if (atomic_compare_exchange_strong(&device->forms, &present, &t->base)) return t;
  free_table(&t->base, NULL);
  return (table *)present;
}

const qn_jit_entry *qn_form_find(const qn_device *device, const qn_form *form) {
  table *t = (table *)atomic_load_explicit(&device->forms, memory_order_acquire);
  if (!t) return NULL;
  unsigned at = hash_of(form);
  for (unsigned probes = 0; probes < SLOTS; probes++, at = (at + 1) % SLOTS) {
    const node *n = atomic_load_explicit(&t->slot[at], memory_order_acquire);
    if (!n) return NULL;
    if (qn_form_equal(&n->form, form)) return n->kernel;
  }
  return NULL;
}

/* Without memory the form stays out of the table, which costs time and nothing else. */
static void keep(qn_device *device, const qn_form *form, const qn_jit_entry *kernel) {
  table *t = table_of(device);
  node *n = t ? qn_host_alloc(sizeof *n) : NULL;
  if (!n) return;
  *n = (node){*form, kernel};
  unsigned at = hash_of(form);
  for (unsigned probes = 0; probes < SLOTS; probes++, at = (at + 1) % SLOTS) {
    node *present = NULL;
    if (atomic_compare_exchange_strong(&t->slot[at], &present, n)) return;
    if (qn_form_equal(&present->form, form)) break; /* another thread was here first */
  }
  qn_host_free(n, sizeof *n);
}

static void write_options(const qn_form *form, char options[OPTIONS]) {
  int used = snprintf(options, OPTIONS, "%s", form->text->options);
  for (int i = 0; i < QN_FORM_VALUES && form->text->macros[i] && used < OPTIONS; i++)
    used += snprintf(options + used, (size_t)(OPTIONS - used), "%s-D%s=%d", used ? " " : "",
                     form->text->macros[i], form->value[i]);
}

static qn_jit_request request_of(const qn_form *form, char options[OPTIONS]) {
  write_options(form, options);
  return (qn_jit_request){form->text->source, NULL, options, form->text->entry, form->replacement};
}

qn_status qn_form_kernel(qn_device *device, const qn_form *form, const qn_jit_entry **kernel) {
  *kernel = qn_form_find(device, form);
  if (*kernel) return QN_OK;
  char options[OPTIONS];
  qn_jit_request request = request_of(form, options);
  QN_TRY(qn_jit_kernels(device, &request, 1, kernel, NULL));
  keep(device, form, *kernel);
  return QN_OK;
}

qn_status qn_form_code(qn_device *device, const qn_form *form, qn_code kind, qn_code_fn fn,
                       void *user) {
  char options[OPTIONS];
  const qn_jit_request request = request_of(form, options);
  return qn_build_code(device, &request, kind, fn, user);
}

typedef struct batch {
  qn_jit_request *requests;
  const qn_jit_entry **kernels;
  char (*options)[OPTIONS];
} batch;

static qn_status run_batch(qn_device *device, const qn_form *forms, unsigned count, const batch *b,
                           qn_jit_cost *cost) {
  if (!b->requests || !b->kernels || !b->options)
    return qn_fail(QN_ENOMEM, "kernel", "no host memory for %u requests", count);
  for (unsigned i = 0; i < count; i++) b->requests[i] = request_of(&forms[i], b->options[i]);
  QN_TRY(qn_jit_kernels(device, b->requests, count, b->kernels, cost));
  for (unsigned i = 0; i < count; i++) keep(device, &forms[i], b->kernels[i]);
  return QN_OK;
}

qn_status qn_form_kernels(qn_device *device, const qn_form *forms, unsigned count,
                          qn_jit_cost *cost) {
  if (cost) *cost = (qn_jit_cost){0};
  if (count == 0) return QN_OK;
  batch b = {qn_host_alloc(count * sizeof *b.requests), qn_host_alloc(count * sizeof *b.kernels),
             qn_host_alloc(count * sizeof *b.options)};
  qn_status status = run_batch(device, forms, count, &b, cost);
  qn_host_free(b.options, count * sizeof *b.options);
  qn_host_free(b.kernels, count * sizeof *b.kernels);
  qn_host_free(b.requests, count * sizeof *b.requests);
  return status;
}
