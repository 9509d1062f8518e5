/* One form for every triangular problem: T lower, X its right-hand sides.
 *
 *           n             m
 *        +-----+     +---------+
 *      n | \   |   n |    X    |      solve    T X = alpha B      row 0 first
 *        | T \ |     |         |      product  X = alpha T B      row n-1 first
 *        +-----+     +---------+
 *
 * Sides, triangles and transposes differ only in where element (i, j) stands, that is in a base
 * address and two strides, any of which may be negative:
 *
 *   right side   X op(A) = B  is  op(A)^T X^T = B^T     swaps the strides of B, transposes A
 *   transpose                                           swaps the strides of A
 *   upper        rows and columns counted from the end  negates the strides of A, and B's of rows
 */
#ifndef QN_TRI_FORM_H
#define QN_TRI_FORM_H

#include "device/cpu_ops.h"

typedef struct qn_tri_form {
  qn_dtype dtype;
  const void *a;    /* T(0, 0) */
  ptrdiff_t ai, aj; /* elements from T(i, j) to T(i+1, j), to T(i, j+1) */
  bool conj, unit;  /* take the conjugate of A's elements; the diagonal is one, and not read */
  void *b;          /* X(0, 0) */
  ptrdiff_t bi, bj;
  int64_t n, m;
  qn_scalar alpha;
} qn_tri_form;

qn_tri_form qn_tri_form_of(const qn_cpu_triangular *p);

#endif
