/* Which instruction set runs, and the block sizes that suit this machine's caches. */
#include "backends/cpu/kernels.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Not every compiler knows f16c by name; leaf 1 tells. The system's care for the registers is in
 * the answer for avx2. */
static bool f16c_here(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static bool avx2_here(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && f16c_here();
}

static bool avx512_here(void) {
  return avx2_here() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/* The variants that this machine runs, best first; returns how many. */
static int variants(const qn_cpu_isa *list[3]) {
  int count = 0;
#if defined(__x86_64__)
  if (avx512_here()) list[count++] = &qn_cpu_isa_avx512;
  if (avx2_here()) list[count++] = &qn_cpu_isa_avx2;
#elif defined(__aarch64__)
  list[count++] = &qn_cpu_isa_neon;
#endif
  list[count++] = &qn_cpu_isa_plain;
  return count;
}

const qn_cpu_isa *qn_cpu_isa_find(const char *name) {
  const qn_cpu_isa *list[3];
  int count = variants(list);
  for (int i = 0; i < count; i++) {
    if (strcmp(list[i]->name, name) == 0) return list[i];
  }
  return NULL;
}

/* ---- chosen once ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const qn_cpu_isa *chosen;
static qn_blocking blockings[QN_DTYPE_COUNT];

static int64_t cache_size(int name, int64_t fallback) {
  long size = sysconf(name);
  return size > 0 ? size : fallback;
}

/* `size`: bytes of an element of the panels. A panel of B takes the first-level cache and is read
 * from there for every panel of an A block, which takes most of the second: the longer k is, the
 * less often C is read and written; the more rows, the less often B comes from far. B's block holds
 * 1024 columns of 512 steps in f64, with what rounding adds. */
static qn_blocking blocking_of(const qn_tile_kernels *tile, int64_t size, int64_t l1, int64_t l2) {
  int64_t mr = tile->mr, nr = tile->nr;
  int64_t kc = qn_min64(l1 / (nr * size) / 8 * 8, 512);
  int64_t step = kc * size, last = (int64_t)4608 << 10;
  return (qn_blocking){.mc = qn_max64(l2 * 5 / 8 / step / mr, 1) * mr,
                       .kc = kc,
                       .nc = qn_max64(last / step / nr, 1) * nr,
                       .strip = qn_max64(l2 / 2 / step / nr, 1) * nr};
}

static void choose(void) {
  const qn_cpu_isa *list[3];
  variants(list);
  chosen = list[0];
  const char *name = qn_env_string("QUERN_CPU_ISA", NULL);
  if (name) {
    const qn_cpu_isa *forced = qn_cpu_isa_find(name);
    if (forced) {
      chosen = forced;
    } else {
      qn_log(QN_LOG_WARNING, "QUERN_CPU_ISA=%s ignored: not an instruction set of this machine",
             name);
    }
  }
  int64_t l1 = cache_size(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  int64_t l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    int64_t size = (int64_t)qn_dtype_size(qn_dtype_compute((qn_dtype)t));
    blockings[t] = blocking_of(&chosen->dtype[t], size, l1, l2);
  }
}

const qn_cpu_isa *qn_cpu_isa_get(void) {
  pthread_once(&once, choose);
  return chosen;
}

const qn_blocking *qn_cpu_blocking(qn_dtype dtype) {
  pthread_once(&once, choose);
  return &blockings[dtype];
}
