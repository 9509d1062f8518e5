/* Whether to divide is to multiply by the reciprocal. Needs element.cl. */

/* A reciprocal in the normal range with room to spare: a product by it is a division within two
 * roundings. */
QN_DEV int is_tame(elem d) {
  const real low = (real)8.6736173798840355e-19,
             high = (real)1.1529215046068470e18; /* 2^-60, 2^60 */
#if QN_IS_COMPLEX
  const real size = fmax(fabs(d.x), fabs(d.y));
#else
  const real size = fabs(d);
#endif
  return size >= low && size <= high;
}
