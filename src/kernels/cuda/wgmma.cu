/* wgmma: four warps multiply 64 x 16 by 16 x N, halves in shared memory, sums in f32 registers.
 *
 *   lane = 4 g + q     sum[4 s + 2 h + e]: row 16 warp + 8 h + g, column 8 s + 2 q + e
 *
 * Operands are named by descriptors of tiles that the copy engine wrote with the 128-byte swizzle:
 * lines of 128 bytes, in groups of 8 whose 16-byte pieces are permuted. Either index may run along
 * the lines:
 *
 *   k along the line (major 0)         rows or columns along the line (major 1)
 *   line r: k = 0 .. 63 of row r       line p: rows 0 .. 63 at k = p; the next 64 rows: a tile
 * later a step of 16 k: 32 bytes           a step of 16 k: 16 lines
 *
 * Needs prelude.cl; QN_T 0 (f16) or 1 (bf16). */

#if QN_T == 0
#define WGMMA_TYPE "f16.f16"
#else
#define WGMMA_TYPE "bf16.bf16"
#endif

/* Address in this block (in a cluster the bits above say which), distance of the next 64 rows
 * (major 1), of the next 8 lines, and the swizzle's mode. */
QN_DEV qn_u64 wgmma_tile(qn_u32 address) {
  const qn_u64 tile = 64 * 128, group = 8 * 128;
  return (qn_u64)(address % (1 << 18) >> 4) | tile >> 4 << 16 | group >> 4 << 32 | (qn_u64)1 << 62;
}
/* What a step of 16 k adds to a descriptor. */
#define WGMMA_STEP(major) ((major) ? 16 * 128 >> 4 : 32 >> 4)

/* Registers that wgmma will read or write have their values. */
QN_DEV void wgmma_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
QN_DEV void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/* Until all but the last `pending` groups are done. */
#define wgmma_wait(pending)                                                                        \
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory")

/* Operands of inline assembly are written out one by one. */
#define SUMS_4(d, i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS_8(d, i)  SUMS_4(d, i), SUMS_4(d, i + 4)
#define SUMS_16(d, i) SUMS_8(d, i), SUMS_8(d, i + 8)
#define SUMS_32(d, i) SUMS_16(d, i), SUMS_16(d, i + 16)
#define SUMS_64(d, i) SUMS_32(d, i), SUMS_32(d, i + 32)

#if WGMMA_N == 16
#define WGMMA_REGISTERS "%0, %1, %2, %3, %4, %5, %6, %7"
#define WGMMA_OPERANDS  "%8, %9, p, 1, 1, %11, %12"
#define WGMMA_SCALE     "%10"
#define WGMMA_SUMS(d)   SUMS_8(d, 0)
#endif

#if WGMMA_N == 32
#define WGMMA_REGISTERS "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define WGMMA_OPERANDS  "%16, %17, p, 1, 1, %19, %20"
#define WGMMA_SCALE     "%18"
#define WGMMA_SUMS(d)   SUMS_16(d, 0)
#endif

#if WGMMA_N == 64
#define WGMMA_REGISTERS                                                                            \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "          \
  "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_OPERANDS "%32, %33, p, 1, 1, %35, %36"
#define WGMMA_SCALE    "%34"
#define WGMMA_SUMS(d)  SUMS_32(d, 0)
#endif

#if WGMMA_N == 128
#define WGMMA_REGISTERS                                                                            \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "          \
  "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "          \
  "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "          \
  "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_OPERANDS "%64, %65, p, 1, 1, %67, %68"
#define WGMMA_SCALE    "%66"
#define WGMMA_SUMS(d)  SUMS_64(d, 0)
#endif

#if WGMMA_N == 192
#define WGMMA_REGISTERS                                                                            \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "          \
  "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "          \
  "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "          \
  "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "          \
  "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "          \
  "%87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_OPERANDS "%96, %97, p, 1, 1, %99, %100"
#define WGMMA_SCALE    "%98"
#define WGMMA_SUMS(d)  SUMS_64(d, 0), SUMS_32(d, 64)
#endif

#if WGMMA_N == 256
#define WGMMA_REGISTERS                                                                            \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "          \
  "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "          \
  "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "          \
  "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "          \
  "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "          \
  "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "            \
  "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "           \
  "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define WGMMA_OPERANDS "%128, %129, p, 1, 1, %131, %132"
#define WGMMA_SCALE    "%130"
#define WGMMA_SUMS(d)  SUMS_64(d, 0), SUMS_64(d, 64)
#endif

#define WGMMA_TEXT(text)  WGMMA_TEXT_(text)
#define WGMMA_TEXT_(text) #text

/* d := x y, or d + x y where `add`; x is 64 x 16 and y 16 x WGMMA_N. */
#define wgmma(d, x, y, add, major_x, major_y)                                                      \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " WGMMA_SCALE ", 0;\n"                            \
               "wgmma.mma_async.sync.aligned.m64n" WGMMA_TEXT(WGMMA_N) "k16.f32." WGMMA_TYPE       \
                                                                       " {" WGMMA_REGISTERS        \
                                                                       "}, " WGMMA_OPERANDS ";\n}" \
               : WGMMA_SUMS(d)                                                                     \
               : "l"(x), "l"(y), "r"(add), "n"(major_x), "n"(major_y))
