/* Threads that begin an experiment together, each on a processor of its own where the system lets
 * one choose: within the milliseconds of a run it might leave two on one. */
#define _GNU_SOURCE
#include "probe/team.h"
#include "bench/timing.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { TEAM_MOST = 256 };

typedef struct team {
  void (*fn)(void *user, int thread);
  void *user;
  atomic_int waiting;
  int threads;
} team;

#ifdef __linux__
/* Keeps the calling thread on the number'th processor that the process may use; *before is where it
 * might have been. False where that cannot be had. */
static bool keep_to(int number, cpu_set_t *before) {
  cpu_set_t one;
  if (pthread_getaffinity_np(pthread_self(), sizeof *before, before) != 0) return false;
  int left = number % CPU_COUNT(before), cpu = 0;
  while (!CPU_ISSET(cpu, before) || left-- > 0) cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

static void let_go(const cpu_set_t *before) {
  pthread_setaffinity_np(pthread_self(), sizeof *before, before);
}
#else
typedef int cpu_set_t;
static bool keep_to(int number, cpu_set_t *before) {
  (void)number, (void)before;
  return false;
}
static void let_go(const cpu_set_t *before) {
  (void)before;
}
#endif

typedef struct member {
  team *team;
  pthread_t thread;
  int number;
  double start, end;
} member;

static void *take_part(void *user) {
  member *m = user;
  cpu_set_t before;
  const bool kept = keep_to(m->number, &before);
  atomic_fetch_sub(&m->team->waiting, 1);
  while (atomic_load(&m->team->waiting) > 0) sched_yield();
  m->start = bench_now();
  m->team->fn(m->team->user, m->number);
  m->end = bench_now();
  if (kept) let_go(&before);
  return NULL;
}

double probe_team(int threads, void (*fn)(void *user, int thread), void *user) {
  member members[TEAM_MOST];
  threads = threads < 1 ? 1 : threads > TEAM_MOST ? TEAM_MOST : threads;
  team t = {fn, user, threads, threads};
  double start = INFINITY, end = 0.0;
  bool alone[TEAM_MOST] = {false};
  for (int i = threads - 1; i >= 0; i--) {
    members[i] = (member){.team = &t, .number = i};
    /* the caller is member 0, and does the part of a thread that would not start */
    alone[i] = i == 0 || pthread_create(&members[i].thread, NULL, take_part, &members[i]) != 0;
    if (alone[i] && i > 0) atomic_fetch_sub(&t.waiting, 1);
  }
  take_part(&members[0]);
  for (int i = 1; i < threads; i++) {
    if (alone[i]) {
      members[i].start = members[0].start;
      fn(user, i);
      members[i].end = bench_now();
    } else {
      pthread_join(members[i].thread, NULL);
    }
  }
  for (int i = 0; i < threads; i++) {
    start = fmin(start, members[i].start);
    end = fmax(end, members[i].end);
  }
  return end - start;
}
