/* As many products as sm_90's tensor cores take from shared memory: groups of two times four warps,
 * 64 x 256 x 16 an instruction. CUDA alone.
 *
 *   A 64 x 64, B 256 x 64 (its transpose) of f16, by core matrices of 8 rows x 16 bytes:
 *     byte of (r, k) = ((k / 8) ROWS / 8 + r / 8) 128 + (r % 8) 16 + (k % 8) 2
 *   Descriptor: address, bytes from a core matrix to the next along k, and to the next along r.
 *
 * Warp w of four has rows 16 w ... of C; lane 4 g + q has rows g and g + 8, in each eight columns the
 * pair 2 q. An item writes what it has of the first eight columns plus what it has of the last. */

#define DEPTH 64
#define BYTES_K(rows) ((rows) * 16ull)

#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define SUM4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUM16(i) SUM4(i), SUM4(i + 4), SUM4(i + 8), SUM4(i + 12)
#define SUM64(i) SUM16(i), SUM16(i + 16), SUM16(i + 32), SUM16(i + 48)

QN_DEV void multiply(float *d, qn_u64 a, qn_u64 b) {
  asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0;"
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7)
               TEN(8) TEN(9) TEN(10) TEN(11) "%120,%121,%122,%123,%124,%125,%126,%127}, "
               "%128, %129, p, 1, 1, 0, 0;}"
               : SUM64(0), SUM64(64)
               : "l"(a), "l"(b));
}

/* Core matrices beside each other along r are 128 bytes apart. */
QN_DEV qn_u64 descriptor(const void *shared, qn_u64 bytes_k) {
  const qn_u64 address = (qn_u64)__cvta_generic_to_shared(shared);
  return (address & 0x3ffff) >> 4 | bytes_k >> 4 << 16 | 128ull >> 4 << 32;
}

/* Row `r` of `from` holds its k side by side. */
QN_DEV void lay_out(qn_u16 *to, const qn_u16 *from, int rows) {
  for (int i = get_local_id(0); i < rows * DEPTH; i += get_local_size(0)) {
    const int r = i / DEPTH, k = i % DEPTH;
    to[((k / 8) * (rows / 8) + r / 8) * 64 + r % 8 * 8 + k % 8] = from[i];
  }
}

__kernel void QN_WG_SIZE(256, 1, 1) wgmma_chains(const qn_u16 *a, const qn_u16 *b, float *out, int rounds) {
  __shared__ __align__(128) qn_u16 as[64 * DEPTH];
  __shared__ __align__(128) qn_u16 bs[256 * DEPTH];
  float d[128];
  QN_UNROLL for (int i = 0; i < 128; i++) d[i] = 0.0f;
  lay_out(as, a, 64);
  lay_out(bs, b, 256);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const qn_u64 da = descriptor(as, BYTES_K(64)), db = descriptor(bs, BYTES_K(256));
  for (int r = 0; r < rounds; r++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    QN_UNROLL for (int j = 0; j < 2 * DEPTH / 16; j++) {
      const int step = j % (DEPTH / 16); /* 16 of k are two core matrices */
      multiply(d, da + (2 * step * BYTES_K(64) >> 4), db + (2 * step * BYTES_K(256) >> 4));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  QN_UNROLL for (int i = 0; i < 4; i++)
    out[get_global_id(0) * 4 + i] = d[i] + d[124 + i];
}
