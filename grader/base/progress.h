/* progress.h: a word on stderr about what goes on, on a terminal only */
#ifndef GRADER_PROGRESS_H
#define GRADER_PROGRESS_H

void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The word goes away again. */
void progress_done(void);

#endif
