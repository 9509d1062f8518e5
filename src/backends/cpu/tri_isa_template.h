/* The triangular kernels of one instruction set. Included by tri_isa_*.c, which defines
 *   ISA        the table's suffix: avx512
 *   VBYTES     bytes of a vector
 *   TMV, TNR   vectors of right-hand sides (real types; complex ones take one a plane) and unknowns
 *              of a block
 *   POTRF_F32  order of a block of Cholesky in f32 that is best
 *   ASK_AHEAD  where the next panel is asked for                                               */
#include "backends/cpu/tri_kernels.h"
#include "backends/cpu/vector.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define QN_COUNT_2  0, 1
#define QN_COUNT_4  0, 1, 2, 3
#define QN_COUNT_8  0, 1, 2, 3, 4, 5, 6, 7
#define QN_COUNT_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

/* ---- f32, c64 ---- */
#define REAL      float
#define REAL_MIN  FLT_MIN
#define REAL_SQRT sqrtf
#define ON(name)  name##_v32
#define PIECE     4
#if VBYTES == 64
#define LANES 16
#define HALF  8
#elif VBYTES == 32
#define LANES 8
#else
#define LANES 4
#endif
#include "backends/cpu/tri_vector_template.h"
#define FOR(name) name##_f32
#include "backends/cpu/tri_real_template.h"
#undef FOR
#define FOR(name) name##_c64
#include "backends/cpu/tri_complex_template.h"
#undef FOR
#include "backends/cpu/tri_undef.h"

/* ---- f64, c128 ---- */
#define REAL      double
#define REAL_MIN  DBL_MIN
#define REAL_SQRT sqrt
#define ON(name)  name##_v64
#define PIECE     2
#if VBYTES == 64
#define LANES 8
#define HALF  4
#elif VBYTES == 32
#define LANES 4
#else
#define LANES 2
#endif
#include "backends/cpu/tri_vector_template.h"
#define FOR(name) name##_f64
#include "backends/cpu/tri_real_template.h"
#undef FOR
#define FOR(name) name##_c128
#include "backends/cpu/tri_complex_template.h"
#undef FOR

#define KERNELS(name, mr, ...)                                                                     \
  {                                                                                                \
    mr, TNR, reciprocals_do_##name, pack_triangle_##name, pack_rectangle_##name, pack_rhs_##name,  \
        unpack_rhs_##name, solve_##name, multiply_##name, update_##name, __VA_ARGS__               \
  }

const qn_tri_isa QN_PASTE(qn_tri_isa_, ISA) = {{
    [QN_F32] = KERNELS(f32, TMV *VBYTES / 4, POTRF_F32, potrf_workspace_f32, potrf_f32),
    [QN_F64] = KERNELS(f64, TMV *VBYTES / 8, 128, potrf_workspace_f64, potrf_f64),
    [QN_C64] = KERNELS(c64, VBYTES / 4, 32, NULL, NULL),
    [QN_C128] = KERNELS(c128, VBYTES / 8, 32, NULL, NULL),
}};
