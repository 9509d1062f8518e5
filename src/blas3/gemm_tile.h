/* One compiled tile of GEMM, and the host driver that all of them share. */
#ifndef QN_BLAS3_GEMM_TILE_H
#define QN_BLAS3_GEMM_TILE_H

#include "blas3/device_arch.h"
#include "blas3/launch.h"
#include "blas3/target.h"

/* `rate` is what a multiprocessor of the H200 (1.98 GHz) reaches with it on large products, in 1e9
 * multiply-adds a second, compiled by NVIDIA's OpenCL and by NVRTC: their schedules differ by up to
 * 12 %, one way for one tile and the other way for another. Elsewhere the ratios still rank. */
typedef struct qn_gemm_tile {
  qn_kernel_text text;
  double rate, cuda_rate;
  int bm, bn, bk, threads;
  int resident;            /* groups on a multiprocessor at a time */
  int stages, stage_bytes; /* of the pipelined kernels of src/kernels/cuda; 0 of others */
  bool stays;              /* likewise: a group may take more than one tile */
  bool room;               /* likewise: for the sums of a cluster there is room behind the stages */
} qn_gemm_tile;

/* On sm_90 a group of a pipelined kernel has so many items more than multiply. */
enum { QN_GEMM_COPIERS = 128 };

#define QN_GEMM_TILE_MACROS                                                                        \
  { "QN_T", "C_F32", "TRANSA", "TRANSB", "QN_SM", "EPILOGUE_F32", "TRIANGLE" }

/* Whether the stages of a pipelined tile have room in shared memory. */
bool qn_gemm_tile_fits(const qn_stream *stream, const qn_gemm_tile *t, qn_dtype dtype);
double qn_gemm_tile_cost(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t);
qn_status qn_gemm_tile_launch(qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t);

/* Defines qn_gemm_<variant>: `serves` says whether `chosen`, its tile, can do a problem. */
#define QN_GEMM_TILE_VARIANT(variant, name, lacks, serves, chosen)                                 \
  static bool variant##_applicable(const qn_stream *stream, const qn_gemm_problem *g) {            \
    return serves(stream, g, chosen);                                                              \
  }                                                                                                \
  static double variant##_cost(const qn_stream *stream, const qn_gemm_problem *g) {                \
    return qn_gemm_tile_cost(stream, g, chosen);                                                   \
  }                                                                                                \
  static qn_status variant##_launch(qn_stream *stream, const qn_gemm_problem *g) {                 \
    return qn_gemm_tile_launch(stream, g, chosen);                                                 \
  }                                                                                                \
  const qn_gemm_variant qn_gemm_##variant = {                                                      \
      name, NULL, variant##_applicable, variant##_cost, variant##_launch, lacks}

#endif
