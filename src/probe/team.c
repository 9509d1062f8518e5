/* Threads that begin an experiment together. */
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

typedef struct member {
  team *team;
  pthread_t thread;
  int number;
  double start, end;
} member;

static void *take_part(void *user) {
  member *m = user;
  atomic_fetch_sub(&m->team->waiting, 1);
  while (atomic_load(&m->team->waiting) > 0) sched_yield();
  m->start = bench_now();
  m->team->fn(m->team->user, m->number);
  m->end = bench_now();
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
