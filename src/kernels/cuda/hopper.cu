/* What sm_90a has beyond C: the copy engine, its barriers, clusters. Needs prelude.cl.
 *
 * A barrier in shared memory counts arrivals and bytes. Its phase ends when both are complete; a
 * wait names the parity of the phase, 0 for the first. Addresses of shared memory are 32-bit. */

QN_DEV qn_u32 shared_of(const void *p) {
  return (qn_u32)__cvta_generic_to_shared(p);
}

/* ---- barriers ---- */

QN_DEV void barrier_init(qn_u32 barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Barriers just made are seen by the copy engine and by the cluster. */
QN_DEV void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

QN_DEV void barrier_arrive(qn_u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* One arrival, and `bytes` more to come. */
QN_DEV void barrier_arrive_bytes(qn_u32 barrier, qn_u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/* At the same barrier of block `rank` of the cluster. No scope of the cluster is asked for: that
 * would be a fence of all memory, and what is told here is only that wgmma has read. */
QN_DEV void barrier_arrive_at(qn_u32 barrier, int rank) {
  asm volatile("{\n .reg .b32 there;\n"
               " mapa.shared::cluster.u32 there, %0, %1;\n"
               " mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
               "r"(rank)
               : "memory");
}

QN_DEV int barrier_try(qn_u32 barrier, int parity) {
  int done;
  asm volatile("{\n .reg .pred done;\n"
               " mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
               " selp.s32 %0, 1, 0, done;\n}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done;
}

/* QN_SPIN_LIMIT, for work on kernels: a wait without end becomes a fault. */
QN_DEV void barrier_wait(qn_u32 barrier, int parity) {
#ifdef QN_SPIN_LIMIT
  for (int spin = 0; !barrier_try(barrier, parity); spin++)
    if (spin > QN_SPIN_LIMIT) __trap();
#else
  while (!barrier_try(barrier, parity)) {
  }
#endif
}

/* Of `threads` threads of the block that name the same `id` (1 to 15). */
QN_DEV void named_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* ---- launches that begin early (qn_launch) ---- */

/* Until the launch ahead of this one is over and what it wrote is there. */
QN_DEV void launch_wait() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* The launch behind this one may take multiprocessors as they fall free. */
QN_DEV void launch_next() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* ---- clusters ---- */

QN_DEV int cluster_rank() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

QN_DEV void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

QN_DEV void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

QN_DEV void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

/* Four numbers to where `address` is in block `rank`; their bytes arrive at its `barrier`. */
QN_DEV void send_quad(qn_u32 address, qn_u32 barrier, int rank, const float *x) {
  asm volatile("{\n .reg .b32 there, counts;\n"
               " mapa.shared::cluster.u32 there, %0, %2;\n"
               " mapa.shared::cluster.u32 counts, %1, %2;\n"
               " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [there], "
               "{%3, %4, %5, %6}, [counts];\n}" ::"r"(address),
               "r"(barrier), "r"(rank), "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
               : "memory");
}

/* ---- the copy engine ---- */

/* A tensor map: made by the host, 128 bytes that only the copy engine reads. */
typedef struct __align__(64) tensor_map {
  qn_u64 opaque[16];
}
tensor_map;

QN_DEV void map_prefetch(const tensor_map *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* The box at (x, y) of a matrix to shared memory; its bytes arrive at `barrier`. */
QN_DEV void box_load(qn_u32 to, const tensor_map *map, int x, int y, qn_u32 barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

/* To the same place in every block of the cluster that has its bit in `blocks`. */
QN_DEV void box_load_many(qn_u32 to, const tensor_map *map, int x, int y, qn_u32 barrier,
                          int blocks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((short)blocks)
               : "memory");
}

/* The box at (x, y) from shared memory; what lies outside the matrix is left out. */
QN_DEV void box_store(const tensor_map *map, int x, int y, qn_u32 from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(from)
      : "memory");
}

/* What this thread has stored since the last such end is a group, be it nothing. */
QN_DEV void box_store_end() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until all but the last `pending` groups of this thread have read shared memory. */
#define box_store_wait(pending)                                                                    \
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory")

/* Before the copy engine or the tensor cores read what this thread has written. */
QN_DEV void async_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- roles ---- */

#define registers_give(count) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count))
#define registers_take(count) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count))
