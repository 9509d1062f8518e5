/* A cuBLAS that works on the memory of the fake driver, which is the host's: gemm, trsm and
 * trmm in f64 alone. */
#include <stdlib.h>

static void *stream_set;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasGetVersion_v2(void *handle, int *version);
int cublasDgemm_v2(void *handle, int transa, int transb, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc);

int cublasCreate_v2(void **handle) {
  *handle = malloc(1);
  return getenv("FAKE_CUBLAS_BROKEN") ? 1 : 0;
}
int cublasDestroy_v2(void *handle) {
  free(handle);
  return 0;
}
int cublasSetStream_v2(void *handle, void *stream) {
  (void)handle;
  stream_set = stream;
  return 0;
}
int cublasGetVersion_v2(void *handle, int *version) {
  (void)handle;
  *version = 990807;
  return 0;
}

int cublasDgemm_v2(void *handle, int transa, int transb, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc) {
  if (!handle || !stream_set) return 1;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0.0;
      for (int l = 0; l < k; l++)
        sum += (transa ? a[l + (long)i * lda] : a[i + (long)l * lda]) *
               (transb ? b[j + (long)l * ldb] : b[l + (long)j * ldb]);
      double *out = &c[i + (long)j * ldc];
      *out = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * *out);
    }
  }
  return 0;
}

/* Element (i, k) of the triangle op(A) and its place among the lower or the upper half. */
static double element(const double *a, int lda, int upper, int trans, int unit, int i, int k) {
  const int row = trans ? k : i, col = trans ? i : k;
  if (row == col) return unit ? 1.0 : a[row + (long)col * lda];
  return (row < col) == upper ? a[row + (long)col * lda] : 0.0;
}

int cublasDtrmm_v2(void *handle, int side, int uplo, int trans, int diag, int m, int n,
                   const double *alpha, const double *a, int lda, const double *b, int ldb,
                   double *c, int ldc);
int cublasDtrsm_v2(void *handle, int side, int uplo, int trans, int diag, int m, int n,
                   const double *alpha, const double *a, int lda, double *b, int ldb);

int cublasDtrmm_v2(void *handle, int side, int uplo, int trans, int diag, int m, int n,
                   const double *alpha, const double *a, int lda, const double *b, int ldb,
                   double *c, int ldc) {
  if (!handle || !stream_set || ldb != ldc) return 1;
  const int order = side ? n : m, others = side ? m : n;
  double *sums = malloc(sizeof *sums * (size_t)order);
  for (int j = 0; j < others; j++) {
    const long step = side ? ldb : 1, first = side ? j : (long)j * ldb;
    for (int i = 0; i < order; i++) {
      sums[i] = 0.0;
      for (int k = 0; k < order; k++)
        sums[i] += (side ? element(a, lda, uplo, trans, diag, k, i)
                         : element(a, lda, uplo, trans, diag, i, k)) *
                   b[first + k * step];
    }
    for (int i = 0; i < order; i++) c[first + i * step] = *alpha * sums[i];
  }
  free(sums);
  return 0;
}

/* By as many sweeps as there are unknowns: after sweep s the first s of the solve are final. */
int cublasDtrsm_v2(void *handle, int side, int uplo, int trans, int diag, int m, int n,
                   const double *alpha, const double *a, int lda, double *b, int ldb) {
  if (!handle || !stream_set) return 1;
  const int order = side ? n : m, others = side ? m : n;
  double *x = malloc(2 * sizeof *x * (size_t)order), *right = x + order;
  for (int j = 0; j < others; j++) {
    const long step = side ? ldb : 1, first = side ? j : (long)j * ldb;
    for (int i = 0; i < order; i++) right[i] = *alpha * b[first + i * step], x[i] = 0.0;
    for (int sweep = 0; sweep < order; sweep++) {
      for (int i = 0; i < order; i++) {
        double sum = right[i], d = 1.0;
        for (int k = 0; k < order; k++) {
          const double e = side ? element(a, lda, uplo, trans, diag, k, i)
                                : element(a, lda, uplo, trans, diag, i, k);
          if (k == i)
            d = e;
          else
            sum -= e * x[k];
        }
        x[i] = sum / d;
      }
    }
    for (int i = 0; i < order; i++) b[first + i * step] = x[i];
  }
  free(x);
  return 0;
}
