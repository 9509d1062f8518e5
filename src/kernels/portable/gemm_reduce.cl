/* C := alpha (sum of the parts) + beta C: ends a product whose k was split among groups, in the
 * order of the parts. One item an element; grid x along m, y along n (any number of groups). */
QN_KERNEL QN_WG_SIZE(64, 1, 1) void
gemm_reduce(qn_i64 m, qn_i64 n, int parts, int region, elem alpha,
            QN_GLOBAL const elem *QN_RESTRICT work, elem beta, QN_GLOBAL elem *QN_RESTRICT c,
            qn_i64 off_c, qn_i64 ldc) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1)) {
    if (i >= m || (region == 1 && i < j) || (region == 2 && i > j)) continue;
    elem sum = work[j * m + i];
    for (int z = 1; z < parts; z++) {
      const elem more = work[(z * n + j) * m + i];
#ifdef QN_COMPLEX
      sum.x += more.x;
      sum.y += more.y;
#else
      sum += more;
#endif
    }
    QN_GLOBAL elem *x = c + off_c + i + j * ldc;
    elem r = qn_mul(alpha, sum);
    if (!IS_ZERO(beta)) MUL_ADD(r, beta, *x);
    *x = r;
  }
}
