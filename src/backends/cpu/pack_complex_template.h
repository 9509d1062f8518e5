/* Packing of complex operands into panels of split planes; included once a type by
 * isa_template.h. CMR and CNR are the panel widths; `sign` is -1 where the operand is conjugated.
 */

QN_INLINE void ON(plane_step)(const REAL *src, int64_t stride, REAL sign, int width, REAL *dst,
                              const int w) {
  for (int i = 0; i < width; i++) {
    dst[i] = src[2 * i * stride];
    dst[w + i] = sign * src[2 * i * stride + 1];
  }
  for (int i = width; i < w; i++) dst[i] = dst[w + i] = 0;
}

QN_INLINE void ON(complex_pack)(const qn_operand *x, int64_t width, int64_t k, REAL *dst,
                                const int w) {
  REAL sign = x->conj ? -1 : 1;
  for (int64_t i = 0; i < width; i += w) {
    int part = (int)qn_min64(width - i, w);
    const REAL *src = (const REAL *)x->src + 2 * i * (x->along_k ? x->ld : 1);
    for (int64_t p = 0; p < k; p++) {
      if (x->along_k) {
        ON(plane_step)(src + 2 * p, x->ld, sign, part, dst, w);
      } else if (part == w) {
        ON(plane_step)(src + 2 * p * x->ld, 1, sign, w, dst, w);
      } else {
        ON(plane_step)(src + 2 * p * x->ld, 1, sign, part, dst, w);
      }
      dst += 2 * w;
    }
  }
}

static void ON(complex_pack_a)(const qn_operand *x, int64_t width, int64_t k, void *dst) {
  ON(complex_pack)(x, width, k, dst, CMR);
}
static void ON(complex_pack_b)(const qn_operand *x, int64_t width, int64_t k, void *dst) {
  ON(complex_pack)(x, width, k, dst, CNR);
}
