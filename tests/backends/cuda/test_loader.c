/* What the cuda backend says when something is missing or too old; one process each, since what was
 * found stays found. */
#include "fakes.h"
#include "device/backend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

extern const qn_backend_ops qn_cuda_backend;

typedef struct situation {
  const char *driver, *nvrtc; /* other libraries than the stand-ins, or NULL */
  int version, cards, code;
  const char *fail;
  int compiler_major;
  unsigned count; /* what probe should find */
  const char *message;
} situation;

/* In the child: 0 when probe says what it should. */
static int probe_in(const situation *s) {
  fake_cuda *driver = fake_driver();
  fake_nvrtc *compiler = fake_compiler();
  if (!driver || !compiler) return 2;
  driver->version = s->version;
  driver->cards = s->cards;
  driver->fail = s->fail;
  driver->code = s->code;
  compiler->major = s->compiler_major;
  if (s->driver) setenv("QUERN_CUDA_LIBRARY", s->driver, 1);
  if (s->nvrtc) setenv("QUERN_NVRTC_LIBRARY", s->nvrtc, 1);
  for (int again = 0; again < 2; again++) {
    unsigned count = 99;
    char message[256] = "";
    if (qn_cuda_backend.probe(&count, message, sizeof message) != QN_OK) return 3;
    if (count != s->count || !strstr(message, s->message)) {
      fprintf(stderr, "found %u, '%s'\n", count, message);
      return 4;
    }
  }
  qn_bdev *dev;
  return s->count == 0 && qn_cuda_backend.open(0, &dev) != QN_ENODEVICE ? 5 : 0;
}

static void check(const situation *s) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(probe_in(s));
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status)) fail_msg("'%s': exit %d", s->message, WEXITSTATUS(status));
}

static void test_situations(void **state) {
  (void)state;
  const situation all[] = {
      {NULL, NULL, 13000, 2, 0, NULL, 12, 2, "CUDA 13.0, NVRTC 12.8, 2 cards"},
      {"/nonexistent/libcuda.so.1", NULL, 13000, 1, 0, NULL, 12, 0,
       "QUERN_CUDA_LIBRARY: /nonexistent/libcuda.so.1: "},
      {"libm.so.6", NULL, 13000, 1, 0, NULL, 12, 0, "has no cuInit"},
      {NULL, NULL, 10020, 1, 0, NULL, 12, 0, "CUDA 10.2; 11.2 is the oldest"},
      {NULL, NULL, 13000, 0, 0, NULL, 12, 0, "no card"},
      {NULL, NULL, 13000, 1, 803, "cuInit", 12, 0, "does not start: cuInit"},
      {NULL, NULL, 13000, 1, 3, "cuDriverGetVersion", 12, 0, "cuDriverGetVersion"},
      {NULL, NULL, 13000, 1, 3, "cuDeviceGetCount", 12, 0, "cuDeviceGetCount"},
      {NULL, "/nonexistent/libnvrtc.so", 13000, 1, 0, NULL, 12, 0, "1 card, but"},
      /* a compiler newer than the driver makes code that the driver does not take */
      {NULL, NULL, 12040, 1, 0, NULL, 13, 0, "no NVRTC up to version 12"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(&all[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_situations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
