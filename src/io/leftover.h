/* Files under temporary names, which a signal that ends the process must not leave behind.
 *
 * Who makes one says so before the file is there and takes it back once it is renamed or gone; the
 * program decides about signals and calls qn_leftover_remove from its handler. */
#ifndef QN_IO_LEFTOVER_H
#define QN_IO_LEFTOVER_H

/* The text must stay until qn_leftover_forget; it may still change, as mkstemp's template does. */
void qn_leftover_expect(const char *path);
void qn_leftover_forget(const char *path);
/* Removes those that are there. Safe in a signal handler. */
void qn_leftover_remove(void);

#endif
