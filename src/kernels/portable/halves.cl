/* binary16 and bfloat16 as bits, to and from f32: round to nearest even, NaN stays NaN, subnormal
 * values are kept. Needs prelude.cl; no extension of OpenCL. */

QN_DEV float qn_bf16_to_f32(qn_u16 h) {
  return QN_F32_OF_BITS((qn_u32)h << 16);
}

QN_DEV qn_u16 qn_f32_to_bf16(float x) {
  qn_u32 bits = QN_BITS_OF_F32(x);
  qn_u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  /* the sum would carry a NaN's payload into its sign or away */
  return (qn_u16)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 | 0x40u) : rounded);
}

#ifdef __OPENCL_VERSION__

/*  s eeeee mmmmmmmmmm      e = 0: m 2^-24;  e = 31: Inf or NaN;  else the exponent moves by 112 */
QN_DEV float qn_f16_to_f32(qn_u16 h) {
  qn_u32 sign = (qn_u32)(h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 0x3ffu;
  qn_u32 normal = (e == 31u ? 255u : e + 112u) << 23 | m << 13;
  qn_u32 tiny = QN_BITS_OF_F32((float)m * 5.9604644775390625e-8f);
  return QN_F32_OF_BITS(sign | (e == 0u ? tiny : normal));
}

QN_DEV qn_u16 qn_f32_to_f16(float x) {
  qn_u32 bits = QN_BITS_OF_F32(x), size = bits & 0x7fffffffu;
  qn_u32 normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  /* below 2^-14 the unit is 2^-24, which is the unit of f32 at 0.5: the sum rounds */
  qn_u32 tiny = QN_BITS_OF_F32(QN_F32_OF_BITS(size) + 0.5f) - 0x3f000000u;
  qn_u32 huge = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
  qn_u32 value = size < 0x38800000u ? tiny : size >= 0x47800000u ? huge : normal;
  return (qn_u16)(bits >> 16 & 0x8000u | value);
}

#else

QN_DEV float qn_f16_to_f32(qn_u16 h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}

QN_DEV qn_u16 qn_f32_to_f16(float x) {
  qn_u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

#endif
