/* EP's port: names of variants, what memory it takes, and which limits it names. Needs no device.
 */
#include "npb/ep_port.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

static const uint64_t kib = 1 << 10, gib = 1 << 30;

static void names(void **state) {
  (void)state;
  static const char *const right[] = {"port", "use_sm", "coalesced,q_coalesced",
                                      "use_sm,coalesced_block,q_coalesced"};
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    ep_port port = {0};
    char name[96];
    assert_true(ep_port_parse(right[i], &port));
    ep_port_name(&port, name, sizeof name);
    assert_string_equal(name, right[i]);
  }
  static const char *const wrong[] = {"",        "use",         "use_sm,",
                                      ",use_sm", "port,use_sm", "coalesced,coalesced_block",
                                      "all",     "use_smooth",  "Use_sm"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ep_port port = {0};
    if (ep_port_parse(wrong[i], &port)) fail_msg("'%s' was taken", wrong[i]);
  }
}

static ep_port shape(int mi) {
  return (ep_port){.mk = EP_PORT_MK, .mi = mi, .block = EP_PORT_BLOCK};
}

/* x is 16 * 2^(M - MI) bytes: S 256 MiB, A 4 GiB, B 16 GiB in one pass. */
static void memory(void **state) {
  (void)state;
  static const struct {
    int m, mi;
    uint64_t x;
  } rows[] = {{24, 0, 256 << 20},
              {28, 0, UINT64_C(4) << 30},
              {30, 0, UINT64_C(16) << 30},
              {30, 3, UINT64_C(2) << 30}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ep_port port = shape(rows[i].mi);
    uint64_t x, batches = UINT64_C(1) << (rows[i].m - rows[i].mi - EP_PORT_MK);
    const uint64_t all = ep_port_memory(&port, rows[i].m, &x);
    assert_true(x == rows[i].x);
    /* ten counts and four sums a batch, and 64 lines of 16 */
    assert_true(all == x + batches * 14 * 8 + 64 * 16 * 8);
    port.coalesced_block = true; /* whole groups: 2^8 batches in 3 of 96 */
    port.block = 96;
    ep_port_memory(&port, 24, &x);
    if (rows[i].mi == 0) assert_true(x == 3 * 96 * (UINT64_C(16) << EP_PORT_MK));
  }
}

static qn_device_info card(const char *backend, uint64_t local) {
  qn_device_info info = {
      .id = "here", .dtypes = 1u << QN_F64, .memory = 64 * gib, .local_memory = local};
  snprintf(info.backend, sizeof info.backend, "%s", backend);
  return info;
}

static void assert_refused(qn_status status, const char *text) {
  assert_int_equal(status, QN_EUNSUPPORTED);
  if (!strstr(qn_last_error(), text)) fail_msg("no '%s' in '%s'", text, qn_last_error());
}

static void blocks(void **state) {
  (void)state;
  static const struct {
    const char *backend;
    uint64_t local;
    int most;
  } rows[] = {{"cuda", 227, 614},
              {"cuda", 48, 614},
              {"opencl", 48, 614},
              {"opencl", 64, 819},
              {"opencl", 32, 409}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const qn_device_info info = card(rows[i].backend, rows[i].local * kib);
    ep_port port = shape(0);
    char text[64];
    port.use_sm = true;
    port.block = rows[i].most;
    assert_int_equal(ep_port_check(&port, 24, &info, 0), QN_OK);
    port.block++;
    snprintf(text, sizeof text, "so a block of %d at most", rows[i].most);
    assert_refused(ep_port_check(&port, 24, &info, 0), text);
    port.use_sm = false;
    assert_int_equal(ep_port_check(&port, 24, &info, 0), QN_OK);
  }
}

static void room(void **state) {
  (void)state;
  qn_device_info info = card("cuda", 48 * kib);
  ep_port port = shape(0);
  assert_refused(ep_port_check(&port, 28, &info, 4 * gib),
                 "16 x 2^(28 - 0) bytes = 4.00 GiB, counts and sums 0.45 MiB more, and the pool "
                 "may hold 4.00 GiB (QUERN_POOL_LIMIT)");
  uint64_t x;
  const uint64_t all = ep_port_memory(&port, 28, &x);
  assert_int_equal(ep_port_check(&port, 28, &info, all), QN_OK);
  assert_refused(ep_port_check(&port, 28, &info, all - 1), "the pool may hold");
  assert_refused(ep_port_check(&port, 36, &info, 0), "here has 64.00 GiB");
  info.memory_max = 4 * gib;
  assert_int_equal(ep_port_check(&port, 28, &info, 0), QN_OK);
  info.memory_max--;
  assert_refused(ep_port_check(&port, 28, &info, 0), "in one piece");
  port.mi = 3;
  assert_int_equal(ep_port_check(&port, 30, &info, 4 * gib), QN_OK);
  /* with batches of one pair the counts are the largest piece */
  port = (ep_port){.mk = 0, .mi = 0, .block = EP_PORT_BLOCK};
  info.memory_max = gib;
  assert_refused(ep_port_check(&port, 24, &info, 0), "in one piece");
}

static void nothing_to_do_it_with(void **state) {
  (void)state;
  qn_device_info info = card("opencl", 48 * kib);
  ep_port port = shape(8);
  assert_int_equal(ep_port_check(&port, 24, &info, 0), QN_OK);
  port.mi = 9;
  assert_refused(ep_port_check(&port, 24, &info, 0), "2^24 pairs make no batch of 2^16 in each of");
  info.dtypes = 1u << QN_F32;
  assert_refused(ep_port_check(&port, 24, &info, 0), "no f64");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(memory),
                                     cmocka_unit_test(blocks), cmocka_unit_test(room),
                                     cmocka_unit_test(nothing_to_do_it_with)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
