/* A cuBLAS that works on the memory of the fake driver, which is the host's: gemm in f64 alone. */
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
