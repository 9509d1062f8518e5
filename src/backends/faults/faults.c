/* When a call fails: the count that every wrapped call passes (table.c and arithmetic.c). */
#include "backends/faults/faults.h"
#include "backends/faults/inner.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t calls, failing_call;
static atomic_uint armed_kinds = QN_FAULT_ANY;
static atomic_int armed_status;

void qn_faults_arm(int64_t n, unsigned kinds, qn_status status) {
  atomic_store(&failing_call, 0);
  atomic_store(&calls, 0);
  atomic_store(&armed_kinds, kinds);
  atomic_store(&armed_status, status);
  atomic_store(&failing_call, n);
}

int64_t qn_faults_calls(void) {
  return atomic_load(&calls);
}

qn_status qn_fault(unsigned kind, const char *call) {
  if (!(atomic_load(&armed_kinds) & kind)) return QN_OK;
  int64_t number = atomic_fetch_add(&calls, 1) + 1;
  if (number != atomic_load(&failing_call)) return QN_OK;
  qn_status status = (qn_status)atomic_load(&armed_status);
  if (status == QN_OK) status = kind == QN_FAULT_ALLOC ? QN_EDEVMEM : QN_EBACKEND;
  return qn_fail(status, "faults", "call %lld, %s, was made to fail", (long long)number, call);
}

static unsigned parse_kind(const char *text) {
  static const struct {
    const char *name;
    unsigned kind;
  } kinds[] = {{"alloc", QN_FAULT_ALLOC},
               {"copy", QN_FAULT_COPY},
               {"launch", QN_FAULT_LAUNCH},
               {"sync", QN_FAULT_SYNC},
               {"any", QN_FAULT_ANY}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strcmp(text, kinds[i].name) == 0) return kinds[i].kind;
  return 0;
}

static void arm_from_environment(void) {
  const char *text = qn_env_string("QUERN_FAULT", NULL);
  if (!text) return;
  char *end;
  long long n = strtoll(text, &end, 10);
  unsigned kind = *end == ':' ? parse_kind(end + 1) : *end == '\0' ? QN_FAULT_ANY : 0;
  if (end == text || n < 1 || !kind)
    qn_log(QN_LOG_WARNING, "QUERN_FAULT=%s ignored: not N or N:alloc|copy|launch|sync|any", text);
  else
    qn_faults_arm(n, kind, QN_OK);
}

void qn_faults_environment(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, arm_from_environment);
}
