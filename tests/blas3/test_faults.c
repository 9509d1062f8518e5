/* Each backend call and each host allocation of a routine is made to fail in turn: the status is
 * told, nothing leaks, and the next call on a fresh stream gives the right bits. */
#include "blas3/workload.h"
#include "backends/faults/faults.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 150, BLOCK = 40 }; /* recursion of four levels */

/* ---- an allocator that counts, and fails request number `failing` ---- */

static atomic_llong live, requests, failing;

static void *counted_alloc(void *user, size_t size, size_t alignment) {
  (void)user;
  if (atomic_fetch_add(&requests, 1) + 1 == atomic_load(&failing)) return NULL;
  void *p = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p) atomic_fetch_add(&live, 1);
  return p;
}

static void counted_free(void *user, void *pointer, size_t size) {
  (void)user;
  (void)size;
  free(pointer);
  atomic_fetch_sub(&live, 1);
}

/* ---- one round: open, run, read, close; the first status that is not QN_OK ---- */

typedef struct round {
  const char *device;
  int kind;
  int64_t block;
  void *result; /* NULL when nobody looks */
} round;

static qn_status run_work(const round *r, qn_stream *stream) {
  workload w;
  qn_status status = workload_open(&w, stream, r->kind, ORDER);
  if (status != QN_OK) return status;
  status = workload_fill(&w, stream);
  if (status == QN_OK) status = workload_run(&w, stream);
  unsigned char *bytes = malloc(workload_bytes(&w));
  assert_non_null(bytes);
  if (status == QN_OK) status = workload_read(&w, stream, r->result ? r->result : bytes);
  free(bytes);
  workload_close(&w);
  return status;
}

static qn_status run_round(const round *r) {
  qn_device *device;
  qn_status status = qn_device_open(r->device, &device);
  if (status != QN_OK) return status;
  qn_stream *stream;
  status = qn_device_set_trsm_block(device, r->block);
  if (status == QN_OK) status = qn_device_set_trmm_block(device, r->block);
  if (status == QN_OK) status = qn_stream_create(device, &stream);
  if (status == QN_OK) {
    status = run_work(r, stream);
    qn_stream_free(stream);
  }
  qn_device_close(device);
  return status;
}

static void assert_round(const round *r, const void *want, size_t bytes) {
  round check = *r;
  check.result = malloc(bytes);
  assert_non_null(check.result);
  assert_int_equal(run_round(&check), QN_OK);
  assert_memory_equal(check.result, want, bytes);
  free(check.result);
}

static size_t result_bytes(int kind) {
  size_t element = kind == WORK_TRSM_HALF || kind == WORK_TRMM_HALF ? 2 : 4;
  return (size_t)ORDER * ORDER * element;
}

static void backend_calls(void **state) {
  (void)state;
  for (int kind = 0; kind < WORKLOADS; kind++) {
    void *want = malloc(result_bytes(kind));
    assert_non_null(want);
    round clean = {"cpu", kind, BLOCK, want}, r = {"faults+cpu", kind, BLOCK, NULL};
    assert_int_equal(run_round(&clean), QN_OK);
    qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
    assert_int_equal(run_round(&r), QN_OK);
    int64_t calls = qn_faults_calls();
    assert_true(calls > 8);
    for (int64_t n = 1; n <= calls; n++) {
      qn_faults_arm(n, QN_FAULT_ANY, QN_OK);
      qn_status status = run_round(&r);
      /* A failed wait inside a free has nobody to tell. */
      if (status != QN_OK) assert_true(status == QN_EBACKEND || status == QN_EDEVMEM);
      if (status != QN_OK) assert_non_null(strstr(qn_last_error(), "made to fail"));
      qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
      if (n % 7 == 0) assert_round(&r, want, result_bytes(kind));
    }
    /* Arithmetic that fails is never passed over. */
    qn_faults_arm(0, QN_FAULT_LAUNCH, QN_OK);
    assert_int_equal(run_round(&r), QN_OK);
    calls = qn_faults_calls();
    for (int64_t n = 1; n <= calls; n++) {
      qn_faults_arm(n, QN_FAULT_LAUNCH, QN_OK);
      assert_int_equal(run_round(&r), QN_EBACKEND);
    }
    qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
    free(want);
  }
}

static void host_allocations(void **state) {
  (void)state;
  const qn_allocator counting = {counted_alloc, counted_free, NULL};
  for (int kind = 0; kind < WORKLOADS; kind++) {
    void *want = malloc(result_bytes(kind));
    assert_non_null(want);
    round clean = {"cpu", kind, BLOCK, want}, r = {"cpu", kind, BLOCK, NULL};
    assert_int_equal(run_round(&clean), QN_OK);
    qn_set_allocator(&counting);
    atomic_store(&failing, 0);
    assert_int_equal(run_round(&r), QN_OK); /* what is kept for the life of the process is made */
    long long before = atomic_load(&live), first = atomic_load(&requests);
    assert_int_equal(run_round(&r), QN_OK);
    long long calls = atomic_load(&requests) - first;
    assert_int_equal(atomic_load(&live), before);
    assert_true(calls > 0);
    for (long long n = 1; n <= calls; n++) {
      atomic_store(&failing, atomic_load(&requests) + n);
      qn_status status = run_round(&r);
      atomic_store(&failing, 0);
      if (status != QN_OK) assert_true(status == QN_ENOMEM || status == QN_EDEVMEM);
      assert_int_equal(atomic_load(&live), before);
      if (n % 5 == 0) assert_round(&r, want, result_bytes(kind));
    }
    qn_set_allocator(NULL);
    free(want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(backend_calls),
      cmocka_unit_test(host_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
