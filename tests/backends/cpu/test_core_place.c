/* Threads leave a core and get it back: no call changes for good where a thread may run. */
#define _GNU_SOURCE /* sched_getaffinity, CPU_EQUAL */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "backends/cpu/core_place.h"
#include "backends/cpu/threads.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#if defined(__linux__)

enum { TEAM = 3, SLEEPS = 20 };

static cpu_set_t allowed(void) {
  cpu_set_t cores;
  assert_int_equal(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

static bool several_cores(void) {
  cpu_set_t cores = allowed();
  return CPU_COUNT(&cores) > 1;
}

static void a_thread_leaves_its_core(void **unused) {
  (void)unused;
  const cpu_set_t before = allowed();
  for (int turn = 0; turn < 20; turn++) {
    int core = qn_core_here();
    assert_true(core >= 0);
    assert_true(qn_core_shun(turn % 2 ? qn_core_thread() : 0, core));
    assert_int_not_equal(qn_core_here(), core);
    qn_core_readmit(core);
    const cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&before, &after));
  }
}

static void the_last_core_is_kept(void **unused) {
  (void)unused;
  const cpu_set_t before = allowed();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)qn_core_here(), &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  bool shunned = qn_core_shun(0, qn_core_here());
  sched_setaffinity(0, sizeof before, &before);
  assert_false(shunned);
  assert_false(qn_core_shun(0, -1));
}

static atomic_int narrowed;

static void check_cores(void *arg, int thread, int threads) {
  (void)thread;
  (void)threads;
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0 || !CPU_EQUAL(&cores, (cpu_set_t *)arg))
    atomic_fetch_add(&narrowed, 1);
}

/* Workers that fell asleep where the caller runs now are kept off that core while they wake. */
static void workers_may_run_anywhere(void **unused) {
  (void)unused;
  cpu_set_t before = allowed();
  for (int i = 0; i < SLEEPS; i++) {
    qn_team_run(TEAM, check_cores, &before);
    const struct timespec until_asleep = {0, 5000000};
    nanosleep(&until_asleep, NULL);
    int core = qn_core_here();
    if (qn_core_shun(0, core)) qn_core_readmit(core);
    qn_team_run(TEAM - i % 2, check_cores, &before);
  }
  assert_int_equal(atomic_load(&narrowed), 0);
}

int main(void) {
  if (!several_cores()) {
    puts("skipped: one core alone");
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_leaves_its_core),
                                     cmocka_unit_test(the_last_core_is_kept),
                                     cmocka_unit_test(workers_may_run_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  puts("skipped: this system tells no core");
  return 77;
}
#endif
