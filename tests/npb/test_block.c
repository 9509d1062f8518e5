/* The results block, against the text that scripts look for. */
#include "npb/npb.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

static char text[4096];

static const char *print(const npb_block *block) {
  FILE *file = fmemopen(text, sizeof text, "w");
  assert_non_null(file);
  npb_print_block(file, block);
  fclose(file);
  return text;
}

static const npb_block sample = {.benchmark = "EP",
                                 .class_name = 'S',
                                 .size = "                 33554432",
                                 .seconds = 1.234,
                                 .total = 2,
                                 .active = 2,
                                 .mops = 27.19,
                                 .operation = "Random numbers generated",
                                 .verdict = NPB_SUCCESSFUL};

static void threads(void **state) {
  (void)state;
  static const char *const lines[] = {
      " EP Benchmark Completed\n",
      " Class           =                        S\n",
      " Size            =                 33554432\n",
      " Iterations      =                        0\n",
      " Time in seconds =                     1.23\n",
      " Total threads   =                        2\n",
      " Avail threads   =                        2\n",
      " Mop/s total     =                    27.19\n",
      " Mop/s/thread    =                    13.60\n",
      " Operation type  = Random numbers generated\n",
      " Verification    =               SUCCESSFUL\n",
      " Version         =                    3.4.2\n",
      " Compile date    =              ",
      "\n Compile options:\n    CC           = ",
      "    CLINK        = ",
      "    C_LIB        = ",
      "    C_INC        = ",
      "    CFLAGS       = ",
      "    CLINKFLAGS   = ",
  };
  const char *at = print(&sample);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    const char *found = strstr(at, lines[i]);
    if (!found) fail_msg("line missing or out of order: %s in\n%s", lines[i], text);
    at = found + strlen(lines[i]);
  }
}

static void processes(void **state) {
  (void)state;
  npb_block block = sample;
  block.processes = true;
  block.verdict = NPB_UNSUCCESSFUL;
  print(&block);
  assert_non_null(strstr(text, " Total processes =                        2\n"
                               " Active processes=                        2\n"));
  assert_non_null(strstr(text, " Mop/s/process   =                    13.60\n"));
  assert_non_null(strstr(text, " Verification    =             UNSUCCESSFUL\n"));
  block.verdict = NPB_NOT_PERFORMED;
  print(&block);
  assert_non_null(strstr(text, " Verification    =            NOT PERFORMED\n"));
}

static void timer_flag(void **state) {
  (void)state;
  static const char *const yes[] = {"1", "2", "10", "on", "YES", "true", ""}, *const no[] = {
                                                                                  "0", "off", "no",
                                                                                  "01", "y"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    setenv("NPB_TIMER_FLAG", yes[i], 1);
    assert_true(npb_timers_wanted());
  }
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    setenv("NPB_TIMER_FLAG", no[i], 1);
    assert_false(npb_timers_wanted());
  }
  unsetenv("NPB_TIMER_FLAG");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads), cmocka_unit_test(processes),
                                     cmocka_unit_test(timer_flag)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
