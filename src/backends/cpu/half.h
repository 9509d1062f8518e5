/* Conversions of f16 and bf16, one element, by integer arithmetic that compilers vectorise. */
#ifndef QN_CPU_HALF_H
#define QN_CPU_HALF_H

#include <stdint.h>
#include <string.h>

static inline float qn_float_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static inline uint32_t qn_bits_of_float(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* The exponent and fraction, moved to binary32's place, are off by 2^112 in value; the multiply
 * mends that and normalises subnormals. Inf and NaN keep their fraction. */
static inline float qn_f16_to_f32(uint16_t h) {
  uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
  uint32_t sign = (uint32_t)(h & 0x8000) << 16;
  uint32_t finite = qn_bits_of_float(qn_float_of_bits(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000u | (magnitude > 0x0f800000u ? 0x400000u : 0u);
  return qn_float_of_bits(sign | (magnitude >= 0x0f800000u ? special : finite));
}

/* Round to nearest even. Normal results: add half of the last kept place, ties to even. Subnormal
 * ones: adding 0.5 puts 2^-24 at the last place of the sum, and the adder rounds. */
static inline uint16_t qn_f32_to_f16(float f) {
  uint32_t bits = qn_bits_of_float(f);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  uint32_t tiny = qn_bits_of_float(qn_float_of_bits(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t h = magnitude < 0x38800000u ? tiny : normal;
  h = magnitude >= 0x477ff000u ? 0x7c00u : h;
  h = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : h;
  return (uint16_t)(h | ((bits >> 16) & 0x8000u));
}

static inline float qn_bf16_to_f32(uint16_t h) {
  return qn_float_of_bits((uint32_t)h << 16);
}

static inline uint16_t qn_f32_to_bf16(float f) {
  uint32_t bits = qn_bits_of_float(f);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t quiet = (bits >> 16) | 0x40u;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

#endif
