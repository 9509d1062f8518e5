/* A BLAS with known manners: gemm in f64 alone. FAKE_CBLAS_WRONG=N spoils the result of call N,
 * 0 of every one; openblas_get_config makes it pass for a version that does not exist. */
#include <stdlib.h>

static int threads, calls;

char *openblas_get_config(void) {
  return "OpenBLAS 9.9.9 FAKE";
}
char *openblas_get_corename(void) {
  return "Paper";
}
void openblas_set_num_threads(int count) {
  threads = count;
}
int fake_threads(void) {
  return threads;
}
int fake_calls(void) {
  return calls;
}

static int spoiled(void) {
  const char *text = getenv("FAKE_CBLAS_WRONG");
  calls++;
  return text && (atoi(text) == 0 || atoi(text) == calls);
}

void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);

void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc) {
  const int plain = 111, column_major = 102;
  if (order != column_major) abort();
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0.0;
      for (int l = 0; l < k; l++)
        sum += (transa == plain ? a[i + (long)l * lda] : a[l + (long)i * lda]) *
               (transb == plain ? b[l + (long)j * ldb] : b[j + (long)l * ldb]);
      double *out = &c[i + (long)j * ldc];
      *out = alpha * sum + (beta == 0.0 ? 0.0 : beta * *out);
    }
  }
  if (spoiled()) c[0] += 1.0;
}
