/* The random stream of the NAS Parallel Benchmarks' EP: x := a x mod 2^46, u = x / 2^46.
 *
 * The same numbers on every backend, whatever the threads: each is a function of its position.
 * Period 2^44 for an odd seed. Not for cryptography.
 * Source: D. Bailey and others, "The NAS Parallel Benchmarks", RNR-94-007, section 2.3. */
#ifndef QUERN_RNG_H
#define QUERN_RNG_H

#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QN_RNG_MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define QN_RNG_EP_SEED    UINT64_C(271828183)
#define QN_RNG_NORMAL_SPAN                                                                         \
  2048 /* numbers set aside for each block of QN_RNG_NORMAL_BLOCK normals */
#define QN_RNG_NORMAL_BLOCK 1024

/* A position of the stream, a plain value: copy it to repeat, skip to split. */
typedef struct qn_rng {
  uint64_t state; /* x before the next number, below 2^46 */
} qn_rng;

/* The stream that starts at `seed` (its low 46 bits, made odd). */
QN_API qn_rng qn_rng_make(uint64_t seed);

/* Passes over `count` numbers, in O(log count). */
QN_API void qn_rng_skip(qn_rng *rng, uint64_t count);

/* The next number, in (0, 1). */
QN_API double qn_rng_next(qn_rng *rng);

/* Fills `out` (f32 or f64) in column-major order with uniforms in (0, 1), one number each, and
 * moves `rng` past them. f32 rounds toward zero, so that 1 is never reached.
 * Async  : ordered on `stream`; `rng` has moved when the call returns, after an error it has not.
 * Errors : QN_EINVAL, QN_EUNSUPPORTED (the device has no f64, which the stream's numbers need). */
QN_API qn_status qn_rng_uniform(qn_stream *stream, qn_rng *rng, qn_matrix out);

/* Fills `out` (f32 or f64) in column-major order with standard normals by Marsaglia's polar method.
 * Block b of QN_RNG_NORMAL_BLOCK normals takes the first accepted pairs (X, then Y) of those that
 * start at number b * QN_RNG_NORMAL_SPAN; `rng` moves on by QN_RNG_NORMAL_SPAN for each block
 * begun. So normals can be skipped by the block too, and every block can be drawn by itself.
 * Async, Errors: as qn_rng_uniform. */
QN_API qn_status qn_rng_normal(qn_stream *stream, qn_rng *rng, qn_matrix out);

#ifdef __cplusplus
}
#endif
#endif
