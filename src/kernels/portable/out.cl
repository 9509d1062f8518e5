/* How a sum becomes an element of C: x := alpha sum + beta x, with x unread where beta is 0. Needs
 * element.cl; with C_F32 = 1 C is f32 though the operands are halves. */
#if C_F32
typedef float out;
#define out_load(e)  (e)
#define out_store(x) (x)
#else
typedef elem out;
#define out_load(e)  acc_load(e)
#define out_store(x) acc_store(x)
#endif

QN_DEV void out_update(QN_GLOBAL out *x, acc alpha, acc sum, acc beta) {
  acc r = acc_mul(alpha, sum);
  if (!acc_is_zero(beta)) r = acc_fma(beta, out_load(*x), r);
  *x = out_store(r);
}
