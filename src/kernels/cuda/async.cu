/* Copies from global to shared memory that pass by no register and are awaited in groups (sm_80
 * on), and clusters of groups that read one another's shared memory (sm_90 on). Needs prelude.cl
 * and element.cl. */

typedef qn_u32 shared_place; /* an address in shared memory, in bytes */

QN_DEV shared_place shared_of(const void *p) {
  return (shared_place)__cvta_generic_to_shared(p);
}

/* 16 bytes, both sides aligned to them. */
QN_DEV void copy_vector(shared_place to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

/* `bytes` is a constant 4, 8 or 16. */
#define copy_bytes(to, from, bytes)                                                                \
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes))
/* Zeros where `there` is 0; `from` is then not read. */
#define copy_bytes_if(to, from, bytes, there)                                                      \
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes),   \
               "r"((there) ? (int)(bytes) : 0))

/* Two doubles of global memory, 16 bytes aligned; behind what stands ahead of it. */
QN_DEV void load_pair(double *x, double *y, const void *from) {
  asm volatile("ld.global.v2.f64 {%0, %1}, [%2];" : "=d"(*x), "=d"(*y) : "l"(from));
}

/* To and from shared memory, not to be merged with another. */
QN_DEV void store_double(shared_place to, double x) {
  asm volatile("st.shared.f64 [%0], %1;" ::"r"(to), "d"(x));
}
QN_DEV void read_anew_16(double to[2], shared_place from) {
  asm volatile("ld.volatile.shared.v2.f64 {%0, %1}, [%2];" : "=d"(to[0]), "=d"(to[1]) : "r"(from));
}

/* A line of memory to the last cache. */
QN_DEV void prefetch_line(const void *p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/* What was started since the last commit is one group; waits until all but `n` groups are there. */
#define copies_commit() asm volatile("cp.async.commit_group;")
#define copies_wait(n)  asm volatile("cp.async.wait_group %0;" ::"n"(n))

/* The value of x, from here on unknown to the compiler: it is kept rather than worked out anew, and
 * what follows from it is not worked out ahead of a loop, where it would fill registers. */
QN_DEV int opaque(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

/* Likewise. NVRTC 13.0 merges the addresses of two branches that begin at one pointer, and has been
 * seen to leave some of them undefined. */
QN_DEV const elem *opaque_address(const elem *x) {
  asm volatile("" : "+l"(x));
  return x;
}

/* The assembler moves reads up as far as registers are free, and products down behind them, but
 * neither over a branch. Here is one that is not taken; `x`, not negative, is what it cannot know.
 */
QN_DEV void parting(int x) {
  asm volatile(
      "{\n.reg .pred never;\nsetp.lt.s32 never, %0, 0;\n@never nanosleep.u32 1;\n}" ::"r"(x)
      : "memory");
}

/* One lane arrives for its warp, behind a barrier of the warp, and copies arrive by themselves when
 * they are there. Racecheck takes neither for an order between reads and writes of a stage; for it
 * alone all lanes arrive, and copiers once their copies are there. */
#define FOR_RACECHECK 0

#if QN_SM >= 90
/* Counters in shared memory that threads wait for. Each time `count` arrivals are complete its
 * phase, 0 at first, changes over; a wait is for the end of the phase of that parity. */
QN_DEV void counter_init(shared_place counter, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(counter), "r"(count));
}
QN_DEV void counter_arrive(shared_place counter) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(counter) : "memory");
}
QN_DEV void counter_arrive_if(shared_place counter, int here) {
  asm volatile("{\n.reg .pred here;\nsetp.ne.s32 here, %1, 0;\n"
               "@here mbarrier.arrive.shared.b64 _, [%0];\n}" ::"r"(counter),
               "r"(here)
               : "memory");
}
/* The thread's arrival, once all copies that it has started are there. */
QN_DEV void counter_arrive_copied(shared_place counter) {
#if FOR_RACECHECK
  copies_commit();
  copies_wait(0);
  counter_arrive(counter);
#else
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(counter) : "memory");
#endif
}
QN_DEV void counter_wait(shared_place counter, int parity) {
  asm volatile("{\n.reg .pred done;\n"
               "again:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
               "@!done bra again;\n}" ::"r"(counter),
               "r"(parity)
               : "memory");
}

/* Whether that phase has ended already. */
QN_DEV int counter_peek(shared_place counter, int parity) {
  int done;
  asm volatile("{\n.reg .pred done;\nmbarrier.test_wait.parity.shared.b64 done, [%1], %2;\n"
               "selp.s32 %0, 1, 0, done;\n}"
               : "=r"(done)
               : "r"(counter), "r"(parity)
               : "memory");
  return done;
}

/* Registers that a warp group (4 warps) gives back or takes. */
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define registers_release(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n))
#define registers_take(n)    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n))
#else
#define registers_release(n)
#define registers_take(n)
#endif

/* The current phase of a counter ends when so many bytes are there too; an arrival. */
QN_DEV void counter_expect(shared_place counter, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(counter), "r"(bytes)
               : "memory");
}

/* Counters just made are seen by the whole cluster. */
QN_DEV void counters_publish() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Relaxed: what it orders is the end of reads whose values have been used, in shared memory, before
 * writes of others, or counters that were published. A release would wait for all memory first. */
QN_DEV void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
QN_DEV void cluster_await() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* The same place in the shared memory of group `rank` of the cluster. */
QN_DEV shared_place cluster_place(shared_place own, int rank) {
  shared_place there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
  return there;
}

/* x, in f64 y too, to a place in another group's shared memory; the bytes count at a counter of
 * that group. */
QN_DEV void cluster_send(shared_place there, real x, real y, shared_place counter) {
#if QN_T == 3 || QN_T == 5
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 "
               "[%0], {%1, %2}, [%3];" ::"r"(there),
               "l"(__double_as_longlong(x)), "l"(__double_as_longlong(y)), "r"(counter)
               : "memory");
#else
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(there),
      "r"(__float_as_uint(x)), "r"(counter)
      : "memory");
#endif
}

/* 16 bytes likewise. */
QN_DEV void cluster_send_16(shared_place there, const float *x, shared_place counter) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 "
               "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(there),
               "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]), "r"(counter)
               : "memory");
}

/* Bytes of shared memory that the launch asked for. */
QN_DEV unsigned shared_size() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
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
#endif
