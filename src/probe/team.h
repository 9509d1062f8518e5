/* Threads that begin an experiment together. */
#ifndef PROBE_TEAM_H
#define PROBE_TEAM_H

/* Runs fn(user, 0 .. threads - 1), each on a thread of its own, and returns the seconds from the
 * moment all of them stand ready until the last has ended. `threads` is at most 256. */
double probe_team(int threads, void (*fn)(void *user, int thread), void *user);

#endif
