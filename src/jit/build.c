/* Building one module: expand its source, look on disk, else compile and keep. */
#include "jit/build.h"
#include "device/code.h"
#include "jit/disk.h"
#include "jit/source.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* What a user's text may rely on. */
static const char user_prefix[] =
    "#include \"portable/prelude.cl\"\n#include \"portable/opencl_words.cl\"\n";

static qn_status expand_user(const char *name, const char *text, char **expanded) {
  size_t size = strlen(text) + sizeof user_prefix + 256;
  char *whole = qn_host_alloc(size);
  if (!whole) return qn_fail(QN_ENOMEM, "kernel", "no host memory for the source");
  snprintf(whole, size, "%s#line 1 \"%.128s\"\n%s", user_prefix, name, text);
  qn_status status = qn_source_expand(name, whole, NULL, expanded);
  qn_host_free(whole, size);
  return status;
}

static qn_status compile(qn_device *device, const qn_source *source, qn_blob *binary) {
  char *log = NULL;
  qn_status status = device->ops->compile(device->handle, source, binary, &log);
  if (log && !status) qn_log(QN_LOG_DEBUG, "%s: build log: %s", source->name, log);
  qn_host_strfree(log);
  return status;
}

static qn_status load(qn_device *device, qn_blob *binary, qn_bmodule **module) {
  qn_status status = device->ops->module_load(device->handle, binary, module);
  qn_host_free(binary->data, binary->size);
  return status;
}

static qn_status build_text(qn_device *device, const qn_source *source, qn_bmodule **module,
                            bool *compiled) {
  char identity[1024];
  qn_status status = device->ops->identity(device->handle, identity, sizeof identity);
  if (status) return status;
  qn_disk_key key = qn_disk_key_of(source->text, source->options, identity);
  qn_blob binary;
  if (qn_disk_load(&key, &binary)) {
    if (load(device, &binary, module) == QN_OK) return QN_OK;
    qn_log(QN_LOG_WARNING, "cache: %s does not load (%s); compiling again", source->name,
           qn_last_error());
  }
  *compiled = true;
  status = compile(device, source, &binary);
  if (status) return status;
  char note[256];
  snprintf(note, sizeof note, "%.96s %.64s [%.80s]", source->name, source->options, identity);
  qn_disk_store(&key, note, &binary);
  return load(device, &binary, module);
}

/* The request's source with what it includes in its place; free with qn_host_strfree. */
static qn_status expand(const qn_jit_request *request, char **expanded) {
  *expanded = NULL;
  return request->text ? expand_user(request->source, request->text, expanded)
                       : qn_source_expand(request->source, NULL, request->replacement, expanded);
}

qn_status qn_build(qn_device *device, const qn_jit_request *request, qn_bmodule **module,
                   bool *compiled) {
  char *expanded;
  *module = NULL;
  *compiled = false;
  qn_status status = expand(request, &expanded);
  if (!status) {
    const qn_source whole = {request->source, expanded, request->options};
    status = build_text(device, &whole, module, compiled);
  }
  qn_host_strfree(expanded);
  return qn_device_result(device, status);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show(const qn_jit_request *request, const qn_blob *code, qn_code kind, double seconds,
                 qn_code_fn fn, void *user) {
  const size_t end = kind == QN_CODE_PTX ? 1 : 0; /* its NUL */
  const qn_code_module module = {.source = request->source,
                                 .options = request->options,
                                 .entry = request->entry,
                                 .code = code->data,
                                 .size = code->size - end,
                                 .seconds = seconds};
  fn(user, &module);
}

qn_status qn_build_code(qn_device *device, const qn_jit_request *request, qn_code kind,
                        qn_code_fn fn, void *user) {
  const qn_code_ops *ops =
      device->ops->proc ? device->ops->proc(device->handle, QN_PROC_CODE) : NULL;
  if (!ops)
    return qn_fail(QN_EUNSUPPORTED, "kernel", "device %s has neither PTX nor cubins",
                   device->info.id);
  char *expanded, *log = NULL;
  qn_blob code = {NULL, 0};
  qn_status status = expand(request, &expanded);
  const qn_source whole = {request->source, expanded, request->options};
  const double begun = now();
  if (!status) status = ops->compile(device->handle, &whole, kind, &code, &log);
  if (!status) show(request, &code, kind, now() - begun, fn, user);
  qn_host_free(code.data, code.size);
  qn_host_strfree(log);
  qn_host_strfree(expanded);
  return status;
}
