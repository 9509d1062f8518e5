/* The product that several rows measure. */
#ifndef PROBE_MATMUL_H
#define PROBE_MATMUL_H

#include "probe/work.h"

/* C = A B of order n, by rows, of noise; a bias for each column of C. */
typedef struct probe_product {
  int64_t n;
  qn_buffer *a, *b, *bias, *c;
} probe_product;

probe_product probe_product_make(probe *p);
/* matmul_tiled; `fused` adds the bias and takes max(., 0). */
probe_launch probe_product_tiled(probe *p, const probe_product *m, int tile, bool fused);
/* What the banks of local memory move for that. Beside an operation stand an element of B, of which
 * 32 neighbours read a row of the banks, and one of A, which they share: the compiler reads four of
 * those at once, so that it takes a quarter of a row. Each element is also written once. */
double probe_tiled_local_bytes(int64_t n, int tile);
/* Some rows of C against f64; `finished` with bias and ReLU. */
void probe_check_product(probe *p, probe_figure *f, const float *c, int64_t n, bool finished);

#endif
