/* Every kernel the library would compile for an NVIDIA card, compiled by NVRTC without one: for
 * sm_80, sm_90a and sm_100. A warning, a stack frame, a spilled register or wgmma that ptxas
 * serialises (which it tells without the word warning) fails. Skipped where NVRTC is not found.
 * usage: test_kernels_nvrtc [N]: one module in N, chosen by its name and options */
#include "backends/cuda/nvrtc.h"
#include "paper.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static atomic_int compiled, faulty;
static unsigned thin = 1;

/* Whether a line of the assembler's report counts bytes of `what` other than 0. */
static bool reports(const char *log, const char *what) {
  for (const char *at = log; (at = strstr(at, what)); at += strlen(what)) {
    const char *digits = at;
    while (digits > log && (digits[-1] == ' ')) digits--;
    while (digits > log && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    if (atoi(digits) != 0) return true;
  }
  return false;
}

/* Whether the module is among those compiled: the same ones in every run. */
static bool is_chosen(const char *target, const qn_source *source) {
  const char *parts[] = {target, source->name, source->options};
  unsigned hash = 2166136261u; /* FNV-1a */
  for (int i = 0; i < 3; i++)
    for (const char *c = parts[i]; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  return (hash >> 8) % thin == 0;
}

/* The text holds the kernels' names too. */
static qn_status leave_out(const qn_source *source, qn_blob *binary, char **log) {
  *log = NULL;
  binary->size = strlen(source->text) + 1;
  binary->data = qn_host_alloc(binary->size);
  if (!binary->data) return qn_fail(QN_ENOMEM, "test_nvrtc", "no memory");
  memcpy(binary->data, source->text, binary->size);
  return QN_OK;
}

static qn_status compile(const char *target, const qn_source *source, qn_blob *binary, char **log) {
  if (!is_chosen(target, source)) return leave_out(source, binary, log);
  char options[1024];
  snprintf(options, sizeof options, "%s -Xptxas=-v", source->options);
  const qn_source verbose = {source->name, source->text, options};
  qn_status status = qn_nvrtc_compile(target, &verbose, binary, log);
  compiled++;
  bool bad = status != QN_OK || !*log || strstr(*log, "warning") ||
             strstr(*log, "Performance Loss") || reports(*log, "bytes stack frame") ||
             reports(*log, "bytes spill stores") || reports(*log, "bytes spill loads");
  if (bad) {
    faulty++;
    fprintf(stderr, "%s %s %s:\n%s\n", target, source->name, source->options,
            *log ? *log : qn_last_error());
  }
  return status;
}

static void test_targets(void **state) {
  (void)state;
  static const char *const targets[] = {"sm_80", "sm_90a", "sm_100"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    int before = compiled;
    paper_compile_all(targets[i], compile);
    printf("%s: %d modules\n", targets[i], compiled - before);
    assert_true(compiled - before > 50 / (int)thin);
  }
  if (faulty) fail_msg("%d of %d modules warn or spill", faulty, compiled);
}

int main(int argc, char **argv) {
  char message[256];
  if (argc > 1) thin = (unsigned)atoi(argv[1]);
  if (thin == 0) return 2;
  if (!qn_nvrtc_find(99, message, sizeof message)) {
    printf("skipped: %s\n", message);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_targets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
