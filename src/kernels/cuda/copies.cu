/* Copies to shared memory that do not wait and may end in zeros (sm_80 on). Needs prelude.cl. */

/* 4, 8 or 16 bytes, of which the first `valid` are read and the others become zero. Both addresses
 * are multiples of `size`. */
#define copy_async(to, from, size, valid)                                                          \
  asm volatile(                                                                                    \
      "cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((qn_u32)__cvta_generic_to_shared(to)), \
      "l"(from), "n"(size), "r"(valid)                                                             \
      : "memory")

/* Ends a batch of this thread's copies; copy_wait(n) waits until all but the last n batches are
 * there. */
#define copy_commit() asm volatile("cp.async.commit_group;" ::: "memory")
#define copy_wait(n)  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
