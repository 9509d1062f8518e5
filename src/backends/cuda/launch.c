/* CUDA launches: plain ones, with clusters, with more shared memory than a kernel has by default.
 */
#include "backends/cuda/cuda.h"

enum { DEFAULT_DYNAMIC = 48 << 10, PORTABLE_CLUSTER = 8 };

/* Raises the kernel's allowance of dynamic shared memory, never lowers it. */
static qn_status allow_dynamic(qn_bkernel *kernel, uint32_t bytes) {
  static pthread_mutex_t raising = PTHREAD_MUTEX_INITIALIZER;
  if (bytes <= DEFAULT_DYNAMIC || bytes <= atomic_load(&kernel->dynamic_local)) return QN_OK;
  qn_status status = QN_OK;
  pthread_mutex_lock(&raising);
  if (bytes > atomic_load(&kernel->dynamic_local)) {
    status = qn_cu_check(qn_cu.cuFuncSetAttribute(kernel->function,
                                                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  (int)bytes),
                         "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)");
    if (!status) atomic_store(&kernel->dynamic_local, bytes);
  }
  pthread_mutex_unlock(&raising);
  return status;
}

static qn_status allow_cluster(qn_bkernel *kernel, unsigned blocks) {
  if (blocks <= PORTABLE_CLUSTER || atomic_load(&kernel->wide_cluster)) return QN_OK;
  qn_status status =
      qn_cu_check(qn_cu.cuFuncSetAttribute(kernel->function,
                                           CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                  "cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)");
  if (!status) atomic_store(&kernel->wide_cluster, true);
  return status;
}

static unsigned at_least_one(uint32_t n) {
  return n ? n : 1;
}

static CUlaunchAttribute cluster_attribute(const qn_launch *l) {
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  a.value.clusterDim.x = at_least_one(l->cluster[0]);
  a.value.clusterDim.y = at_least_one(l->cluster[1]);
  a.value.clusterDim.z = at_least_one(l->cluster[2]);
  return a;
}

static CUlaunchAttribute early_attribute(void) {
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
  a.value.programmaticStreamSerializationAllowed = 1;
  return a;
}

static unsigned cluster_blocks(const qn_launch *l) {
  return at_least_one(l->cluster[0]) * at_least_one(l->cluster[1]) * at_least_one(l->cluster[2]);
}

static qn_status launch_extended(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *l,
                                 bool early, void **params) {
  if (!qn_cu.cuLaunchKernelEx)
    return qn_fail(QN_EUNSUPPORTED, "cuLaunchKernelEx", "the driver is older than CUDA 11.8");
  CUlaunchAttribute attributes[2];
  unsigned count = 0;
  if (cluster_blocks(l) > 1) attributes[count++] = cluster_attribute(l);
  if (early) attributes[count++] = early_attribute();
  qn_status status = allow_cluster(kernel, cluster_blocks(l));
  if (status) return status;
  CUlaunchConfig config = {.gridDimX = l->groups[0],
                           .gridDimY = l->groups[1],
                           .gridDimZ = l->groups[2],
                           .blockDimX = l->group[0],
                           .blockDimY = l->group[1],
                           .blockDimZ = l->group[2],
                           .sharedMemBytes = l->dynamic_local,
                           .hStream = stream->stream,
                           .attrs = attributes,
                           .numAttrs = count};
  return qn_cu_check(qn_cu.cuLaunchKernelEx(&config, kernel->function, params, NULL),
                     "cuLaunchKernelEx");
}

static qn_status launch_plain(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *l,
                              void **params) {
  return qn_cu_check(qn_cu.cuLaunchKernel(kernel->function, l->groups[0], l->groups[1],
                                          l->groups[2], l->group[0], l->group[1], l->group[2],
                                          l->dynamic_local, stream->stream, params, NULL),
                     "cuLaunchKernel");
}

qn_status qn_cu_launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                       const qn_arg *args, unsigned count) {
  void *params[QN_MAX_KERNEL_ARGS];
  for (unsigned i = 0; i < count; i++) {
    if (args[i].kind == QN_ARG_LOCAL)
      return qn_fail(QN_EUNSUPPORTED, "cuLaunchKernel",
                     "argument %u: CUDA takes no local memory as an argument", i);
    /* the driver copies the values before it returns */
    params[i] = args[i].kind == QN_ARG_MEM ? (void *)&args[i].mem : (void *)args[i].value;
  }
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  status = allow_dynamic(kernel, launch->dynamic_local);
  bool early = launch->early && atomic_load(&stream->ends_in_kernel);
  if (!status)
    status = early || cluster_blocks(launch) > 1
                 ? launch_extended(stream, kernel, launch, early, params)
                 : launch_plain(stream, kernel, launch, params);
  atomic_store(&stream->ends_in_kernel, status == QN_OK && stream->owned);
  return qn_cu_leave(status);
}
