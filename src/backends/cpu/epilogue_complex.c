/* Epilogues of complex numbers: the operations that they have, element by element. */
#include "backends/cpu/epilogue.h"
#include <math.h>

#define REAL       float
#define REAL_HYPOT hypotf
#define NAME(name) name##_c64
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/epi_complex_template.h"
#undef REAL
#undef REAL_HYPOT
#undef NAME

#define REAL       double
#define REAL_HYPOT hypot
#define NAME(name) name##_c128
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/epi_complex_template.h"
