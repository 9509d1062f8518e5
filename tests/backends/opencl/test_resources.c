/* NVIDIA's build log and the room of its multiprocessors; no device is needed. */
#include "backends/opencl/resources.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char log_text[] =
    "\n: Considering profile 'compute_90' for gpu='sm_90' in 'cuModuleLoadDataEx_4'\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'axpy2' for 'sm_90'\n"
    "ptxas info    : Function properties for axpy2\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers\n"
    "ptxas info    : Compiling entry function 'axpy' for 'sm_90'\n"
    "ptxas info    : Function properties for axpy\n"
    "    216 bytes stack frame, 212 bytes spill stores, 208 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem\n"
    "ptxas info    : Compiling entry function 'cut' for 'sm_90'\n";

static void test_log(void **state) {
  (void)state;
  uint32_t registers = 7, spills = 7;
  assert_true(qn_cl_read_log(log_text, "axpy", &registers, &spills));
  assert_int_equal(registers, 40);
  assert_int_equal(spills, 216);
  assert_true(qn_cl_read_log(log_text, "axpy2", &registers, &spills));
  assert_int_equal(registers, 8);
  assert_int_equal(spills, 0);
  assert_false(qn_cl_read_log(log_text, "cut", &registers, &spills));
  assert_false(qn_cl_read_log(log_text, "axp", &registers, &spills));
  assert_false(qn_cl_read_log("", "axpy", &registers, &spills));
}

/* What NVIDIA's own calculator says. */
static void test_room(void **state) {
  (void)state;
  static const struct {
    int capability;
    uint32_t registers, local, group, items, most;
  } cases[] = {
      {90, 16, 0, 256, 2048, 2048},        {90, 40, 0, 256, 1536, 2048},
      {90, 255, 0, 256, 256, 2048},        {90, 32, 0, 1024, 2048, 2048},
      {90, 33, 0, 1024, 1024, 2048},       {90, 16, 0, 32, 1024, 2048},
      {90, 16, 60 * 1024, 256, 768, 2048}, {75, 32, 0, 256, 1024, 1024},
      {86, 32, 0, 512, 1536, 1536},        {70, 32, 48 * 1024, 128, 256, 2048},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t most = 0;
    assert_int_equal(qn_cl_resident(cases[i].capability, cases[i].registers, cases[i].local,
                                    cases[i].group, &most),
                     cases[i].items);
    assert_int_equal(most, cases[i].most);
  }
  uint32_t most = 7;
  assert_int_equal(qn_cl_resident(35, 16, 0, 256, &most), 0);
  assert_int_equal(most, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_log), cmocka_unit_test(test_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
