/* mma.sync, ldmatrix and cp.async: the tensor cores of sm_80 and newer. Needs prelude.cl; QN_T 0
 * (f16) or 1 (bf16). docs/learn/tensor-cores.md has the layouts as tables. */

#if QN_T == 0
#define MMA_TYPE "f16.f16"
#else
#define MMA_TYPE "bf16.bf16"
#endif

/* What the kernels by mma.sync are given. */
#define GEMM_PARAMS                                                                                \
  int m, int n, int k, int across, int down, int band, float alpha, const elem *__restrict__ a,    \
      qn_i64 off_a, qn_i64 lda, const elem *__restrict__ b, qn_i64 off_b, qn_i64 ldb, float beta,  \
      out *__restrict__ c, qn_i64 off_c, qn_i64 ldc EPILOGUE_PARAMS

QN_DEV qn_u32 shared_of(const void *p) {
  return (qn_u32)__cvta_generic_to_shared(p);
}

/* d += x y in f32: x is 16 x 16 by rows, y is 16 x 8 by columns.
 *
 *   lane = 4 g + q   x[h + 2 s]: row 8 h + g, k = 8 s + 2 q, + 1
 *                    y[s]:       column g,    k = 8 s + 2 q, + 1
 *                    d[2 h + e]: row 8 h + g, column 2 q + e */
QN_DEV void mma_16816(float *d, const qn_u32 *x, const qn_u32 *y) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." MMA_TYPE
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

/* The same with half the k: x[h]: row 8 h + g, k = 2 q, + 1; y: column g, likewise. */
QN_DEV void mma_1688(float *d, const qn_u32 *x, qn_u32 y) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." MMA_TYPE
               ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(y));
}

/* One, two or four 8 x 8 matrices of halves: lane l names line l % 8 of matrix l / 8, 16 bytes. Of
 * matrix s, r[s] is line g, elements 2 q and 2 q + 1; transposed, lines 2 q and 2 q + 1, element g.
 */
QN_DEV void ldmatrix_1(qn_u32 *r, qn_u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(address)
               : "memory");
}
QN_DEV void ldmatrix_2(qn_u32 *r, qn_u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(address)
               : "memory");
}
QN_DEV void ldmatrix_4(qn_u32 *r, qn_u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
QN_DEV void ldmatrix_4_trans(qn_u32 *r, qn_u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

/* 16 bytes from global memory to shared past the registers, of which the first `bytes` are read and
 * the rest become zero. */
QN_DEV void copy_16(qn_u32 to, const void *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
QN_DEV void copy_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Until all but the last `pending` groups of this thread have come. */
#define copy_wait(pending) asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory")
