/* Y := f(X), element by element; X may be Y itself. Grid: x along the rows, an
 * item a row; y along the columns, any number of groups.
 *
 * Macros: QN_T; MAP, the number of a qn_map (quern/matrix.h). */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/modulus.cl"

#if MAP == 0
#define f(x) acc_sub(acc_zero(), x)
#elif MAP == 1
#define f(x) acc_conj(x)
#elif MAP == 2
#define f(x) acc_make(acc_modulus(x), (real)0)
#elif MAP == 3
#define f(x) acc_mul(x, x)
#elif MAP == 4
#define f(x) acc_div(acc_make((real)1, (real)0), x)
#elif MAP == 5
#define f(x) sqrt(x)
#elif MAP == 6
#define f(x) exp(x)
#elif MAP == 7
#define f(x) log(x)
#elif MAP == 8
#define f(x) tanh(x)
#elif MAP == 9
#define f(x) ((x) < 0 ? (acc)0 : (x)) /* a NaN stays */
#endif

QN_KERNEL QN_WG_SIZE(64, 1, 1) void
map(qn_i64 m, qn_i64 n, QN_GLOBAL const elem *x, qn_i64 off_x, qn_i64 ldx, QN_GLOBAL elem *y,
    qn_i64 off_y, qn_i64 ldy) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  if (i >= m) return;
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1)) {
    const acc value = acc_load(x[off_x + i + j * ldx]);
    y[off_y + i + j * ldy] = acc_store(f(value));
  }
}
