/* EP for AVX-512. */
#include <immintrin.h>
#include <stdint.h>

#define EP_ISA   avx512
#define EP_WIDTH 8
#define EP_FUSED 1

typedef double ep_vd __attribute__((vector_size(64)));
typedef int64_t ep_vi __attribute__((vector_size(64)));

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  return (ep_vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline ep_vd ep_sqrt(ep_vd v) {
  return (ep_vd)_mm512_sqrt_pd((__m512d)v);
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  return (ep_vd)_mm512_max_pd((__m512d)a, (__m512d)b);
}

/* Compressed in a register and stored whole: stores that compress are slow on some processors. */
static inline int ep_store_taken(double *px, double *py, ep_vd x, ep_vd y, ep_vd t) {
  const __mmask8 taken = _mm512_cmp_pd_mask((__m512d)t, _mm512_set1_pd(1.0), _CMP_LE_OQ);
  _mm512_storeu_pd(px, _mm512_maskz_compress_pd(taken, (__m512d)x));
  _mm512_storeu_pd(py, _mm512_maskz_compress_pd(taken, (__m512d)y));
  return __builtin_popcount(taken);
}

static inline ep_vi ep_count(ep_vi count, ep_vd v, ep_vd low) {
  const __mmask8 above = _mm512_cmp_pd_mask((__m512d)v, (__m512d)low, _CMP_GE_OQ);
  return (ep_vi)_mm512_mask_sub_epi64((__m512i)count, above, (__m512i)count, _mm512_set1_epi64(-1));
}

static inline int ep_any(ep_vd v, ep_vd low) {
  return _mm512_cmp_pd_mask((__m512d)v, (__m512d)low, _CMP_GE_OQ) != 0;
}

#include "npb/ep_cpu_kernel.h"
