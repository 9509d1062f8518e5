/* What the files of the decorator share. */
#ifndef QN_FAULTS_INNER_H
#define QN_FAULTS_INNER_H

#include "device/cpu_ops.h"

/* Counts a call of this kind: QN_OK, or the failure that it is to give. */
qn_status qn_fault(unsigned kind, const char *call);

/* Reads QUERN_FAULT, once. */
void qn_faults_environment(void);

/* cpu_ops that count, fail, and pass the rest on to `inner`, of which a process has one. */
const qn_cpu_ops *qn_faults_cpu_ops(const qn_cpu_ops *inner);

#endif
