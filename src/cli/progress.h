/* A line on the terminal while something takes long. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/* Nothing is drawn unless stderr is a terminal, --quiet was not given and a second has passed; what
 * was drawn is wiped at the end. One at a time. */
void cli_progress_begin(void);
/* What is being done; `fraction` of it is done, below 0 where that is not known. From any thread.
 */
void cli_progress_say(const char *what, double fraction);
void cli_progress_end(void);

#endif
