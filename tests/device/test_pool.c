/* The pool: classes of size, figures, limits, exhaustion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "pool_fixture.h"

static void blocks_are_at_most_a_quarter_too_large(void **state) {
  fixture *f = *state;
  const size_t mega = 1 << 20;
  const struct {
    size_t bytes, block;
  } cases[] = {{0, 512},
               {1, 512},
               {512, 512},
               {513, 640},
               {640, 640},
               {641, 768},
               {1023, 1024},
               {1025, 1280},
               {4 * mega, 4 * mega},
               {4 * mega + 1, 5 * mega},
               {8 * mega, 8 * mega},
               {8 * mega + 1, 10 * mega},
               {10 * mega + 1, 12 * mega},
               {99 * mega, 100 * mega}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    qn_buffer *buffer = take(f, cases[i].bytes);
    assert_int_equal(stats_of(f->device).in_use, cases[i].block);
    assert_int_equal(qn_buffer_size(buffer), cases[i].bytes);
    qn_buffer_free(buffer);
    qn_pool_trim(f->device);
  }
}

/* Each size between 1 B and 9 MiB finds its own block again and no block that is too small. */
static void every_class_serves_its_own_sizes(void **state) {
  fixture *f = *state;
  for (size_t bytes = 1; bytes < 9u << 20; bytes += bytes / 7 + 1) {
    qn_buffer *first = take(f, bytes);
    assert_true(first->capacity >= bytes);
    assert_true(bytes < 512 || first->capacity - bytes <= bytes / 4);
    qn_buffer_free(first);
    int before = mock.allocs;
    qn_buffer *again = take(f, bytes);
    assert_ptr_equal(first, again);
    assert_int_equal(mock.allocs, before);
    qn_buffer_free(again);
  }
}

static void a_second_identical_call_takes_nothing_from_the_driver(void **state) {
  fixture *f = *state;
  const size_t sizes[] = {100, 4 << 20, 33 << 20, 700000};
  uint64_t calls = 0;
  for (int round = 0; round < 3; round++) {
    qn_buffer *buffers[4], *scratch;
    for (int i = 0; i < 4; i++) buffers[i] = take(f, sizes[i]);
    assert_int_equal(qn_scratch_alloc(f->s, 50000, &scratch), QN_OK);
    qn_scratch_free(f->s, scratch);
    for (int i = 0; i < 4; i++) qn_buffer_free(buffers[i]);
    qn_pool_stats stats = stats_of(f->device);
    if (round == 0) calls = stats.driver_calls;
    assert_int_equal(stats.driver_calls, calls);
    assert_int_equal(stats.requests, 5 * (round + 1));
  }
  assert_int_equal(calls, 5);
}

static void a_large_block_serves_down_to_four_fifths_of_it(void **state) {
  fixture *f = *state;
  qn_buffer_free(take(f, 100u << 20));
  qn_buffer *near = take(f, 80u << 20), *far = take(f, 78u << 20);
  assert_int_equal(near->capacity, 100u << 20);
  assert_int_equal(far->capacity, 78u << 20);
  qn_buffer_free(near);
  qn_buffer_free(far);
}

static void the_smallest_block_that_fits_is_taken(void **state) {
  fixture *f = *state;
  qn_buffer *large = take(f, 100u << 20), *small = take(f, 90u << 20);
  qn_buffer_free(small);
  qn_buffer_free(large); /* on top */
  qn_buffer *best = take(f, 84u << 20);
  assert_ptr_equal(best, small);
  qn_buffer_free(best);
}

static void figures_add_up(void **state) {
  fixture *f = *state;
  qn_buffer *a = take(f, 1024), *b = take(f, 2048);
  qn_pool_stats stats = stats_of(f->device);
  assert_int_equal(stats.in_use, 3072);
  assert_int_equal(stats.held, 3072);
  qn_buffer_free(a);
  stats = stats_of(f->device);
  assert_int_equal(stats.in_use, 2048);
  assert_int_equal(stats.held, 3072);
  assert_int_equal(stats.peak, 3072);
  qn_pool_trim(f->device);
  assert_int_equal(stats_of(f->device).held, 2048);
  qn_buffer_free(b);
  assert_int_equal(stats_of(f->device).in_use, 0);
  assert_int_equal(stats_of(f->device).requests, 2);
}

static void kinds_do_not_mix(void **state) {
  fixture *f = *state;
  qn_buffer *pinned;
  qn_buffer_free(take(f, BYTES));
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_PINNED, BYTES, &pinned), QN_OK);
  assert_int_equal(mock.allocs, 2);
  assert_non_null(qn_buffer_host(pinned));
  qn_buffer_free(pinned);
}

/* ---- limits and exhaustion ---- */

static void the_limit_counts_cached_blocks_and_trims_them_first(void **state) {
  fixture *f = *state;
  assert_int_equal(qn_pool_set_limit(f->device, 10 << 10), QN_OK);
  qn_buffer *kept = take(f, 4 << 10);
  qn_buffer_free(take(f, 6 << 10));
  qn_buffer *other = take(f, 5 << 10); /* needs the cached 6 KiB gone */
  assert_int_equal(stats_of(f->device).held, 9 << 10);
  qn_buffer *refused = NULL;
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_DEVICE, 2000, &refused), QN_EDEVMEM);
  assert_null(refused);
  assert_non_null(strstr(qn_last_error(), "2000 bytes asked for, 9216 in use, limit 10240"));
  assert_int_equal(qn_pool_set_limit(f->device, 0), QN_OK);
  qn_buffer_free(take(f, 2000));
  qn_buffer_free(kept);
  qn_buffer_free(other);
}

static void lowering_the_limit_trims(void **state) {
  fixture *f = *state;
  qn_buffer *a = take(f, 4 << 10), *b = take(f, 4 << 10);
  qn_buffer_free(b);
  qn_pool_set_limit(f->device, 5 << 10);
  assert_int_equal(stats_of(f->device).held, 4 << 10);
  qn_buffer_free(a);
}

static void the_environment_sets_the_limit(void **state) {
  (void)state;
  qn_device *device;
  setenv("QUERN_POOL_LIMIT", "3K", 1);
  assert_int_equal(qn_device_acquire(&mock_backend, 1, &device), QN_OK);
  unsetenv("QUERN_POOL_LIMIT");
  assert_int_equal(stats_of(device).limit, 3072);
  qn_buffer *buffer;
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 4000, &buffer), QN_EDEVMEM);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 3000, &buffer), QN_OK);
  qn_buffer_free(buffer);
  qn_device_close(device);
}

static void out_of_memory_trims_and_tries_again(void **state) {
  fixture *f = *state;
  mock.room = 10 << 10;
  qn_buffer_free(take(f, 6 << 10));
  qn_buffer *large = take(f, 8 << 10);
  assert_int_equal(mock.frees, 1);
  qn_buffer *none = NULL;
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_DEVICE, 4 << 10, &none), QN_EDEVMEM);
  assert_null(none);
  assert_non_null(strstr(qn_last_error(), "mock:0: 4096 bytes asked for, 8192 in use"));
  qn_buffer_free(large);
  mock.room = SIZE_MAX;
}

/* The system would overcommit: the pool itself keeps what it caches within bounds. */
static void the_cpu_gives_cached_blocks_back_before_it_holds_half_the_memory(void **state) {
  (void)state;
  qn_device *cpu;
  qn_buffer *buffer, *other;
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  cpu->info.memory = 16 << 20;
  assert_int_equal(qn_buffer_alloc(cpu, QN_MEMORY_DEVICE, 5 << 20, &buffer), QN_OK);
  qn_buffer_free(buffer);
  assert_int_equal(qn_buffer_alloc(cpu, QN_MEMORY_DEVICE, 3 << 20, &other), QN_OK);
  assert_int_equal(stats_of(cpu).held, 8 << 20); /* half is allowed */
  assert_int_equal(qn_buffer_alloc(cpu, QN_MEMORY_DEVICE, 4 << 20, &buffer), QN_OK);
  assert_int_equal(stats_of(cpu).held, 7 << 20);
  qn_buffer_free(other);
  assert_int_equal(qn_buffer_alloc(cpu, QN_MEMORY_DEVICE, 99 << 20, &other), QN_OK); /* no limit */
  qn_buffer_free(buffer);
  qn_buffer_free(other);
  qn_device_close(cpu);
}

static void absurd_sizes_are_refused(void **state) {
  fixture *f = *state;
  qn_buffer *buffer;
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX - (1 << 20), SIZE_MAX / 2};
  mock.room = 1 << 20;
  for (int i = 0; i < 3; i++)
    assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_DEVICE, sizes[i], &buffer), QN_EDEVMEM);
  qn_pool_set_limit(f->device, 1 << 20);
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_DEVICE, SIZE_MAX / 2, &buffer), QN_EDEVMEM);
  mock.room = SIZE_MAX;
}

#define POOL_TEST(test) cmocka_unit_test_setup_teardown(test, pool_set_up, pool_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      POOL_TEST(blocks_are_at_most_a_quarter_too_large),
      POOL_TEST(every_class_serves_its_own_sizes),
      POOL_TEST(a_second_identical_call_takes_nothing_from_the_driver),
      POOL_TEST(a_large_block_serves_down_to_four_fifths_of_it),
      POOL_TEST(the_smallest_block_that_fits_is_taken),
      POOL_TEST(figures_add_up),
      POOL_TEST(kinds_do_not_mix),
      POOL_TEST(the_limit_counts_cached_blocks_and_trims_them_first),
      POOL_TEST(lowering_the_limit_trims),
      POOL_TEST(the_environment_sets_the_limit),
      POOL_TEST(out_of_memory_trims_and_tries_again),
      POOL_TEST(the_cpu_gives_cached_blocks_back_before_it_holds_half_the_memory),
      POOL_TEST(absurd_sizes_are_refused),
  };
  return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
