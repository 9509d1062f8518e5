/* C := alpha op(A) op(B) + beta C on the cpu: the cases that need no product, and which way the
 * others go. */
#include "backends/cpu/gemm.h"
#include "backends/cpu/cpu.h"

qn_element qn_element_of(qn_dtype compute, qn_scalar x) {
  qn_element e;
  if (compute == QN_F32 || compute == QN_C64) {
    e.f32[0] = (float)x.re;
    e.f32[1] = compute == QN_C64 ? (float)x.im : 0;
  } else {
    e.f64[0] = x.re;
    e.f64[1] = compute == QN_C128 ? x.im : 0;
  }
  return e;
}

qn_product qn_product_of(const qn_cpu_gemm *p) {
  qn_dtype compute = qn_dtype_compute(p->dtype);
  bool complex = qn_dtype_is_complex(compute);
  return (qn_product){
      .kernels = &qn_cpu_isa_get()->dtype[p->dtype],
      .blocking = qn_cpu_blocking(compute),
      .m = p->c.rows,
      .n = p->c.cols,
      .k = p->transa == QN_NOTRANS ? p->a.cols : p->a.rows,
      .a_size = qn_dtype_size(p->dtype),
      .c_size = qn_dtype_size(compute),
      .step_factor = complex ? 2 : 1,
      .a = {p->a.data, p->a.ld, p->transa != QN_NOTRANS, complex && p->transa == QN_CONJTRANS},
      .b = {p->b.data, p->b.ld, p->transb == QN_NOTRANS, complex && p->transb == QN_CONJTRANS},
      .alpha = qn_element_of(compute, p->alpha),
      .beta = qn_element_of(compute, p->beta),
      .one = qn_element_of(compute, qn_real(1)),
      .c = p->c.data,
      .ldc = p->c.ld,
      .region = p->region,
      .epilogue = p->epilogue,
      .dtype = p->dtype,
  };
}

/* Whether C may hold sums before the last of them are in. */
static bool in_place(const qn_cpu_gemm *p) {
  if (qn_dtype_is_half(p->ctype)) return false;
  return !p->epilogue ||
         (qn_gemm_has_product(p) && !qn_epilogue_reads(p->epilogue->program, QN_SLOT_C));
}

qn_status qn_cpu_gemm_run(const qn_cpu_gemm *p) {
  if (p->c.rows <= 0 || p->c.cols <= 0) return QN_OK;
  if (!qn_gemm_has_product(p) && !p->epilogue) {
    qn_cpu_scale_region(p->ctype, p->beta, p->c, p->region);
    return QN_OK;
  }
  if (!in_place(p)) return qn_gemm_aside(p);
  qn_product product = qn_product_of(p);
  return qn_product_run(&product);
}
