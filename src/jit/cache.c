/* The cache in memory: modules and kernels of one device.
 *
 *   device->kernels -> store: [module]-[module]-...        a module: source + options
 *                                |                         state EMPTY -> BUILDING -> READY |
 * FAILED [entry]-[entry]              an entry: a kernel of it
 *
 * The first thread to ask for a module builds it, outside the lock; others that ask for the same
 * one wait. A failure to compile is remembered with its text, any other failure is tried again by
 * the next to ask. */
#include "jit/build.h"
#include "jit/jit.h"
#include <string.h>
#include <time.h>

typedef enum module_state { EMPTY, BUILDING, READY, FAILED } module_state;

typedef struct entry {
  struct entry *next;
  char *name;
  qn_jit_entry kernel;
} entry;

typedef struct module {
  struct module *next;
  uint64_t hash;
  char *source, *text, *options; /* text NULL for an embedded source */
  const qn_replacement *replacement;
  module_state state;
  qn_bmodule *code;
  char *error; /* FAILED */
  entry *entries;
} module;

typedef struct store {
  qn_kernel_store base;
  pthread_mutex_t lock;
  pthread_cond_t changed; /* some module's state */
  module *modules;
} store;

/* ---- the store ---- */

static void free_module(module *m, const qn_backend_ops *ops) {
  for (entry *e = m->entries, *next; e; e = next) {
    next = e->next;
    qn_host_strfree(e->name);
    qn_host_free(e, sizeof *e);
  }
  if (ops && m->code) ops->module_free(m->code);
  qn_host_strfree(m->source);
  qn_host_strfree(m->text);
  qn_host_strfree(m->options);
  qn_host_strfree(m->error);
  qn_host_free(m, sizeof *m);
}

static void free_store(qn_kernel_store *base, const qn_backend_ops *ops) {
  store *s = (store *)base;
  for (module *m = s->modules, *next; m; m = next) {
    next = m->next;
    free_module(m, ops);
  }
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
  qn_host_free(s, sizeof *s);
}

static store *store_of(qn_device *device) {
  qn_kernel_store *present = atomic_load(&device->kernels);
  if (present) return (store *)present;
  store *s = qn_host_zalloc(sizeof *s);
  if (!s) return NULL;
  s->base.free = free_store;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  if (atomic_compare_exchange_strong(&device->kernels, &present, &s->base)) return s;
  free_store(&s->base, device->ops);
  return (store *)present;
}

/* FNV-1a, to tell most modules apart at once; equality is decided by the texts. */
static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return (hash ^ 0xff) * UINT64_C(1099511628211);
}

static uint64_t hash_request(const qn_jit_request *r) {
  uint64_t hash = hash_text(UINT64_C(14695981039346656037), r->source);
  if (r->options) hash = hash_text(hash, r->options);
  return r->text ? hash_text(hash, r->text) : hash;
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static module *new_module(const qn_jit_request *r, uint64_t hash) {
  module *m = qn_host_zalloc(sizeof *m);
  if (!m) return NULL;
  m->hash = hash;
  m->source = qn_host_strdup(r->source);
  m->options = qn_host_strdup(r->options ? r->options : "");
  m->text = r->text ? qn_host_strdup(r->text) : NULL;
  m->replacement = r->replacement;
  if (m->source && m->options && (m->text || !r->text)) return m;
  free_module(m, NULL); /* it has no code yet */
  return NULL;
}

/* Finds the module, or adds it empty; NULL without memory. Locked. */
static module *module_of(store *s, const qn_jit_request *r) {
  uint64_t hash = hash_request(r);
  for (module *m = s->modules; m; m = m->next)
    if (m->hash == hash && m->replacement == r->replacement && strcmp(m->source, r->source) == 0 &&
        strcmp(m->options, r->options ? r->options : "") == 0 && same_text(m->text, r->text))
      return m;
  module *m = new_module(r, hash);
  if (!m) return NULL;
  m->next = s->modules;
  s->modules = m;
  return m;
}

/* ---- modules ---- */

/* Builds outside the lock, which is held before and after. */
static qn_status build_module(qn_device *device, store *s, module *m, qn_jit_cost *cost) {
  qn_bmodule *code = NULL;
  bool compiled = false;
  m->state = BUILDING;
  pthread_mutex_unlock(&s->lock);
  const qn_jit_request request = {m->source, m->text, m->options, NULL, m->replacement};
  qn_status status = qn_build(device, &request, &code, &compiled);
  char *error = status == QN_ECOMPILE ? qn_host_strdup(qn_last_error()) : NULL;
  pthread_mutex_lock(&s->lock);
  m->code = code;
  m->error = error;
  m->state = code ? READY : error ? FAILED : EMPTY;
  if (compiled)
    cost->compiled++;
  else if (code)
    cost->loaded++;
  pthread_cond_broadcast(&s->changed);
  return status;
}

/* Returns with the lock held and the module READY, or with the failure. */
static qn_status ready_module(qn_device *device, store *s, module *m, qn_jit_cost *cost) {
  while (m->state == BUILDING) pthread_cond_wait(&s->changed, &s->lock);
  switch (m->state) {
  case READY:
    return QN_OK;
  case FAILED:
    return qn_fail(QN_ECOMPILE, "kernel", "%s", m->error);
  default:
    return build_module(device, s, m, cost);
  }
}

/* ---- kernels ---- */

/* Locked, the module READY. */
static qn_status entry_of(qn_device *device, module *m, const char *name,
                          const qn_jit_entry **kernel) {
  for (entry *e = m->entries; e; e = e->next)
    if (strcmp(e->name, name) == 0) {
      *kernel = &e->kernel;
      return QN_OK;
    }
  entry *e = qn_host_zalloc(sizeof *e);
  char *copy = qn_host_strdup(name);
  qn_status status = QN_OK;
  if (!e || !copy)
    status = qn_fail(QN_ENOMEM, "kernel", "no host memory for a kernel");
  else
    status = device->ops->kernel_get(m->code, name, &e->kernel.handle, &e->kernel.info);
  if (status) {
    qn_host_free(e, sizeof *e);
    qn_host_strfree(copy);
    return qn_device_result(device, status);
  }
  e->name = copy;
  e->next = m->entries;
  m->entries = e;
  *kernel = &e->kernel;
  return QN_OK;
}

static qn_status one_kernel(qn_device *device, const qn_jit_request *r, const qn_jit_entry **kernel,
                            qn_jit_cost *cost) {
  if (!device->ops->compile)
    return qn_fail(QN_EUNSUPPORTED, "kernel", "device %s has no compiler for kernels",
                   device->info.id);
  store *s = store_of(device);
  if (!s) return qn_fail(QN_ENOMEM, "kernel", "no host memory for the cache");
  pthread_mutex_lock(&s->lock);
  module *m = module_of(s, r);
  qn_status status = m ? ready_module(device, s, m, cost)
                       : qn_fail(QN_ENOMEM, "kernel", "no host memory for a module");
  if (!status) status = entry_of(device, m, r->entry, kernel);
  pthread_mutex_unlock(&s->lock);
  return status;
}

qn_status qn_jit_kernel(qn_device *device, const char *source, const char *name,
                        const char *options, const qn_jit_entry **kernel) {
  const qn_jit_request request = {source, NULL, options, name, NULL};
  qn_jit_cost cost = {0};
  return one_kernel(device, &request, kernel, &cost);
}

/* ---- several at once ---- */

/* Compiling is mostly waiting where a driver's own lock or a service does it, so a few threads are
 * worth having on few cores too. QUERN_COMPILE_THREADS=1 is for compilers that bear only one. */
enum { WORKERS_LEAST = 8, WORKERS_MOST = 64 };

typedef struct task {
  qn_device *device;
  const qn_jit_request *request;
  const qn_jit_entry *kernel;
  qn_jit_cost cost;
  qn_status status;
  char *error;
  bool done;
} task;

static void run_task(task *t) {
  t->done = true;
  t->status = one_kernel(t->device, t->request, &t->kernel, &t->cost);
  if (t->status) t->error = qn_host_strdup(qn_last_error());
}

/* Whether the request is for a module that no earlier one asks for, and that is not ready. */
static bool is_cold(qn_device *device, const qn_jit_request *requests, unsigned index) {
  for (unsigned i = 0; i < index; i++)
    if (requests[i].replacement == requests[index].replacement &&
        strcmp(requests[i].source, requests[index].source) == 0 &&
        same_text(requests[i].options, requests[index].options) &&
        same_text(requests[i].text, requests[index].text))
      return false;
  store *s = store_of(device);
  if (!s) return false;
  pthread_mutex_lock(&s->lock);
  module *m = module_of(s, &requests[index]);
  bool cold = m && m->state == EMPTY;
  pthread_mutex_unlock(&s->lock);
  return cold;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The cold tasks, from which workers take one after the other. */
typedef struct crew {
  task **cold;
  unsigned count;
  atomic_uint next;
} crew;

static void *work(void *user) {
  crew *c = user;
  for (unsigned i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) run_task(c->cold[i]);
  return NULL;
}

/* Runs the cold tasks on several threads, the caller's among them; all are done on return. */
static void run_cold(crew *c) {
  pthread_t threads[WORKERS_MOST];
  int64_t most = qn_min64(qn_max64(qn_cores(), WORKERS_LEAST), WORKERS_MOST);
  most = qn_env_int("QUERN_COMPILE_THREADS", most, 1, WORKERS_MOST);
  unsigned wanted = (unsigned)qn_min64(most, c->count), started = 0;
  while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, c) == 0) started++;
  work(c);
  while (started > 0) pthread_join(threads[--started], NULL);
}

static qn_status finish(task *t, const qn_jit_entry **kernel, qn_jit_cost *cost, qn_status status) {
  *kernel = t->kernel;
  cost->compiled += t->cost.compiled;
  cost->loaded += t->cost.loaded;
  if (t->status && !status)
    status = qn_fail(t->status, "kernel", "%s", t->error ? t->error : "no host memory");
  qn_host_strfree(t->error);
  return status;
}

qn_status qn_jit_kernels(qn_device *device, const qn_jit_request *requests, unsigned count,
                         const qn_jit_entry **kernels, qn_jit_cost *cost) {
  qn_jit_cost sum = {0};
  if (cost) *cost = sum;
  if (count == 0) return QN_OK;
  if (!device->ops->compile)
    return qn_fail(QN_EUNSUPPORTED, "kernel", "device %s has no compiler for kernels",
                   device->info.id);
  task *tasks = qn_host_zalloc(count * sizeof *tasks);
  crew c = {.cold = qn_host_alloc(count * sizeof *c.cold)};
  if (!tasks || !c.cold) {
    qn_host_free(tasks, count * sizeof *tasks);
    qn_host_free(c.cold, count * sizeof *c.cold);
    return qn_fail(QN_ENOMEM, "kernel", "no host memory for %u requests", count);
  }
  double begun = now();
  for (unsigned i = 0; i < count; i++) {
    tasks[i] = (task){.device = device, .request = &requests[i]};
    if (is_cold(device, requests, i)) c.cold[c.count++] = &tasks[i];
  }
  if (c.count) run_cold(&c);
  for (unsigned i = 0; i < count; i++)
    if (!tasks[i].done) run_task(&tasks[i]);
  qn_status status = QN_OK;
  for (unsigned i = 0; i < count; i++) status = finish(&tasks[i], &kernels[i], &sum, status);
  qn_host_free(c.cold, count * sizeof *c.cold);
  qn_host_free(tasks, count * sizeof *tasks);
  sum.seconds = now() - begun;
  if (cost) *cost = sum;
  return status;
}
