/* The epilogues of one instruction set. Included by epi_isa_*.c, which defines
 *   ISA      the table's suffix: avx512
 *   VBYTES   bytes of a vector */
#include "backends/cpu/epilogue.h"
#include "backends/cpu/vector.h"
#include <float.h>
#include <math.h>

/* ---- f32 ---- */
#define REAL      float
#define REAL_SQRT sqrtf
#define INT       int32_t
#define ON(name)  name##_f32
#define LANES     (VBYTES / 4)
#define DIGITS    23
#define BIAS      127
#define MAGIC     0x1.8p23f
#define LN2_HI    0x1.63p-1f
#define LN2_LO    -2.12194440054690583e-4f
#define EXP_LOW   -104.0f
#define EXP_HIGH  89.0f
#define TANH_HIGH 10.0f
#define SMALLEST  FLT_MIN
#define EXP_TERMS 6
#define LOG_TERMS 5
#define ERF_END   4.0f
#define ERF_NEAR                                                                                   \
  {                                                                                                \
    1.128379166f, -0.3761262583f, 0.1128358517f, -0.02685381178f, 0.005188326733f,                 \
        -0.0008010183783f, 7.853834913e-5f                                                         \
  }
#define ERF_FAR                                                                                    \
  {                                                                                                \
    1.849605517f, 2.638966811f, 0.8431183726f, 0.04150055855f, -0.009890698817f, 0.001826042697f,  \
        -0.0001855448916f                                                                          \
  }
#include "backends/cpu/epi_math_template.h"
#include "backends/cpu/epi_strip_template.h"
#undef REAL
#undef REAL_SQRT
#undef INT
#undef ON
#undef LANES
#undef DIGITS
#undef BIAS
#undef MAGIC
#undef LN2_HI
#undef LN2_LO
#undef EXP_LOW
#undef EXP_HIGH
#undef TANH_HIGH
#undef SMALLEST
#undef EXP_TERMS
#undef LOG_TERMS
#undef ERF_END
#undef ERF_NEAR
#undef ERF_FAR

/* ---- f64 ---- */
#define REAL      double
#define REAL_SQRT sqrt
#define INT       int64_t
#define ON(name)  name##_f64
#define LANES     (VBYTES / 8)
#define DIGITS    52
#define BIAS      1023
#define MAGIC     0x1.8p52
#define LN2_HI    0x1.62e42feep-1
#define LN2_LO    1.9082149292705877e-10
#define EXP_LOW   -746.0
#define EXP_HIGH  710.0
#define TANH_HIGH 20.0
#define SMALLEST  DBL_MIN
#define EXP_TERMS 12
#define LOG_TERMS 11
#define ERF_END   6.0
#define ERF_NEAR                                                                                   \
  {                                                                                                \
    1.12837916709551257, -0.376126389031837476, 0.112837916709548579, -0.0268661706450729642,      \
        0.00522397762478149175, -0.000854832697877742021, 0.000120553310382005397,                 \
        -0.0000149255935391029516, 1.64609733534375003e-6, -1.6350031134353751e-7,                 \
        1.46579210976007487e-8, -1.13658308039650946e-9, 5.94554872094956667e-11                   \
  }
#define ERF_FAR                                                                                    \
  {                                                                                                \
    1.84960550993324826, 2.63896751423478821, 0.843107256358678179, 0.0415610980417889038,         \
        -0.0100338253742353535, 0.00197790256684672742, -0.000237322476800304564,                  \
        -0.0000262778897068632667, 0.000027159145485699162, -9.60895570798182179e-6,               \
        2.05983985971690774e-6, -1.42936728940503921e-7, -9.75063970893697319e-8,                  \
        5.20177907249443282e-8, -1.49043405490805229e-8, 2.8622770467944864e-9,                    \
        -3.67958339364242786e-10, 2.87872881646194404e-11, -1.03786179888589683e-12                \
  }
#include "backends/cpu/epi_math_template.h"
#include "backends/cpu/epi_strip_template.h"

const qn_epilogue_kernels QN_PASTE(qn_epilogue_, ISA) = {strip_f32, strip_f64};
