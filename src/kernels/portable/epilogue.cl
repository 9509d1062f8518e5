/* What is done to an element before it is stored: nothing. For a product with an epilogue, text that
 * is made from its expression (src/blas3/epilogue_text.c) stands in the place of this file; the same
 * words then have these meanings:
 *
 *   EPILOGUE_READS_C   1: epilogue_apply wants what C held before; 0: it may be given anything
 *   EPILOGUE_PARAMS    parameters, each with a comma before it: kernels and functions on the way to
 *                      the store put it behind their own last one
 *   EPILOGUE_PASS      the same as arguments of a call
 *   acc epilogue_apply(acc value, acc c, qn_i64 row, qn_i64 col EPILOGUE_PARAMS)
 *                      what is to be rounded and stored, from value = alpha sum + beta c
 *
 * Host: qn_call_epilogue adds the arguments behind the kernel's own, and the form names the text and
 * has EPILOGUE_F32 among its macros: bit i for matrix i (bias_m, bias_n, residual, operands) that is
 * f32 where QN_T is a half. Needs element.cl. */
#define EPILOGUE_READS_C 0
#define EPILOGUE_PARAMS
#define EPILOGUE_PASS
#define epilogue_apply(value, c, row, col) (value)
