/* Each call of a script fails in turn, once through the decorator and once through the host's
 * allocator: every failure is told, nothing leaks, and what does not fail stays right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/faults/faults.h"
#include "device/device.h"

/* ---- an allocator that counts, and fails at request number `failing` ---- */

static struct {
  atomic_int requests, failing;
  _Atomic(size_t) live;
} heap;

static void *count_alloc(void *user, size_t size, size_t alignment) {
  (void)user;
  if (atomic_fetch_add(&heap.requests, 1) + 1 == atomic_load(&heap.failing)) return NULL;
  void *pointer = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!pointer) return NULL;
  memset(pointer, 0xa5, size);
  atomic_fetch_add(&heap.live, size);
  return pointer;
}

static void count_free(void *user, void *pointer, size_t size) {
  (void)user;
  memset(pointer, 0x5a, size);
  atomic_fetch_sub(&heap.live, size);
  free(pointer);
}

static void arm_heap(int failing) {
  atomic_store(&heap.requests, 0);
  atomic_store(&heap.failing, failing);
}

static int set_up(void **state) {
  (void)state;
  const qn_allocator allocator = {count_alloc, count_free, NULL};
  qn_set_allocator(&allocator);
  arm_heap(0);
  qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  assert_int_equal(atomic_load(&heap.live), 0);
  qn_set_allocator(NULL);
  return 0;
}

/* ---- the script ---- */

enum { N = 8 };

typedef struct objects {
  qn_device *device;
  qn_stream *stream;
  qn_event *start, *stop;
  qn_buffer *pinned, *scratch;
  qn_matrix a, b;
} objects;

/* A call of everything; ends at the first that fails. `out` is written by the last copy. */
static qn_status script(objects *o, const double *in, double *out) {
  qn_status status;
#define STEP(call)                                                                                 \
  status = (call);                                                                                 \
  if (status != QN_OK) return status
  STEP(qn_device_open("faults+cpu", &o->device));
  STEP(qn_stream_create(o->device, &o->stream));
  STEP(qn_event_create(o->device, &o->start));
  STEP(qn_event_create(o->device, &o->stop));
  STEP(qn_matrix_alloc(o->device, QN_F64, N, N, &o->a));
  STEP(qn_matrix_alloc(o->device, QN_F64, N, N, &o->b));
  STEP(qn_buffer_alloc(o->device, QN_MEMORY_PINNED, 4096, &o->pinned));
  STEP(qn_event_record(o->start, o->stream));
  STEP(qn_matrix_write(o->stream, o->a, in, N));
  STEP(qn_fill(o->stream, o->b.buffer, 0, N * N * sizeof(double), 0, 4));
  STEP(qn_scratch_alloc(o->stream, N * N * sizeof(double), &o->scratch));
  STEP(qn_copy(o->stream, o->scratch, 0, o->a.buffer, 0, N * N * sizeof(double)));
  STEP(qn_copy(o->stream, o->b.buffer, 0, o->scratch, 0, N * N * sizeof(double)));
  qn_cpu_gemm product = {.dtype = QN_F64,
                         .ctype = QN_F64,
                         .transa = QN_NOTRANS,
                         .transb = QN_NOTRANS,
                         .alpha = qn_real(1.0),
                         .beta = qn_real(2.0),
                         .a = qn_cpu_view(o->a),
                         .b = qn_cpu_view(o->a),
                         .c = qn_cpu_view(o->b)};
  STEP(o->device->cpu->gemm(&product));
  STEP(qn_event_record(o->stop, o->stream));
  STEP(qn_event_wait(o->stop, o->stream));
  STEP(qn_matrix_read(o->stream, out, N, o->b));
  STEP(qn_stream_sync(o->stream));
  double seconds;
  STEP(qn_event_elapsed(o->start, o->stop, &seconds));
#undef STEP
  return QN_OK;
}

static void free_all(objects *o) {
  qn_device_close(o->device);
  qn_buffer_free(o->scratch);
  qn_buffer_free(o->pinned);
  qn_buffer_free(o->a.buffer);
  qn_buffer_free(o->b.buffer);
  qn_event_free(o->start);
  qn_event_free(o->stop);
  qn_stream_free(o->stream);
}

/* Calls that the last run made before it freed anything: those that can tell a failure. */
static int64_t script_calls;

/* The identity times 3: A A + 2 A = 15 on the diagonal. */
static qn_status run_script(void) {
  double in[N * N] = {0}, out[N * N] = {0};
  for (int i = 0; i < N; i++) in[i + i * N] = 3.0;
  objects o = {0};
  qn_status status = script(&o, in, out);
  script_calls = qn_faults_calls();
  free_all(&o);
  if (status == QN_OK)
    for (int i = 0; i < N * N; i++) assert_true(out[i] == (i % (N + 1) == 0 ? 15.0 : 0.0));
  return status;
}

/* ---- the tests ---- */

static void without_a_fault_the_script_passes(void **state) {
  (void)state;
  assert_int_equal(run_script(), QN_OK);
  assert_true(qn_faults_calls() >= 20);
  assert_int_equal(atomic_load(&heap.live), 0);
}

/* As many failures as there are calls, each told with its number, none leaving anything behind. */
static void each_call_fails_in_turn(void **state) {
  (void)state;
  assert_int_equal(run_script(), QN_OK);
  int64_t calls = script_calls;
  for (int64_t n = 1; n <= calls; n++) {
    char text[32];
    snprintf(text, sizeof text, "call %lld, ", (long long)n);
    qn_faults_arm(n, QN_FAULT_ANY, QN_OK);
    qn_status status = run_script();
    if (status != QN_EBACKEND && status != QN_EDEVMEM)
      fail_msg("call %lld: %s", (long long)n, qn_status_string(status));
    assert_non_null(strstr(qn_last_error(), text));
    assert_int_equal(atomic_load(&heap.live), 0);
    assert_int_equal(run_script(), QN_OK); /* once, and no after-effect */
  }
}

static void a_lost_device_at_each_call(void **state) {
  (void)state;
  assert_int_equal(run_script(), QN_OK);
  int64_t calls = script_calls;
  for (int64_t n = 1; n <= calls; n++) {
    qn_faults_arm(n, QN_FAULT_ANY, QN_ELOST);
    assert_int_equal(run_script(), QN_ELOST);
    assert_int_equal(atomic_load(&heap.live), 0);
    assert_int_equal(run_script(), QN_OK);
  }
}

static void freeing_goes_on_after_a_fault(void **state) {
  (void)state;
  for (int lost = 0; lost < 2; lost++) {
    qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
    assert_int_equal(run_script(), QN_OK);
    int64_t first = script_calls + 1, last = qn_faults_calls();
    assert_true(first <= last);
    for (int64_t n = first; n <= last; n++) {
      qn_faults_arm(n, QN_FAULT_ANY, lost ? QN_ELOST : QN_OK);
      assert_int_equal(run_script(), QN_OK);
      assert_int_equal(atomic_load(&heap.live), 0);
    }
  }
}

static void each_host_allocation_fails_in_turn(void **state) {
  (void)state;
  qn_status status = QN_ENOMEM;
  int n = 0;
  while (status != QN_OK) {
    arm_heap(++n);
    status = run_script();
    if (status != QN_OK && status != QN_ENOMEM && status != QN_EDEVMEM)
      fail_msg("allocation %d: %s", n, qn_last_error());
    assert_int_equal(atomic_load(&heap.live), 0);
  }
  assert_true(n > 15);
  arm_heap(0);
}

static void kinds_count_their_own_calls(void **state) {
  (void)state;
  const struct {
    unsigned kind;
    int64_t calls;
    qn_status status;
  } cases[] = {{QN_FAULT_ALLOC, 4, QN_EDEVMEM},
               {QN_FAULT_COPY, 5, QN_EBACKEND},
               {QN_FAULT_LAUNCH, 1, QN_EBACKEND}};
  for (int i = 0; i < 3; i++) {
    qn_faults_arm(0, cases[i].kind, QN_OK);
    assert_int_equal(run_script(), QN_OK);
    assert_int_equal(qn_faults_calls(), cases[i].calls);
    qn_faults_arm(cases[i].calls, cases[i].kind, QN_OK);
    assert_int_equal(run_script(), cases[i].status);
    qn_faults_arm(cases[i].calls + 1, cases[i].kind, QN_OK);
    assert_int_equal(run_script(), QN_OK);
  }
}

/* One failed copy condemns the stream, not its neighbours, and what it should have written is as it
 * was. */
static void a_fault_stays_on_its_stream(void **state) {
  (void)state;
  qn_device *device;
  qn_stream *bad, *good;
  qn_buffer *buffer;
  char out[5] = "";
  assert_int_equal(qn_device_open("faults+cpu", &device), QN_OK);
  assert_int_equal(qn_stream_create(device, &bad), QN_OK);
  assert_int_equal(qn_stream_create(device, &good), QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 5, &buffer), QN_OK);
  assert_int_equal(qn_copy_in(good, buffer, 0, "good", 5), QN_OK);
  qn_faults_arm(1, QN_FAULT_COPY, QN_OK);
  assert_int_equal(qn_copy_in(bad, buffer, 0, "evil", 5), QN_EBACKEND);
  assert_int_equal(qn_copy_in(bad, buffer, 0, "evil", 5), QN_EBACKEND);
  assert_int_equal(qn_stream_sync(bad), QN_EBACKEND);
  assert_non_null(strstr(qn_last_error(), "the stream failed before: faults: call 1, copy_in"));
  assert_int_equal(qn_copy_out(good, out, buffer, 0, 5), QN_OK);
  assert_string_equal(out, "good");
  qn_buffer_free(buffer);
  qn_stream_free(bad);
  qn_stream_free(good);
  qn_device_close(device);
}

/* A pool that is short of memory tries again after trimming: one failure is not the caller's. */
static void a_failed_allocation_is_tried_again_when_something_is_cached(void **state) {
  (void)state;
  qn_device *device;
  qn_buffer *buffer;
  assert_int_equal(qn_device_open("faults+cpu", &device), QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 1000, &buffer), QN_OK);
  qn_buffer_free(buffer);
  qn_faults_arm(1, QN_FAULT_ALLOC, QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 5000, &buffer), QN_OK);
  assert_int_equal(qn_faults_calls(), 2);
  qn_buffer_free(buffer);
  qn_device_close(device);
}

static void the_decorated_device_computes_as_the_real_one(void **state) {
  (void)state;
  qn_device *real, *wrapped;
  assert_int_equal(qn_device_open("cpu", &real), QN_OK);
  assert_int_equal(qn_device_open("faults+cpu", &wrapped), QN_OK);
  assert_string_equal(wrapped->info.id, "faults+cpu");
  assert_string_equal(wrapped->info.backend, "cpu");
  assert_string_equal(wrapped->info.arch, real->info.arch);
  assert_non_null(wrapped->cpu);
  assert_string_equal(wrapped->cpu->isa, real->cpu->isa);
  assert_ptr_equal(wrapped->cpu->cast, real->cpu->cast);
  qn_device_info rows[8];
  unsigned count;
  assert_int_equal(qn_devices(rows, 8, &count), QN_OK);
  for (unsigned i = 0; i < count && i < 8; i++) assert_null(strstr(rows[i].id, "faults"));
  qn_device_close(real);
  qn_device_close(wrapped);
}

#define FAULT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      FAULT_TEST(without_a_fault_the_script_passes),
      FAULT_TEST(each_call_fails_in_turn),
      FAULT_TEST(a_lost_device_at_each_call),
      FAULT_TEST(freeing_goes_on_after_a_fault),
      FAULT_TEST(each_host_allocation_fails_in_turn),
      FAULT_TEST(kinds_count_their_own_calls),
      FAULT_TEST(a_fault_stays_on_its_stream),
      FAULT_TEST(a_failed_allocation_is_tried_again_when_something_is_cached),
      FAULT_TEST(the_decorated_device_computes_as_the_real_one),
  };
  return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
