/* What is done to an element before it is stored: nothing. For a product with an epilogue, text
 * that is made from its expression (src/blas3/epilogue_text.c) stands in the place of this file;
 * the same words then have these meanings:
 *
 *   EPILOGUE_READS_C   1: epilogue_apply wants what C held before; 0: it may be given anything
 *   EPILOGUE_PARAMS    parameters, each with a comma before it: kernels and functions on the way to
 *                      the store put it behind their own last one
 *   EPILOGUE_PASS      the same as arguments of a call
 *   acc epilogue_apply(acc value, acc c, qn_i64 row, qn_i64 col EPILOGUE_PARAMS)
 *                      what is to be rounded and stored, from value = alpha sum + beta c
 *
 *   EPILOGUE_LIGHT     1: short straight code of value, bias_m and bias_n alone, that a kernel may
 *                      put into its registers many times over, by these words:
 *   acc epilogue_light(acc value, acc bias_m, acc bias_n EPILOGUE_PARAMS)
 *   EPILOGUE_BIAS_M, EPILOGUE_BIAS_N    1: that one counts, 0: it may be anything
 *   acc epilogue_bias_m(qn_i64 row EPILOGUE_PARAMS)
 *   acc epilogue_bias_n(qn_i64 col EPILOGUE_PARAMS)
 *
 * Host: qn_call_epilogue adds the arguments behind the kernel's own, and the form names the text
 * and has EPILOGUE_F32 among its macros: bit i for matrix i (bias_m, bias_n, residual, operands)
 * that is f32 where QN_T is a half. Needs element.cl. */
#define EPILOGUE_READS_C 0
#define EPILOGUE_PARAMS
#define EPILOGUE_PASS
#define epilogue_apply(value, c, row, col)    (value)
#define EPILOGUE_LIGHT                        1
#define EPILOGUE_BIAS_M                       0
#define EPILOGUE_BIAS_N                       0
#define epilogue_light(value, bias_m, bias_n) (value)
#define epilogue_bias_m(row)                  ((void)(row), acc_zero())
#define epilogue_bias_n(col)                  ((void)(col), acc_zero())
