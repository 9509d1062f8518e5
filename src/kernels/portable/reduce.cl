/* Many elements to one number, for one vector or for each of many. What an item has seen is a state;
 * two states join to one, in an order that follows from the count alone: the same bits each time.
 *
 *   vector: `count` elements, the columns of m behind one another, cut into chunks
 *
 *   +--------------------+--------------------+-----     `elements`: a group a chunk; item t takes
 *   | t t+256 t+512 ...  |                    |          t, t + 256, ... in runs of RUN, then
 *   +--------------------+--------------------+-----     the items join
 *            |                    |
 *         state 0              state 1   ...             `states`: a group a vector, likewise
 *
 * A vector of one chunk is finished by `elements`. Grid: x = chunks (1 for `states`), y = vectors
 * (any number of groups).
 *
 * Macros: QN_T; REDUCTION, the number of a qn_reduction (quern/matrix.h). */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/modulus.cl"

#define ITEMS 256
#define SIDE  16 /* its root */
#define RUN   16

#if REDUCTION == 0 /* sum */
typedef acc state;
typedef acc result;
#define nothing()       acc_zero()
#define state_of(x)     (x)
#define join(a, b)      acc_add(a, b)
#define result_of(s)    (s)
#elif REDUCTION == 1 /* sum of moduli */
typedef real state;
typedef real result;
#define nothing()       ((real)0)
#define state_of(x)     acc_modulus(x)
#define join(a, b)      ((a) + (b))
#define result_of(s)    (s)
#elif REDUCTION == 2
#include "portable/norm.cl"
#else /* the largest modulus, the largest, the smallest */
typedef real state;
typedef real result;
#define INFINITE ((real)QN_F32_OF_BITS(0x7f800000u))
#if REDUCTION == 3
#define nothing()   ((real)0)
#define state_of(x) acc_modulus(x)
#elif REDUCTION == 4
#define nothing()   (-INFINITE)
#define state_of(x) (x)
#else
#define nothing()   INFINITE
#define state_of(x) (x)
#endif
#define result_of(s) (s)
/* The one that goes beyond the other; a NaN beats all. */
QN_DEV state join(state a, state b) {
#if REDUCTION == 5
  return b < a || b != b ? b : a;
#else
  return b > a || b != b ? b : a;
#endif
}
#endif

/* Of all items of the group, in two rounds of SIDE; item 0 alone has it. */
QN_DEV state of_group(state mine, QN_LOCAL_PTR state *shared) {
  const int t = QN_LID(0);
  shared[t] = mine;
  QN_BARRIER();
  if (t < SIDE) {
    for (int s = 1; s < SIDE; s++) mine = join(mine, shared[t + SIDE * s]);
    shared[t] = mine;
  }
  QN_BARRIER();
  if (t == 0)
    for (int s = 1; s < SIDE; s++) mine = join(mine, shared[s]);
  QN_BARRIER(); /* shared may be written again */
  return mine;
}

/* Of elements e, e + ITEMS, ... below `end`. e = i + j m; a step of ITEMS is one of (di, dj). */
QN_DEV state of_item(QN_GLOBAL const elem *x, qn_i64 ld, qn_i64 m, qn_i64 e, qn_i64 end) {
  const qn_i64 di = ITEMS % m, dj = ITEMS / m;
  qn_i64 i = e % m, j = e / m;
  state all = nothing();
  while (e < end) {
    state run = nothing();
    for (int r = 0; r < RUN && e < end; r++, e += ITEMS) {
      const acc value = acc_load(x[i + j * ld]);
      run = join(run, state_of(value));
      i += di, j += dj;
      if (i >= m) i -= m, j++;
    }
    all = join(all, run);
  }
  return all;
}

QN_KERNEL QN_WG_SIZE(ITEMS, 1, 1) void
elements(qn_i64 m, qn_i64 count, qn_i64 chunk, qn_i64 vectors, QN_GLOBAL const elem *x,
         qn_i64 off_x, qn_i64 ldx, QN_GLOBAL state *states, QN_GLOBAL result *out, qn_i64 off_out,
         qn_i64 ldout) {
  QN_LOCAL_VAR state shared[ITEMS];
  const qn_i64 begin = QN_WGID(0) * chunk, end = QN_MIN(begin + chunk, count);
  for (qn_i64 v = QN_WGID(1); v < vectors; v += QN_NWG(1)) {
    const state mine = of_item(x + off_x + v * ldx, ldx, m, begin + QN_LID(0), end);
    const state all = of_group(mine, shared);
    if (QN_LID(0) != 0) continue;
    if (QN_NWG(0) == 1)
      out[off_out + v * ldout] = result_of(all);
    else
      states[v * QN_NWG(0) + QN_WGID(0)] = all;
  }
}

QN_KERNEL QN_WG_SIZE(ITEMS, 1, 1) void
states(qn_i64 count, qn_i64 vectors, QN_GLOBAL const state *parts, QN_GLOBAL result *out,
       qn_i64 off_out, qn_i64 ldout) {
  QN_LOCAL_VAR state shared[ITEMS];
  for (qn_i64 v = QN_WGID(1); v < vectors; v += QN_NWG(1)) {
    state mine = nothing();
    for (qn_i64 s = QN_LID(0); s < count; s += ITEMS) mine = join(mine, parts[v * count + s]);
    const state all = of_group(mine, shared);
    if (QN_LID(0) == 0) out[off_out + v * ldout] = result_of(all);
  }
}
