/* EP as it is ported step by step from Fortran: one item a batch, the batch's numbers in memory.
 *
 * Needs the words of the portable prelude. Macros:
 *   EP_BLOCK        items a group
 *   EP_LAYOUT       where number i of batch b stands in x, of n numbers a batch and B batches:
 *                     0  b n + i                            each batch by itself, as on a cpu
 *                     1  i B + b                            "coalesced": transposed
 *                     2  (b / EP_BLOCK) EP_BLOCK n + i EP_BLOCK + b % EP_BLOCK
 *                                                           "coalesced_block": within each group
 *   EP_USE_SM       1: the ten counts of an item in local memory while they are made
 *   EP_Q_COALESCED  count l of batch b at l B + b, not b 10 + l */

#define EP_BINS  10
#define EP_LINE  16
#define EP_USED  14
#define EP_PARTS 16
#define EP_LINES 64 /* into which a pass is added up */

#define EP_MASK ((((qn_u64)1) << 46) - 1)

QN_DEV qn_i64 ep_at(qn_i64 batch, qn_i64 batches, qn_i64 numbers, qn_i64 i) {
#if EP_LAYOUT == 0
  return batch * numbers + i;
#elif EP_LAYOUT == 1
  return i * batches + batch;
#else
  const qn_i64 block = batch / EP_BLOCK, lane = batch % EP_BLOCK;
  return block * EP_BLOCK * numbers + i * EP_BLOCK + lane;
#endif
}

QN_DEV qn_i64 ep_count_at(qn_i64 batch, qn_i64 batches, int bin) {
#if EP_Q_COALESCED
  return bin * batches + batch;
#else
  return batch * EP_BINS + bin;
#endif
}

/* Batch b of a pass draws 2^(mk + 1) numbers from where it begins, then makes deviates of them. */
QN_KERNEL QN_WG_SIZE(EP_BLOCK, 1, 1) void
ep_batch(qn_i64 seed, qn_i64 step, int mk, qn_i64 batches, QN_GLOBAL double *QN_RESTRICT x,
         QN_GLOBAL double *QN_RESTRICT q, QN_GLOBAL double *QN_RESTRICT sums) {
#if EP_USE_SM
  QN_LOCAL_VAR double counts[EP_BINS][EP_BLOCK];
#define EP_COUNT(bin) counts[bin][QN_LID(0)]
#else
#define EP_COUNT(bin) q[ep_count_at(batch, batches, bin)]
#endif
  const qn_i64 batch = QN_GID(0), numbers = (qn_i64)2 << mk;
  if (batch >= batches) return;

  qn_u64 state = (qn_u64)seed, jump = (qn_u64)step;
  for (qn_u64 b = (qn_u64)batch; b; b >>= 1, jump *= jump)
    if (b & 1u) state *= jump;
  for (qn_i64 i = 0; i < numbers; i++) {
    state = state * 1220703125u & EP_MASK;
    x[ep_at(batch, batches, numbers, i)] = (double)(qn_i64)state * 0x1p-46;
  }

  double sx = 0.0, sy = 0.0, ax = 0.0, ay = 0.0;
  for (int bin = 0; bin < EP_BINS; bin++) EP_COUNT(bin) = 0.0;
  for (qn_i64 i = 0; i < numbers; i += 2) {
    const double x1 = 2.0 * x[ep_at(batch, batches, numbers, i)] - 1.0;
    const double x2 = 2.0 * x[ep_at(batch, batches, numbers, i + 1)] - 1.0;
    const double t = x1 * x1 + x2 * x2;
    if (t <= 1.0) {
      const double f = sqrt(-2.0 * log(t) / t), dx = x1 * f, dy = x2 * f;
      EP_COUNT(QN_MIN((int)fmax(fabs(dx), fabs(dy)), EP_BINS - 1)) += 1.0;
      sx += dx;
      sy += dy;
      ax += fabs(dx);
      ay += fabs(dy);
    }
  }
#if EP_USE_SM
  for (int bin = 0; bin < EP_BINS; bin++) q[ep_count_at(batch, batches, bin)] = EP_COUNT(bin);
#endif
  sums[batch] = sx;
  sums[batches + batch] = sy;
  sums[2 * batches + batch] = ax;
  sums[3 * batches + batch] = ay;
}

/* Adds group g's share of a pass to line g, in a fixed order: 16 runs of batches, then all. */
QN_KERNEL QN_WG_SIZE(256, 1, 1) void
ep_collect(QN_GLOBAL const double *QN_RESTRICT q, QN_GLOBAL const double *QN_RESTRICT sums,
           qn_i64 batches, QN_GLOBAL double *QN_RESTRICT lines) {
  QN_LOCAL_VAR double parts[EP_PARTS][EP_LINE];
  const int word = QN_LID(0) % EP_LINE, part = QN_LID(0) / EP_LINE;
  const qn_i64 run = (qn_i64)QN_WGID(0) * EP_PARTS + part, runs = (qn_i64)EP_LINES * EP_PARTS;
  const qn_i64 from = batches * run / runs, to = batches * (run + 1) / runs;
  double sum = 0.0;
  if (word < EP_USED)
    for (qn_i64 b = from; b < to; b++)
      sum += word < 4 ? sums[word * batches + b] : q[ep_count_at(b, batches, word - 4)];
  parts[part][word] = sum;
  QN_BARRIER();
  if (part == 0) {
    sum = lines[QN_WGID(0) * EP_LINE + word];
    for (int i = 0; i < EP_PARTS; i++) sum += parts[i][word];
    lines[QN_WGID(0) * EP_LINE + word] = sum;
  }
}
