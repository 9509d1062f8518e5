/* Which core a thread runs on.
 *
 * A system may wake a thread on the core that it last ran on, where by now the thread that waits
 * for it runs, and leave both there for milliseconds while other cores are idle. */
#ifndef QN_CPU_CORE_PLACE_H
#define QN_CPU_CORE_PLACE_H

#include <stdbool.h>

/* The core that runs the calling thread, or -1 where the system does not tell. */
int qn_core_here(void);

/* The system's number of the calling thread, for qn_core_shun. */
int qn_core_thread(void);

/* Takes `core` from those that `thread` (0: the calling one) may run on, which moves it at once if
 * it runs there. False where the thread may run nowhere else. */
bool qn_core_shun(int thread, int core);

/* Gives `core` back to the calling thread, without moving it. */
void qn_core_readmit(int core);

#endif
