/* The kernels of one instruction set. Included by isa_*.c, which defines
 *   ISA                the table's suffix and name: avx512
 *   VBYTES             bytes of a vector
 *   MV, NR, CMV, CNR   tiles in vectors by columns (tile_template.h) */
#include "backends/cpu/half.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/vector.h"

#define PANEL_TYPES                                                                                \
  typedef REAL ON(pvec) __attribute__((vector_size(PLANES * sizeof(REAL)), may_alias));            \
  typedef REAL ON(quad)                                                                            \
      __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
#define MR  (MV * LANES)
#define CMR (CMV * LANES)

/* ---- f32, c64, f16, bf16 ---- */
#define REAL     float
#define ON(name) name##_f32
#if VBYTES == 64
#define LANES 16
#elif VBYTES == 32
#define LANES 8
#else
#define LANES 4
#endif
#define PLANES LANES
PANEL_TYPES
#include "backends/cpu/tile_template.h"
#include "backends/cpu/pack_complex_template.h"
#define SRC        float
#define FROM(name) name##_f32
#define GET(x)     (x)
#include "backends/cpu/pack_template.h"
#undef SRC
#undef FROM
#undef GET
#define SRC        uint16_t
#define FROM(name) name##_f16
#define GET(x)     qn_f16_to_f32(x)
#include "backends/cpu/pack_template.h"
#undef FROM
#undef GET
#define FROM(name) name##_bf16
#define GET(x)     qn_bf16_to_f32(x)
#include "backends/cpu/pack_template.h"
#undef SRC
#undef FROM
#undef GET
enum { MR_F32 = MR, CMR_F32 = CMR, LANES_F32 = LANES };
#undef REAL
#undef ON
#undef LANES
#undef PLANES

/* ---- f64, c128 ---- */
#define REAL     double
#define ON(name) name##_f64
#if VBYTES == 64
#define LANES  8
#define PLANES 8
#elif VBYTES == 32
#define LANES  4
#define PLANES 4
#else
#define LANES  2
#define PLANES 4
#endif
PANEL_TYPES
#include "backends/cpu/tile_template.h"
#include "backends/cpu/pack_complex_template.h"
#define SRC        double
#define FROM(name) name##_f64
#define GET(x)     (x)
#include "backends/cpu/pack_template.h"
#undef SRC
#undef FROM
#undef GET
enum { MR_F64 = MR, CMR_F64 = CMR, LANES_F64 = LANES };
#undef REAL
#undef ON
#undef LANES
#undef PLANES

static void f16_to_f32(int64_t n, const uint16_t *src, float *dst) {
  for (int64_t i = 0; i < n; i++) dst[i] = qn_f16_to_f32(src[i]);
}
static void f32_to_f16(int64_t n, const float *src, uint16_t *dst) {
  for (int64_t i = 0; i < n; i++) dst[i] = qn_f32_to_f16(src[i]);
}
static void bf16_to_f32(int64_t n, const uint16_t *src, float *dst) {
  for (int64_t i = 0; i < n; i++) dst[i] = qn_bf16_to_f32(src[i]);
}
static void f32_to_bf16(int64_t n, const float *src, uint16_t *dst) {
  for (int64_t i = 0; i < n; i++) dst[i] = qn_f32_to_bf16(src[i]);
}

#define QN_STRING2(x) #x
#define QN_STRING(x)  QN_STRING2(x)

const qn_cpu_isa QN_PASTE(qn_cpu_isa_, ISA) = {
    .name = QN_STRING(ISA),
    .dtype =
        {
            [QN_F16] = {MR_F32, NR, LANES_F32, tile_f32, pack_a_f16, pack_b_f16},
            [QN_BF16] = {MR_F32, NR, LANES_F32, tile_f32, pack_a_bf16, pack_b_bf16},
            [QN_F32] = {MR_F32, NR, LANES_F32, tile_f32, pack_a_f32, pack_b_f32},
            [QN_F64] = {MR_F64, NR, LANES_F64, tile_f64, pack_a_f64, pack_b_f64},
            [QN_C64] = {CMR_F32, CNR, LANES_F32, complex_tile_f32, complex_pack_a_f32,
                        complex_pack_b_f32},
            [QN_C128] = {CMR_F64, CNR, LANES_F64, complex_tile_f64, complex_pack_a_f64,
                         complex_pack_b_f64},
        },
    .f16_to_f32 = f16_to_f32,
    .f32_to_f16 = f32_to_f16,
    .bf16_to_f32 = bf16_to_f32,
    .f32_to_bf16 = f32_to_bf16,
};
