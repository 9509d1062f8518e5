/* The sums of a tile whose parts of k are the groups of a cluster; of two, gemm_pair.cu.
 *
 * An item's sums are taken VW at a time, neighbours in a column, by the groups in turn. Each group
 * writes what one takes into that one's shared memory, where the stages were, or behind them where
 * the tile has a ROOM for it: a write goes one way, a read of another's memory would go there and
 * back. A counter tells the taker when all bytes are there; it adds them in the order of the
 * groups.
 *
 *   [giver][piece that the taker takes][item]      items side by side meet in no bank
 *
 * A piece is two numbers in f64, one in f32: four that are sent at once would lie side by side in
 * registers throughout the walk, where products would wait for them. An item reads only what items
 * of its own number wrote, in other groups and in its own. */
#define PIECE      (sizeof(real) == 8 ? 2 : 1)
#define UNITS      (SUMS / VW)
#define UNIT_REALS (VW * (int)(sizeof(acc) / sizeof(real)))
#ifndef ROOM
#define ROOM 0
#endif
#define REAL_BYTES (MULTIPLIERS * (int)sizeof(real)) /* PIECE of them from piece to piece */

QN_DEV shared_place gathered(const pipeline *line) {
  return line->base - COUNTER_BYTES + GATHERED;
}

#define PAIR_UNITS (SUMS / VW / 2)
#define PAIR_BYTES (PAIR_UNITS * MULTIPLIERS * 16)

#if SUMS % (2 * VW)
#error "the groups of a pair take as much each"
#endif

/* Not in f32: there sums that leave 16 bytes at a time, or by halves, have registers of the wrong
 * banks throughout the walk. */
QN_DEV int is_pair(int parts) {
  return parts == 2 && !ROOM && (QN_IS_COMPLEX || sizeof(real) == 8);
}

/* Whether what groups send each other has a place of its own behind the stages. */
QN_DEV int cluster_apart(int parts) {
  if (is_pair(parts)) return shared_size() >= COUNTER_BYTES + STAGES * STAGE_BYTES + PAIR_BYTES;
  return ROOM && parts > 1;
}

/* Once when the counters are there, and once before sums are sent: no group has a stage to read any
 * more, or where sums lie apart all have counters. */
QN_DEV void cluster_begins(int apart) {
  if (apart) cluster_arrive();
}
QN_DEV void cluster_meets(int apart) {
  if (!apart) cluster_arrive();
  cluster_await();
}

/* The end of a group that has nothing to do: every arrival is met by a wait. */
QN_DEV void cluster_leaves(int apart) {
  if (apart) cluster_await();
}

#include "cuda/gemm_pair.cu"

QN_DEV void gather_init(const pipeline *line, int t, int parts) {
  if (t == 32) { /* while another warp makes those of the stages */
    const int own = (UNITS - QN_WGID(2) + parts - 1) / parts,
              givers = is_pair(parts) ? 1 : parts - ROOM;
    counter_init(gathered(line), 1);
    counter_expect(gathered(line), own * givers * UNIT_REALS * REAL_BYTES);
    counters_publish();
  }
}

/* Where the item's first number from a giver lies, behind the counters. */
QN_DEV unsigned from_giver(int giver, int parts, int t) {
  const int units = (UNITS + parts - 1) / parts;
  return (ROOM ? STAGES * STAGE_BYTES : 0) + (unsigned)(giver * units * UNIT_REALS) * REAL_BYTES +
         (unsigned)t * PIECE * (unsigned)sizeof(real);
}

/* Number e of the sums s, s + 1 ... */
QN_DEV real real_of_unit(const sums *sum, int s, int e) {
  const acc x = sum_at(sum, s + e * VW / UNIT_REALS);
  return ((const real *)&x)[e % (UNIT_REALS / VW)];
}

#if ROOM
/* The group's own, which need not be waited for. */
QN_DEV void keep_unit(const pipeline *line, unsigned place, const sums *sum, int s) {
  QN_UNROLL
  for (int e = 0; e < UNIT_REALS; e += PIECE)
    asm volatile("st.shared.v2.b64 [%0], {%1, %2};" ::"r"(line->base + place + e * REAL_BYTES),
                 "l"(__double_as_longlong(real_of_unit(sum, s, e))),
                 "l"(__double_as_longlong(real_of_unit(sum, s, e + PIECE - 1)))
                 : "memory");
}
#endif

/* The sums s, s + 1 ... to a group's place. */
QN_DEV void send_unit(const pipeline *line, unsigned place, int taker, const sums *sum, int s) {
#if ROOM
  if (taker == QN_WGID(2)) {
    keep_unit(line, place, sum, s);
    return;
  }
#endif
  const shared_place there = cluster_place(line->base + place, taker),
                     counter = cluster_place(gathered(line), taker);
  QN_UNROLL
  for (int e = 0; e < UNIT_REALS; e += PIECE)
    cluster_send(there + e * REAL_BYTES, real_of_unit(sum, s, e),
                 real_of_unit(sum, s, e + PIECE - 1), counter);
}

QN_DEV void send_sums(const pipeline *line, const sums *sum, int t, int parts) {
  unsigned place = from_giver(QN_WGID(2), parts, t);
  int taker = 0;
  QN_UNROLL
  for (int s = 0; s < SUMS; s += VW) {
    send_unit(line, place, taker, sum, s);
    if (++taker < parts) continue;
    taker = 0;
    place += UNIT_REALS * REAL_BYTES;
  }
}

QN_DEV void store_cluster(char *shared, const pipeline *line, const sums *sum, const tile *at,
                          const target *to, const reader *r, int t, int parts EPILOGUE_PARAMS) {
  cluster_meets(ROOM);
  send_sums(line, sum, t, parts);
  counter_wait(gathered(line), 0);
  const int vectors = tile_stores_vectors(at, to);
  const char *own = shared;
  for (int u = QN_WGID(2); u < UNITS; u += parts, own += UNIT_REALS * REAL_BYTES) {
    union {
      real part[UNIT_REALS];
      acc sum[VW];
    } all;
    for (int giver = 0; giver < parts; giver++) {
      const char *from = own + from_giver(giver, parts, t);
      QN_UNROLL
      for (int e = 0; e < UNIT_REALS; e++) {
        const real x = ((const real *)(from + e / PIECE * PIECE * REAL_BYTES))[e % PIECE];
        all.part[e] = giver == 0 ? x : all.part[e] + x;
      }
    }
    put_vector(to, at->i0 + r->row + sum_row(u * VW), at->j0 + r->col + sum_col(u * VW), all.sum,
               vectors EPILOGUE_PASS);
  }
}
