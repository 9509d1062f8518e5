/* How the operands of a pipelined product reach shared memory.
 *
 *            BN                       A group computes a BM x BN tile of C and walks over k in
 * steps
 *        +--------+                   of BK. STAGES steps have room in shared memory: while one is
 *     BK |   B    |                   multiplied the next are on their way.
 *        +--------+
 *   BK                                Sizes that the tile does not divide: rows beyond the matrix
 * are
 *  +---+ +--------+                   read from its last row (what they give is never stored), and
 *  | A | |   C    | BM                what lies beyond k counts as zero.
 *  +---+ +--------+
 *
 * Where copiers are others than multipliers (gemm_sides.cu), each stage has two counters, "full"
 * and "empty"; else there is one barrier a step.
 *
 * The including file says how an operand lies in shared memory; `side` is A_SIDE (rows of C) or
 * B_SIDE (columns of C), which are called rows of the operand here: SIDE_BYTES(side)          bytes
 * of one stage of it VECTORS(side)             whether 16 bytes that are neighbours in memory are
 * so in a stage too MOVES(side, vector)       how many moves a copier makes for one stage
 *   first_move(t, side, vector)            what item t copies in its first
 *   next_move(s, side, vector)             how far from there the s-th is, the same for all items
 *   copy_one, copy_one_if, copy_16(...)    copies it */

#if MASKED
#define MASK_PARAMS , int shift, int unit
#define MASK_PASS   , shift, unit
#else
#define MASK_PARAMS
#define MASK_PASS
#endif

#define STAGE_BYTES (SIDE_BYTES(A_SIDE) + SIDE_BYTES(B_SIDE))

typedef struct operand {
  const elem *from; /* what the item copies first in the next step, where all of it is there */
  qn_i64 ld;
  int rows;  /* of the tile that the matrix has */
  int whole; /* 0: rows are missing; 1: none is; 2: and 16 bytes at a time are aligned */
} operand;

/* How far that is from element (0, 0) of the step. */
QN_DEV qn_i64 way_to_first(const operand *o, int t, int side) {
  const move at = VECTORS(side) && o->whole == 2 ? first_move(t, side, 1) : first_move(t, side, 0);
  return ALONG_K(side) ? at.row * o->ld + at.p : at.row + at.p * o->ld;
}

QN_DEV operand operand_of(const elem *x, qn_i64 ld, qn_i64 first, qn_i64 extent, qn_i64 k_from,
                          int t, int side) {
  operand o;
  o.from = x + (ALONG_K(side) ? first * ld + k_from : first + k_from * ld);
  o.ld = ld;
  o.rows = (int)(extent - first < EXTENT(side) ? extent - first : EXTENT(side));
  const int aligned = ((qn_u64)o.from | (qn_u64)ld * sizeof(elem)) % 16 == 0;
  o.whole = opaque(o.rows < EXTENT(side) ? 0 : VECTORS(side) && aligned ? 2 : 1);
  o.from += way_to_first(&o, t, side);
  return o;
}

/* Starts an item's share of one whole step. */
QN_DEV void start_whole(shared_place to, const operand *o, int t, int side, int vector) {
  const move first = first_move(t, side, vector);
  const elem *start = opaque_address(o->from);
  QN_UNROLL
  for (int s = 0; s < MOVES(side, vector); s++) {
    const move by = next_move(s, side, vector), at = moved(first, by);
    const elem *from = start + (ALONG_K(side) ? by.row * o->ld + by.p : by.row + by.p * o->ld);
    if (vector)
      copy_16(to, side, at, from);
    else
      copy_one(to, side, at, from);
  }
}

/* Whether the diagonal crosses a step, of the triangle, that begins `shift` behind the tile. */
#if MASKED
#define CROSSED(side)                                                                              \
  ((side) == TRIANGLE_SIDE && (TRIANGLE_BELOW ? shift + BK > 0 : shift < EXTENT(side)))
#else
#define CROSSED(side) 0
#endif

/* The same where rows end within the tile, or k within the step: `left` of it counts; and of a
 * triangle what lies in it. Rare: short rather than fast, and sparing with registers. */
QN_DEV void start_edge(shared_place to, const operand *o, int t, int side, int left MASK_PARAMS) {
  const elem *from = o->from - way_to_first(o, opaque(t), side);
  _Pragma("unroll 1") for (int s = 0; s < MOVES(side, 0); s++) {
    const move at = moved(first_move(opaque(t), side, 0), next_move(s, side, 0));
    const int row = at.row < o->rows ? at.row : o->rows - 1;
    int there = at.p < left;
#if MASKED
    const int beyond = side == TRIANGLE_SIDE ? shift + at.p - at.row : TRIANGLE_BELOW ? -1 : 1;
    there = there && triangle_has(beyond);
#endif
    const int p = there ? at.p : 0;
    const elem *x = from + (ALONG_K(side) ? row * o->ld + p : row + p * o->ld);
#if MASKED
    if (unit && beyond == 0) x = &diagonal_one;
#endif
    copy_one_if(to, side, at, x, there);
  }
}

/* The same where the diagonal crosses a step of which rows and k are there whole. Each element by
 * itself, but written out: a loop took longer than the products of the step. */
QN_DEV void start_crossed(shared_place to, const operand *o, int t, int side MASK_PARAMS) {
#if MASKED
  const move first = first_move(opaque(t), side, 0);
  const elem *start =
      opaque_address(o->from - way_to_first(o, opaque(t), side) +
                     (ALONG_K(side) ? first.row * o->ld + first.p : first.row + first.p * o->ld));
  const int beyond_first = shift + first.p - first.row;
  QN_UNROLL
  for (int s = 0; s < MOVES(side, 0); s++) {
    const move by = next_move(s, side, 0);
    const int beyond = beyond_first + by.p - by.row;
    const elem *from = start + (ALONG_K(side) ? by.row * o->ld + by.p : by.row + by.p * o->ld);
    if (unit && beyond == 0) from = &diagonal_one;
    copy_one_if(to, side, moved(first, by), from, triangle_has(beyond));
  }
#endif
}

QN_DEV void start_operand(shared_place to, operand *o, int t, int side, int left MASK_PARAMS) {
  if (left < BK || o->whole == 0)
    start_edge(to, o, t, side, left MASK_PASS);
  else if (CROSSED(side))
    start_crossed(to, o, t, side MASK_PASS);
  else if (VECTORS(side) && o->whole == 2)
    start_whole(to, o, t, side, 1);
  else
    start_whole(to, o, t, side, 0);
  o->from += ALONG_K(side) ? BK : BK * o->ld;
}

/* Starts the copies of a step into its stage; of the last step `tail` of k counts. */
QN_DEV void start_step(shared_place stage, operand *a, operand *b, int t, int step, int steps,
                       int tail MASK_PARAMS) {
  const int left = step == steps - 1 ? tail : BK;
#if MASKED
  shift += step * BK;
#endif
  start_operand(stage, a, t, A_SIDE, left MASK_PASS);
  start_operand(stage + SIDE_BYTES(A_SIDE), b, t, B_SIDE, left MASK_PASS);
}

/* ---- the stages ---- */

/* Shared memory begins with the counters: two a stage, and one for the sums of other groups. */
#define COUNTER_BYTES 128
#define GATHERED      (STAGES * 16)
#if GATHERED + 16 > COUNTER_BYTES
#error "more stages than counters have room"
#endif

typedef struct pipeline {
  shared_place base; /* of the stages, behind the counters */
  int stage, parity; /* the stage in use; the parity of its round */
} pipeline;

QN_DEV void next_stage(pipeline *line) {
  if (++line->stage < STAGES) return;
  line->stage = 0;
  line->parity ^= 1;
}

#if SPECIALISED
QN_DEV shared_place full(const pipeline *line, int stage) {
  return line->base - COUNTER_BYTES + stage * 16;
}
QN_DEV shared_place empty(const pipeline *line, int stage) {
  return line->base - COUNTER_BYTES + stage * 16 + 8;
}

/* Where some elements are stored, copiers arrive for these too. */
#ifndef STORES
#define STORES 0
#endif

/* By one item: the addresses of others' counters would have to become uniform one after another. */
QN_DEV void stages_init(const pipeline *line, int t) {
  if (t != 0) return;
  QN_UNROLL
  for (int s = 0; s < STAGES; s++) {
    counter_init(full(line, s), STORES ? 2 * COPIERS : COPIERS);
    counter_init(empty(line, s), FOR_RACECHECK ? MULTIPLIERS : MULTIPLIERS / 32);
  }
}

/* The item has started all its copies of a stage, whose counter is this. */
QN_DEV void stage_filled(shared_place counter) {
  counter_arrive_copied(counter);
  if (STORES) counter_arrive(counter);
}

#if QUICK
#define QUICK_MOVES(side) MOVES(side, VECTORS(side))

/* Where the item's moves of a step begin in memory. */
QN_DEV void places_from(const elem **from, const operand *o, int side) {
  QN_UNROLL
  for (int s = 0; s < QUICK_MOVES(side); s++) {
    const move by = next_move(s, side, VECTORS(side));
    from[s] =
        opaque_address(o->from + (ALONG_K(side) ? by.row * o->ld + by.p : by.row + by.p * o->ld));
  }
}

/* They are made, and then begin a step further. */
QN_DEV void make_moves(shared_place to, const elem **from, qn_i64 step, int side) {
  QN_UNROLL
  for (int s = 0; s < QUICK_MOVES(side); s++) {
    const shared_place there = to + way_in_stage(side, next_move(s, side, VECTORS(side)));
    if (VECTORS(side))
      copy_vector(there, from[s]);
    else
      copy_bytes(there, from[s], sizeof(elem));
    from[s] += step;
  }
}

/* `steps` whole ones of operands that are there, and aligned if that counts: the loop has nothing
 * but copies. */
QN_DEV void fill_quickly(pipeline *line, operand *a, operand *b, int t, int steps) {
  const elem *from_a[QUICK_MOVES(A_SIDE)], *from_b[QUICK_MOVES(B_SIDE)];
  places_from(from_a, a, A_SIDE);
  places_from(from_b, b, B_SIDE);
  const shared_place base = (shared_place)opaque((int)line->base),
                     end = base + STAGES * STAGE_BYTES;
  const move first_a = first_move(t, A_SIDE, VECTORS(A_SIDE)),
             first_b = first_move(t, B_SIDE, VECTORS(B_SIDE));
  const int to_a = opaque((int)place(0, A_SIDE, first_a)),
            to_b = opaque((int)place(SIDE_BYTES(A_SIDE), B_SIDE, first_b));
  const qn_i64 step_a = ALONG_K(A_SIDE) ? BK : BK * a->ld,
               step_b = ALONG_K(B_SIDE) ? BK : BK * b->ld;
  shared_place stage = base + line->stage * STAGE_BYTES, counter = full(line, line->stage);
  for (int left = steps; left > 0; left--) {
    counter_wait(counter + 8, line->parity ^ 1); /* that of "empty" */
    make_moves(stage + to_a, from_a, step_a, A_SIDE);
    make_moves(stage + to_b, from_b, step_b, B_SIDE);
    stage_filled(counter);
    stage += STAGE_BYTES;
    counter += 16;
    if (stage != end) continue;
    stage = base;
    counter = base - COUNTER_BYTES;
    line->parity ^= 1;
  }
  line->stage = (line->stage + steps) % STAGES;
  a->from += steps * step_a;
  b->from += steps * step_b;
}
#endif

/* All that a copier does for a tile. */
QN_DEV void fill_stages(pipeline *line, operand *a, operand *b, int t, int steps,
                        int tail MASK_PARAMS) {
  int step = 0;
#if QUICK
  if (a->whole == 1 + VECTORS(A_SIDE) && b->whole == 1 + VECTORS(B_SIDE)) {
    step = steps - (tail < BK);
    if (step > 0) fill_quickly(line, a, b, t, step);
  }
#endif
  for (; step < steps; step++) {
    counter_wait(empty(line, line->stage), line->parity ^ 1); /* the first round finds all empty */
    start_step(line->base + line->stage * STAGE_BYTES, a, b, t, step, steps, tail MASK_PASS);
    stage_filled(full(line, line->stage));
    next_stage(line);
  }
}

QN_DEV void stage_await(const pipeline *line) {
  counter_wait(full(line, line->stage), line->parity);
}

/* Whether the stage behind this one is full already. For racecheck nobody knows before it waits. */
QN_DEV int stage_peek(const pipeline *line) {
  if (FOR_RACECHECK) return 0;
  pipeline next = *line;
  next_stage(&next);
  return counter_peek(full(&next, next.stage), next.parity);
}

QN_DEV void stage_leave(pipeline *line, int t) {
  __syncwarp();
  if (FOR_RACECHECK || t % 32 == 0) counter_arrive(empty(line, line->stage));
  next_stage(line);
}
#endif
