/* EP on the cpu: which kernel, and chunks of the problem handed to threads. */
#include "npb/ep_cpu.h"
#include "core/core.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* ---- the kernel ---- */

static bool runs_here(const ep_cpu_kernel *kernel) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kernel == &ep_cpu_avx2) return avx2;
  if (kernel == &ep_cpu_avx512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#endif
  (void)kernel;
  return true;
}

const ep_cpu_kernel *ep_cpu_find(const char *isa) {
  static const ep_cpu_kernel *const kernels[] = {
#if defined(__x86_64__)
    &ep_cpu_avx512,
    &ep_cpu_avx2,
#elif defined(__aarch64__)
    &ep_cpu_neon,
#endif
    &ep_cpu_plain,
    NULL
  };
  for (const ep_cpu_kernel *const *k = kernels; *k; k++)
    if ((!isa || strcmp(isa, (*k)->isa) == 0) && runs_here(*k)) return *k;
  return NULL;
}

static const ep_cpu_kernel *kernel_in_use(void) {
  const ep_cpu_kernel *forced = ep_cpu_find(qn_env_string("QUERN_CPU_ISA", NULL));
  return forced ? forced : ep_cpu_find(NULL);
}

const char *ep_cpu_isa(void) {
  return kernel_in_use()->isa;
}

/* ---- the threads ---- */

typedef struct team {
  const ep_cpu_kernel *kernel;
  uint64_t pairs; /* of a chunk */
  int first, count;
  ep_sums *sums; /* of each chunk */
  const npb_progress *progress;
  atomic_int next, done;
} team;

/* Takes chunks until none is left. */
static void work(team *t, const npb_progress *progress) {
  int i;
  while ((i = atomic_fetch_add(&t->next, 1)) < t->count) {
    const uint64_t before = (uint64_t)(t->first + i) * t->pairs;
    t->kernel->chunk(npb_lcg_skip(EP_SEED, 2 * before), t->pairs, &t->sums[i]);
    const int done = atomic_fetch_add(&t->done, 1) + 1;
    if (progress) npb_say(progress, (double)done / t->count);
  }
}

static void *work_as_helper(void *arg) {
  work(arg, NULL);
  return NULL;
}

/* This thread works too; where the system starts fewer threads, the others do the work. */
static void run_team(team *t, int threads, pthread_t *helper) {
  int started = 0;
  while (started < threads - 1 && pthread_create(&helper[started], NULL, work_as_helper, t) == 0)
    started++;
  work(t, t->progress);
  for (int i = 0; i < started; i++) pthread_join(helper[i], NULL);
}

/* Chunks of 2^16 pairs, or longer ones where those would be more than 2^14. */
static int chunk_log2(int m) {
  return m > 30 ? m - 14 : 16;
}

static int chunks_a_row(int m) {
  return 1 << (m - EP_ROWS_LOG2 - chunk_log2(m));
}

static qn_status run(ep_engine *engine, const npb_progress *progress, ep_sums *rows,
                     double *end_seconds) {
  const ep_share *share = &engine->share;
  const int a_row = chunks_a_row(share->m);
  team t = {.kernel = kernel_in_use(),
            .pairs = UINT64_C(1) << chunk_log2(share->m),
            .first = share->first * a_row,
            .count = share->count * a_row,
            .progress = progress};
  const int threads = engine->state.threads;
  const size_t sums_size = (size_t)t.count * sizeof *t.sums;
  const size_t helpers_size = (size_t)threads * sizeof(pthread_t);
  t.sums = qn_host_alloc(sums_size);
  pthread_t *helper = qn_host_alloc(helpers_size);
  const bool able = t.sums && helper;
  if (able) {
    run_team(&t, threads, helper);
    const double made = npb_now();
    memset(rows, 0, (size_t)share->count * sizeof *rows);
    for (int i = 0; i < t.count; i++) ep_add(&rows[i / a_row], &t.sums[i]);
    *end_seconds = npb_now() - made;
  }
  qn_host_free(t.sums, sums_size);
  qn_host_free(helper, helpers_size);
  return able ? QN_OK : qn_fail(QN_ENOMEM, "ep_cpu", "no memory for %d sums", t.count);
}

static void forget(ep_engine *engine) {
  (void)engine;
}

void ep_cpu_open(ep_share share, int threads, ep_engine *engine) {
  *engine = (ep_engine){.run = run, .close = forget, .share = share};
  const int chunks = share.count * chunks_a_row(share.m);
  engine->state.threads = threads < chunks ? threads : chunks;
  snprintf(engine->variant, sizeof engine->variant, "default, %s", ep_cpu_isa());
}
