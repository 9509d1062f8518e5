/* EP for AVX2 with fused multiply-adds. */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define EP_ISA   avx2
#define EP_WIDTH 4
#define EP_FUSED 1

typedef double ep_vd __attribute__((vector_size(32)));
typedef int64_t ep_vi __attribute__((vector_size(32)));

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  return (ep_vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline ep_vd ep_sqrt(ep_vd v) {
  return (ep_vd)_mm256_sqrt_pd((__m256d)v);
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  return (ep_vd)_mm256_max_pd((__m256d)a, (__m256d)b);
}

/* Lane i of a double is words 2i and 2i+1: which words go first for each set of lanes taken. */
#define LANE(i) 2 * (i), 2 * (i) + 1
#define LANES4(a, b, c, d)                                                                         \
  { LANE(a), LANE(b), LANE(c), LANE(d) }
static const int32_t gather_words[16][8] = {
    LANES4(0, 0, 0, 0), LANES4(0, 0, 0, 0), LANES4(1, 0, 0, 0), LANES4(0, 1, 0, 0),
    LANES4(2, 0, 0, 0), LANES4(0, 2, 0, 0), LANES4(1, 2, 0, 0), LANES4(0, 1, 2, 0),
    LANES4(3, 0, 0, 0), LANES4(0, 3, 0, 0), LANES4(1, 3, 0, 0), LANES4(0, 1, 3, 0),
    LANES4(2, 3, 0, 0), LANES4(0, 2, 3, 0), LANES4(1, 2, 3, 0), LANES4(0, 1, 2, 3),
};

static inline __m256 moved(ep_vd v, __m256i words) {
  return _mm256_permutevar8x32_ps((__m256)v, words);
}

static inline int ep_store_taken(double *px, double *py, ep_vd x, ep_vd y, ep_vd t) {
  const int taken = _mm256_movemask_pd(_mm256_cmp_pd((__m256d)t, _mm256_set1_pd(1.0), _CMP_LE_OQ));
  __m256i words;
  memcpy(&words, gather_words[taken], sizeof words);
  _mm256_storeu_ps((float *)px, moved(x, words));
  _mm256_storeu_ps((float *)py, moved(y, words));
  return __builtin_popcount((unsigned)taken);
}

static inline ep_vi ep_count(ep_vi count, ep_vd v, ep_vd low) {
  return count - (ep_vi)(v >= low);
}

static inline int ep_any(ep_vd v, ep_vd low) {
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)v, (__m256d)low, _CMP_GE_OQ)) != 0;
}

#include "npb/ep_cpu_kernel.h"
