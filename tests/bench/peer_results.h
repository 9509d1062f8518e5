/* What tests of peers on devices share. */
#ifndef TESTS_BENCH_PEER_RESULTS_H
#define TESTS_BENCH_PEER_RESULTS_H

#include "bench/peer.h"

/* Small products, solves and products of triangles by all letters, each judged by its residual. */
void check_peer_results(const bench_peer *peer, qn_device *device, qn_dtype dtype);
/* One product, with complex scalars where the type is complex. */
void check_peer_product(const bench_peer *peer, qn_device *device, qn_dtype dtype);

#endif
