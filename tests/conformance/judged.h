/* Whose routines are judged: ours or, with QUERN_TEST_PEER=NAME, those of a library that
 * bench/peer.h finds, such as cblas or cublas with cuSOLVER. A peer's scores are shown and fail
 * nothing. */
#ifndef JUDGED_H
#define JUDGED_H

#include <quern/quern.h>

/* The stream to work on: the peer's, or a new one. Leaves the program as skipped (77) when there is
 * no such peer. */
bool judged_open(qn_device *device, qn_stream **stream);
void judged_close(void);
bool peer_judged(void);
/* Whether the peer, if it is one that is judged, has its routines in the dtype. */
bool judged_has(qn_dtype dtype);

/* As qn_gemm, qn_trmm, qn_trsm and qn_potrf; a peer's potrf gives no info. */
qn_status judged_gemm(qn_stream *stream, qn_trans transa, qn_trans transb, qn_scalar alpha,
                      qn_matrix a, qn_matrix b, qn_scalar beta, qn_matrix c);
qn_status judged_trmm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                      qn_scalar alpha, qn_matrix a, qn_matrix b);
qn_status judged_trsm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                      qn_scalar alpha, qn_matrix a, qn_matrix b);
qn_status judged_potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t *info);

#endif
