/* NVRTC by dlopen: which one, for which targets, and one compilation. */
#include "backends/cuda/nvrtc.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvrtc_program *program;

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_INVALID_OPTION = 5, NVRTC_ERROR_COMPILATION = 6 };
enum { OLDEST_MAJOR = 11, MAX_OPTIONS = 64, MAX_OPTION_BYTES = 2048 };

/* From the NVRTC reference, 13.0; all return nvrtcResult but the text. */
#define SYMBOLS(X)                                                                                 \
  X(int, nvrtcVersion, (int *major, int *minor))                                                   \
  X(const char *, nvrtcGetErrorString, (int code))                                                 \
  X(int, nvrtcGetNumSupportedArchs, (int *count))                                                  \
  X(int, nvrtcGetSupportedArchs, (int *archs))                                                     \
  X(int, nvrtcCreateProgram,                                                                       \
    (program * p, const char *source, const char *name, int headers, const char *const *texts,     \
     const char *const *names))                                                                    \
  X(int, nvrtcDestroyProgram, (program * p))                                                       \
  X(int, nvrtcCompileProgram, (program p, int count, const char *const *options))                  \
  X(int, nvrtcGetCUBINSize, (program p, size_t * size))                                            \
  X(int, nvrtcGetCUBIN, (program p, char *data))                                                   \
  X(int, nvrtcGetPTXSize, (program p, size_t * size))                                              \
  X(int, nvrtcGetPTX, (program p, char *data))                                                     \
  X(int, nvrtcGetProgramLogSize, (program p, size_t * size))                                       \
  X(int, nvrtcGetProgramLog, (program p, char *log))

static struct {
#define MEMBER(result, name, arguments) result(*name) arguments;
  SYMBOLS(MEMBER)
#undef MEMBER
} api;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool found;
static int found_major, found_minor;

static bool load_symbols(void *library) {
  void *symbol;
#define LOAD(result, name, arguments)                                                              \
  symbol = dlsym(library, #name);                                                                  \
  if (!symbol) return false;                                                                       \
  memcpy(&api.name, &symbol, sizeof symbol);
  SYMBOLS(LOAD)
#undef LOAD
  return true;
}

static bool try_library(const char *path, int major) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  if (load_symbols(library) && api.nvrtcVersion(&found_major, &found_minor) == NVRTC_SUCCESS &&
      found_major <= major)
    return true;
  dlclose(library);
  return false;
}

/* The loader's own path first, then where NVIDIA's packages put it. */
static bool try_major(int wanted, int major) {
  static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/",
                                        "/usr/local/cuda/targets/x86_64-linux/lib/",
                                        "/usr/local/cuda/targets/sbsa-linux/lib/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char path[256];
    snprintf(path, sizeof path, "%slibnvrtc.so.%d%s", folders[i], wanted, wanted == 11 ? ".2" : "");
    if (try_library(path, major)) return true;
  }
  return false;
}

static bool find(int major, char *message, size_t size) {
  const char *own = qn_env_string("QUERN_NVRTC_LIBRARY", NULL);
  if (own) {
    if (try_library(own, major)) return true;
    snprintf(message, size, "QUERN_NVRTC_LIBRARY=%.100s is no NVRTC up to version %d", own, major);
    return false;
  }
  for (int wanted = major; wanted >= OLDEST_MAJOR; wanted--)
    if (try_major(wanted, major)) return true;
  snprintf(message, size,
           "no libnvrtc.so.%d or older to compile for it: NVIDIA's package cuda-nvrtc-%d-0 or "
           "Debian's libnvrtc11.2 brings it",
           major, major);
  return false;
}

bool qn_nvrtc_find(int major, char *message, size_t message_size) {
  pthread_mutex_lock(&lock);
  if (!found) found = find(major, message, message_size);
  bool result = found;
  pthread_mutex_unlock(&lock);
  return result;
}

void qn_nvrtc_version(char *text, size_t size) {
  snprintf(text, size, "%d.%d", found_major, found_minor);
}

static qn_status check(int code, const char *native) {
  if (code == NVRTC_SUCCESS) return QN_OK;
  return qn_fail(QN_EBACKEND, native, "%s (%d)", api.nvrtcGetErrorString(code), code);
}

qn_status qn_nvrtc_target(int capability, char *target, size_t size) {
  int archs[64], count = 0, newest = 0;
  qn_status status = check(api.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  if (!status && count > 64) return qn_fail(QN_EBACKEND, "nvrtcGetSupportedArchs", "%d", count);
  if (!status) status = check(api.nvrtcGetSupportedArchs(archs), "nvrtcGetSupportedArchs");
  if (status) return status;
  for (int i = 0; i < count; i++) {
    if (archs[i] == capability) {
      /* 9.0 has instructions that only its own, not the portable, target brings */
      bool specific = capability == 90 && found_major >= 12;
      snprintf(target, size, "sm_%d%s", capability, specific ? "a" : "");
      return QN_OK;
    }
    if (archs[i] < capability && archs[i] > newest) newest = archs[i];
  }
  if (!newest)
    return qn_fail(QN_EUNSUPPORTED, "nvrtc", "NVRTC %d.%d knows no architecture up to %d.%d",
                   found_major, found_minor, capability / 10, capability % 10);
  snprintf(target, size, "compute_%d", newest);
  return QN_OK;
}

/* The options as NVRTC wants them: an array of words. The words live in `text`. */
static qn_status split_options(const qn_source *source, const char *target, char *text,
                               const char *words[MAX_OPTIONS], int *count) {
  int used = snprintf(text, MAX_OPTION_BYTES, "--gpu-architecture=%s -default-device %s", target,
                      source->options ? source->options : "");
  if (used >= MAX_OPTION_BYTES)
    return qn_fail(QN_EINVAL, "nvrtc", "%s: the options are too long", source->name);
  *count = 0;
  char *rest;
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    if (*count == MAX_OPTIONS)
      return qn_fail(QN_EINVAL, "nvrtc", "%s: more than %d options", source->name, MAX_OPTIONS);
    words[(*count)++] = word;
  }
  return QN_OK;
}

static char *program_log(program p) {
  size_t size = 0;
  if (api.nvrtcGetProgramLogSize(p, &size) != NVRTC_SUCCESS || size <= 1) return NULL;
  char *raw = qn_host_zalloc(size + 1);
  if (!raw) return NULL;
  api.nvrtcGetProgramLog(p, raw);
  char *log = raw[0] ? qn_host_strdup(raw) : NULL;
  qn_host_free(raw, size + 1);
  return log;
}

static qn_status program_code(program p, bool machine_code, qn_blob *binary) {
  size_t size = 0;
  qn_status status = machine_code ? check(api.nvrtcGetCUBINSize(p, &size), "nvrtcGetCUBINSize")
                                  : check(api.nvrtcGetPTXSize(p, &size), "nvrtcGetPTXSize");
  if (status) return status;
  char *data = qn_host_alloc(size);
  if (!data) return qn_fail(QN_ENOMEM, "nvrtc", "no host memory for %zu bytes of code", size);
  status = machine_code ? check(api.nvrtcGetCUBIN(p, data), "nvrtcGetCUBIN")
                        : check(api.nvrtcGetPTX(p, data), "nvrtcGetPTX");
  if (status)
    qn_host_free(data, size);
  else
    *binary = (qn_blob){data, size};
  return status;
}

static qn_status compile(const char *target, const qn_source *source, bool machine_code,
                         qn_blob *binary, char **log) {
  char text[MAX_OPTION_BYTES];
  const char *words[MAX_OPTIONS];
  int count;
  *log = NULL;
  qn_status status = split_options(source, target, text, words, &count);
  if (status) return status;
  program p;
  status = check(api.nvrtcCreateProgram(&p, source->text, source->name, 0, NULL, NULL),
                 "nvrtcCreateProgram");
  if (status) return status;
  int code = api.nvrtcCompileProgram(p, count, words);
  *log = program_log(p);
  if (code == NVRTC_ERROR_COMPILATION || code == NVRTC_ERROR_INVALID_OPTION)
    status = qn_fail(QN_ECOMPILE, "nvrtcCompileProgram", "%s for %s: %s", source->name, target,
                     *log ? *log : api.nvrtcGetErrorString(code));
  else
    status = check(code, "nvrtcCompileProgram");
  if (!status) status = program_code(p, machine_code, binary);
  api.nvrtcDestroyProgram(&p);
  return status;
}

qn_status qn_nvrtc_compile(const char *target, const qn_source *source, qn_blob *binary,
                           char **log) {
  return compile(target, source, strncmp(target, "sm_", 3) == 0, binary, log);
}

qn_status qn_nvrtc_ptx(const char *target, const qn_source *source, qn_blob *text, char **log) {
  char virtual_target[32];
  snprintf(virtual_target, sizeof virtual_target, "compute_%.20s", strchr(target, '_') + 1);
  return compile(virtual_target, source, false, text, log);
}
