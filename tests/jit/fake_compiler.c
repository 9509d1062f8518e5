/* The counting compiler. */
#include "fake_compiler.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

static fake_compiler fake;
static char fake_identity[128];

struct qn_bmodule {
  char *text;
};

static qn_status identity(qn_bdev *dev, char *text, size_t size) {
  (void)dev;
  snprintf(text, size, "%s", fake_identity);
  return QN_OK;
}

static qn_status compile(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log) {
  (void)dev;
  *log = NULL;
  int now = atomic_fetch_add(&fake.at_once, 1) + 1, most = atomic_load(&fake.most_at_once);
  while (now > most && !atomic_compare_exchange_weak(&fake.most_at_once, &most, now)) {
  }
  atomic_fetch_add(&fake.compiles, 1);
  nanosleep(&(struct timespec){0, fake.milliseconds * 1000000L}, NULL);
  atomic_fetch_sub(&fake.at_once, 1);
  if (fake.failure) return qn_fail(fake.failure, "fake", "no code for %s", source->name);
  binary->size = strlen(source->text) + 1;
  binary->data = qn_host_strdup(source->text);
  return QN_OK;
}

static qn_status module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module) {
  (void)dev;
  atomic_fetch_add(&fake.loads, 1);
  *module = qn_host_alloc(sizeof **module);
  (*module)->text = qn_host_strdup(binary->data);
  atomic_fetch_add(&fake.modules, 1);
  return QN_OK;
}

static void module_free(qn_bmodule *module) {
  atomic_fetch_sub(&fake.modules, 1);
  qn_host_strfree(module->text);
  qn_host_free(module, sizeof *module);
}

static qn_status kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                            qn_kernel_info *info) {
  memset(info, 0, sizeof *info);
  *kernel = (qn_bkernel *)strstr(module->text, name);
  return *kernel ? QN_OK : qn_fail(QN_EINVAL, "fake", "no kernel %s", name);
}

static const qn_backend_ops ops = {
    .abi = QN_BACKEND_ABI,
    .name = "fake",
    .identity = identity,
    .compile = compile,
    .module_load = module_load,
    .module_free = module_free,
    .kernel_get = kernel_get,
};

fake_compiler *fake_new(const char *text) {
  memset(&fake, 0, sizeof fake);
  snprintf(fake_identity, sizeof fake_identity, "%s", text);
  fake.device.ops = &ops;
  snprintf(fake.device.info.id, sizeof fake.device.info.id, "fake:0");
  return &fake;
}

int fake_free(fake_compiler *f) {
  qn_kernel_store *forms = atomic_load(&f->device.forms),
                  *kernels = atomic_load(&f->device.kernels);
  if (forms) forms->free(forms, f->device.ops);
  if (kernels) kernels->free(kernels, f->device.ops);
  atomic_store(&f->device.forms, NULL);
  atomic_store(&f->device.kernels, NULL);
  return atomic_load(&f->modules);
}
