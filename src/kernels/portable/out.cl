/* How a sum becomes an element of C: x := alpha sum + beta x, with x unread where beta is 0, and the
 * epilogue of that. Needs element.cl; with C_F32 = 1 C is f32 though the operands are halves. */
#include "portable/epilogue.cl"

#if C_F32
typedef float out;
#define out_load(e)  (e)
#define out_store(x) (x)
#else
typedef elem out;
#define out_load(e)  acc_load(e)
#define out_store(x) acc_store(x)
#endif

/* What element (row, col) of C, at x, becomes before it is rounded. */
QN_DEV acc out_value(QN_GLOBAL const out *x, acc alpha, acc sum, acc beta, qn_i64 row,
                     qn_i64 col EPILOGUE_PARAMS) {
  acc r = acc_mul(alpha, sum), old = acc_zero();
  if (EPILOGUE_READS_C || !acc_is_zero(beta)) {
    old = out_load(*x);
    if (!acc_is_zero(beta)) r = acc_fma(beta, old, r);
  }
  return epilogue_apply(r, old, row, col EPILOGUE_PASS);
}

QN_DEV void out_update(QN_GLOBAL out *x, acc alpha, acc sum, acc beta, qn_i64 row,
                       qn_i64 col EPILOGUE_PARAMS) {
  *x = out_store(out_value(x, alpha, sum, beta, row, col EPILOGUE_PASS));
}
