/* Local memory: what it gives, and what conflicting banks leave of it. */
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>

enum { SIDE = 32, ROWS = 8, ROUNDS = 256, WORDS = 4096, READS = 2048 };
enum { GROUPS_A_UNIT = 8, GROUP = 256 };

static uint32_t groups_of(const probe *p) {
  return GROUPS_A_UNIT * (p->info.compute_units ? p->info.compute_units : 1);
}

/* Bytes of a turn that the banks move: items write rows, which lie in all 32 of them; of the
 * columns that they read, all words are in one bank and come one after another, unless a row is
 * padded. */
static double bank_bytes(size_t count, bool padded) {
  enum { BANKS = 32 };
  return sizeof(float) * (double)count * ROUNDS * (1.0 + (padded ? 1.0 : BANKS));
}

/* An even number of turns leaves a tile as it was. */
static probe_figure *turn(probe *p, bool padded, qn_buffer *x, qn_buffer *y, size_t count) {
  probe_launch l = {
      .entry = "turn_tile",
      .grid = {{groups_of(p), 1, 1}, {SIDE, ROWS, 1}},
      .count = 3,
      .turns = 1,
      .kernel = probe_kernel(p, probe_banks_source, "turn_tile", padded ? "-DPAD=1" : "-DPAD=0")};
  probe_figure *f =
      probe_add(p, "turn", NAN, PROBE_GBS, padded ? "rows of 33, padded" : "rows of 32");
  if (!f) return NULL;
  l.args[0][0] = qn_arg_buffer(x);
  l.args[0][1] = qn_arg_buffer(y);
  l.args[0][2] = qn_arg_i32(ROUNDS);
  f->bytes = 2.0 * sizeof(float) * (double)count * ROUNDS;
  f->moved = 2.0 * sizeof(float) * (double)count;
  f->local = bank_bytes(count, padded);
  probe_time(p, f, &l);
  const float *got = probe_fetch(p, y, count * sizeof *got);
  for (size_t i = 0; got && i < count; i++) probe_check(f, got[i] == probe_noise((uint32_t)i, 1));
  return f;
}

void probe_banks_kernels(probe *p) {
  const size_t count = (size_t)groups_of(p) * SIDE * SIDE;
  qn_buffer *x = probe_noise_buffer(p, (uint32_t)count, 1);
  qn_buffer *y = probe_buffer(p, count * sizeof(float));
  const probe_figure *plain = turn(p, false, x, y, count), *padded = turn(p, true, x, y, count);
  probe_say(p, "one unused word a row makes the columns %.3g times as fast",
            probe_gain(p, plain, padded));
}

void probe_local_kernels(probe *p) {
  const uint32_t groups = groups_of(p);
  const size_t items = (size_t)groups * GROUP;
  const float *words = probe_random(p, WORDS, 1);
  qn_buffer *x = probe_upload(p, words, WORDS * sizeof *words);
  qn_buffer *out = probe_buffer(p, items * sizeof(float));
  probe_launch l = {.entry = "read_local",
                    .grid = {{groups, 1, 1}, {GROUP, 1, 1}},
                    .count = 3,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_banks_source, "read_local", "-DPAD=0")};
  probe_figure *f = probe_add(p, "local", NAN, PROBE_GBS, "reads of 16 bytes, no conflicts");
  if (!f) return;
  l.args[0][0] = qn_arg_buffer(x);
  l.args[0][1] = qn_arg_buffer(out);
  l.args[0][2] = qn_arg_i32(READS);
  f->bytes = f->local = 16.0 * (double)items * READS;
  f->moved = sizeof(float) * (double)(items + (size_t)groups * WORDS);
  probe_time(p, f, &l);
  const float *got = probe_fetch(p, out, items * sizeof *got);
  for (size_t i = 0; got && i < GROUP; i++) {
    double want = 0.0;
    for (size_t r = 0; r < READS; r++)
      for (size_t k = 0; k < 4; k++) want += words[(i + r * GROUP) * 4 % WORDS + k];
    /* each of four sums rounds READS / 4 times, at up to READS: 2^-24 of that every time */
    probe_check(f, fabs(got[i] - want) <= READS * (double)READS * 0x1p-24);
  }
  if (p->status || p->ceilings.memory <= 0.0) return;
  probe_say(p, "local memory gives %.4g GB/s, %.3g times the memory's", probe_value(f),
            probe_value(f) / p->ceilings.memory);
}
