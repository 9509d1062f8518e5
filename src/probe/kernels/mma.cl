/* As many products as NVIDIA's tensor cores take from one warp's registers: CHAINS sums that do not
 * wait for one another, the same A and B in every round.
 *
 *   lane = 4 g + q     A: rows g and g + 8, k from q on    B: k from q on, column g
 *                      C: rows g and g + 8, columns 2 q and 2 q + 1
 *
 * `parts` holds what each lane has of A (PARTS_A words), then of each B (PARTS_B words), as the host
 * has laid it out. An item writes its 4 (or 2) elements of the sum over all chains.
 *
 * Macros: KIND 16 (f16, 16 x 8 x 16), 32 (TF32, 16 x 8 x 8) or 64 (f64, 16 x 8 x 8 from sm_90 on,
 * else 8 x 8 x 4); QN_SM; CHAINS. The instruction is inline PTX, in NVIDIA's OpenCL too. */

#if KIND == 64
typedef double word;
typedef double sum_t;
#define WORD "d"
#define SUM  "+d"
#else
typedef uint word;
typedef float sum_t;
#define WORD "r"
#define SUM  "+f"
#endif

#if KIND == 16
#define SHAPE "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#elif KIND == 32
#define SHAPE "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
#elif QN_SM >= 90
#define SHAPE "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
#endif

#ifdef SHAPE
#define PARTS_A 4
#define PARTS_B 2
#define SUMS    4
QN_DEV void mma(sum_t *c, const word *a, const word *b) {
  asm volatile(SHAPE "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : SUM(c[0]), SUM(c[1]), SUM(c[2]), SUM(c[3])
               : WORD(a[0]), WORD(a[1]), WORD(a[2]), WORD(a[3]), WORD(b[0]), WORD(b[1]));
}
#else
#define PARTS_A 1
#define PARTS_B 1
#define SUMS    2
QN_DEV void mma(sum_t *c, const word *a, const word *b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : SUM(c[0]), SUM(c[1])
               : WORD(a[0]), WORD(b[0]));
}
#endif

__kernel void mma_chains(__global const word *restrict parts, __global float *restrict out, int rounds) {
  const int lane = get_local_id(0) % 32;
  word a[PARTS_A], b[CHAINS][PARTS_B];
  sum_t c[CHAINS][SUMS];
  QN_UNROLL for (int i = 0; i < PARTS_A; i++) a[i] = parts[i * 32 + lane];
  QN_UNROLL for (int j = 0; j < CHAINS; j++) {
    QN_UNROLL for (int i = 0; i < PARTS_B; i++)
      b[j][i] = parts[(PARTS_A + j * PARTS_B + i) * 32 + lane];
    QN_UNROLL for (int i = 0; i < SUMS; i++) c[j][i] = 0;
  }
  for (int r = 0; r < rounds; r++) {
    QN_UNROLL for (int u = 0; u < 4; u++) {
      QN_UNROLL for (int j = 0; j < CHAINS; j++) mma(c[j], a, b[j]);
    }
  }
  QN_UNROLL for (int i = 0; i < SUMS; i++) {
    sum_t sum = 0;
    QN_UNROLL for (int j = 0; j < CHAINS; j++) sum += c[j][i];
    out[get_global_id(0) * SUMS + i] = (float)sum;
  }
}
