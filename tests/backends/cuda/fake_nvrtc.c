/* An NVRTC that returns the source as code. */
#include "fake.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(result, name, arguments)                                                            \
  __attribute__((visibility("default"))) result name arguments;                                    \
  result name arguments

static fake_nvrtc fake = {.major = 12, .minor = 8, .arch = 90};

EXPORT(fake_nvrtc *, fake_nvrtc_state, (void)) {
  return &fake;
}
EXPORT(int, nvrtcVersion, (int *major, int *minor)) {
  *major = fake.major;
  *minor = fake.minor;
  return 0;
}
EXPORT(const char *, nvrtcGetErrorString, (int code)) {
  return code == 6 ? "compilation" : "other";
}
EXPORT(int, nvrtcGetNumSupportedArchs, (int *count)) {
  *count = 2;
  return 0;
}
EXPORT(int, nvrtcGetSupportedArchs, (int *archs)) {
  archs[0] = 80;
  archs[1] = fake.arch;
  return 0;
}
EXPORT(int, nvrtcCreateProgram,
       (char **program, const char *source, const char *name, int headers, const char *const *texts,
        const char *const *names)) {
  (void)name, (void)headers, (void)texts, (void)names;
  *program = strdup(source);
  return 0;
}
EXPORT(int, nvrtcDestroyProgram, (char **program)) {
  free(*program);
  return 0;
}
EXPORT(int, nvrtcCompileProgram, (char *program, int count, const char *const *options)) {
  (void)program;
  fake.options[0] = '\0';
  for (int i = 0; i < count; i++) {
    size_t used = strlen(fake.options);
    snprintf(fake.options + used, sizeof fake.options - used, "%s|", options[i]);
  }
  return fake.result;
}
static int size_of(const char *program, size_t *size) {
  *size = strlen(program) + 1;
  return 0;
}
static int text_of(const char *program, char *text) {
  strcpy(text, program);
  return 0;
}
EXPORT(int, nvrtcGetCUBINSize, (char *program, size_t *size)) {
  return size_of(program, size);
}
EXPORT(int, nvrtcGetCUBIN, (char *program, char *data)) {
  return text_of(program, data);
}
EXPORT(int, nvrtcGetPTXSize, (char *program, size_t *size)) {
  return size_of(program, size);
}
EXPORT(int, nvrtcGetPTX, (char *program, char *data)) {
  return text_of(program, data);
}
EXPORT(int, nvrtcGetProgramLogSize, (char *program, size_t *size)) {
  (void)program;
  *size = fake.result ? 32 : 1;
  return 0;
}
EXPORT(int, nvrtcGetProgramLog, (char *program, char *log)) {
  (void)program;
  strcpy(log, fake.result ? "line 3: what is this?" : "");
  return 0;
}
