/* |z| without overflow on the way. Needs element.cl. */
#if QN_IS_COMPLEX
#define acc_modulus(z) hypot((z).x, (z).y)
#else
#define acc_modulus(z) fabs(z)
#endif
