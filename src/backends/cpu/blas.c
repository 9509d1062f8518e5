/* A BLAS of this machine in place of our own products: cblas_?gemm of the library that
 * QUERN_CPU_BLAS names. It stays loaded, for it may have threads. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/gemm.h"
#include "core/core.h"
#include <dlfcn.h>
#include <string.h>

typedef void any_fn(void);
/* CBLAS takes the factors of real types by value, those of complex types by address. */
typedef void f32_fn(int order, int transa, int transb, int m, int n, int k, float alpha,
                    const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc);
typedef void f64_fn(int order, int transa, int transb, int m, int n, int k, double alpha,
                    const void *a, int lda, const void *b, int ldb, double beta, void *c, int ldc);
typedef void complex_fn(int order, int transa, int transb, int m, int n, int k, const void *alpha,
                        const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                        int ldc);

static any_fn *gemm_of[QN_DTYPE_COUNT];

static any_fn *find(void *library, const char *name) {
  void *address = dlsym(library, name);
  any_fn *function;
  memcpy(&function, &address, sizeof function);
  return function;
}

/* What speaks against the library, or NULL. One that is built on this one would call itself. */
static const char *take(const char *name) {
  static const char *const names[QN_DTYPE_COUNT] = {[QN_F32] = "cblas_sgemm",
                                                    [QN_F64] = "cblas_dgemm",
                                                    [QN_C64] = "cblas_cgemm",
                                                    [QN_C128] = "cblas_zgemm"};
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  any_fn *found[QN_DTYPE_COUNT] = {0};
  const char *why = dlsym(library, "qn_gemm") ? "it is made with quern itself" : NULL;
  for (int t = 0; t < QN_DTYPE_COUNT && !why; t++) {
    if (!names[t]) continue;
    found[t] = find(library, names[t]);
    if (!found[t]) why = "it is no CBLAS";
  }
  if (why) {
    dlclose(library);
  } else {
    memcpy(gemm_of, found, sizeof gemm_of);
    qn_log(QN_LOG_INFO, "products of the cpu go to %s", name);
  }
  return why;
}

bool qn_cpu_blas_load(void) {
  static const char *const candidates[] = {"libopenblas.so.0", "libmkl_rt.so.2", "libblis.so.4",
                                           "libcblas.so.3", "libblas.so.3"};
  const char *wanted = qn_env_string("QUERN_CPU_BLAS", NULL), *why = "no CBLAS is installed";
  if (!wanted) return false;
  if (strcmp(wanted, "auto") != 0) {
    why = take(wanted);
  } else {
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
      if (!take(candidates[i])) return true;
  }
  if (why) qn_log(QN_LOG_WARNING, "QUERN_CPU_BLAS=%s ignored: %s", wanted, why);
  return !why;
}

static int cblas_trans(qn_trans t) {
  return t == QN_NOTRANS ? 111 : t == QN_TRANS ? 112 : 113;
}

qn_status qn_cpu_blas_gemm(const qn_cpu_gemm *p) {
  enum { COLUMN_MAJOR = 102 };
  const int ta = cblas_trans(p->transa), tb = cblas_trans(p->transb);
  const int m = (int)p->c.rows, n = (int)p->c.cols;
  const int k = (int)(p->transa == QN_NOTRANS ? p->a.cols : p->a.rows);
  const int lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->c.ld;
  const qn_element alpha = qn_element_of(p->dtype, p->alpha),
                   beta = qn_element_of(p->dtype, p->beta);
  any_fn *gemm = gemm_of[p->dtype];
  if (p->dtype == QN_F32) {
    ((f32_fn *)gemm)(COLUMN_MAJOR, ta, tb, m, n, k, alpha.f32[0], p->a.data, lda, p->b.data, ldb,
                     beta.f32[0], p->c.data, ldc);
  } else if (p->dtype == QN_F64) {
    ((f64_fn *)gemm)(COLUMN_MAJOR, ta, tb, m, n, k, alpha.f64[0], p->a.data, lda, p->b.data, ldb,
                     beta.f64[0], p->c.data, ldc);
  } else {
    ((complex_fn *)gemm)(COLUMN_MAJOR, ta, tb, m, n, k, &alpha, p->a.data, lda, p->b.data, ldb,
                         &beta, p->c.data, ldc);
  }
  return QN_OK;
}
