/* The ladder's first step: wmma, the tensor cores as they were first offered.
 *
 * New here: a warp multiplies 16 x 16 x 16 in one instruction. Fragments are loaded from global
 * memory straight to registers, in an order that the architecture keeps to itself: so the sums go
 * to shared memory before they can be converted and stored. Each element is loaded for 16 products.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 30 TFLOP/s.
 *
 * m, n and k: multiples of 16. Macros: QN_T TRANSA TRANSB C_F32. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "cuda/mma.cu"

/* A line is a column of the matrix in memory: as "col" it is the operand, as "row" its transpose.
 */
#if TRANSA
#define ORDER_A "row"
#else
#define ORDER_A "col"
#endif
#if TRANSB
#define ORDER_B "row"
#else
#define ORDER_B "col"
#endif

#if QN_T == 0
#define FRAGMENT 8 /* registers */
#define TYPE     "f16"
#define LIST     "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define OUTPUTS(r)                                                                                 \
  "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#else
#define FRAGMENT   4
#define TYPE       "bf16"
#define LIST       "{%0, %1, %2, %3}, [%4], %5;"
#define OUTPUTS(r) "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#endif

#define LOAD(operand, order, r, from, ld)                                                          \
  asm volatile("wmma.load." operand ".sync.aligned." order ".m16n16k16.global." TYPE " " LIST      \
               : OUTPUTS(r)                                                                        \
               : "l"(from), "r"((int)(ld))                                                         \
               : "memory")

#define SUMS                                                                                       \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define SUM_LIST "{%0, %1, %2, %3, %4, %5, %6, %7}"

#if QN_T == 0
#define MULTIPLY(d, x, y)                                                                          \
  asm volatile("wmma.mma.sync.aligned." ORDER_A "." ORDER_B ".m16n16k16.f32.f32 " SUM_LIST         \
               ", {%8, %9, %10, %11, %12, %13, %14, %15}, "                                        \
               "{%16, %17, %18, %19, %20, %21, %22, %23}, " SUM_LIST ";"                           \
               : SUMS                                                                              \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]),      \
                 "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]),      \
                 "r"(y[6]), "r"(y[7]))
#else
#define MULTIPLY(d, x, y)                                                                          \
  asm volatile(                                                                                    \
      "wmma.mma.sync.aligned." ORDER_A "." ORDER_B ".m16n16k16.f32.bf16.bf16.f32 " SUM_LIST        \
      ", {%8, %9, %10, %11}, {%12, %13, %14, %15}, " SUM_LIST ";"                                  \
      : SUMS                                                                                       \
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]))
#endif

QN_KERNEL __launch_bounds__(32) void gemm(GEMM_PARAMS) {
  __shared__ float sums[16][16]; /* columns of C */
  const qn_i64 i0 = (qn_i64)(blockIdx.x % across) * 16, j0 = (qn_i64)(blockIdx.x / across) * 16;
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (qn_i64 p = 0; p < k; p += 16) {
    qn_u32 x[FRAGMENT], y[FRAGMENT];
    LOAD("a", ORDER_A, x, a + off_a + (TRANSA ? p + i0 * lda : i0 + p * lda), lda);
    LOAD("b", ORDER_B, y, b + off_b + (TRANSB ? j0 + p * ldb : p + j0 * ldb), ldb);
    MULTIPLY(d, x, y);
  }
  asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%0], "
               "{%1, %2, %3, %4, %5, %6, %7, %8}, 16;" ::"r"(shared_of(sums)),
               "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]),
               "f"(d[7])
               : "memory");
  __syncwarp();
  for (int t = threadIdx.x; t < 256; t += 32) {
    const qn_i64 i = i0 + t % 16, j = j0 + t / 16;
    out_update(c + off_c + i + j * ldc, alpha, sums[t / 16][t % 16], beta, i, j EPILOGUE_PASS);
  }
}
