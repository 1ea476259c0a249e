/* output.h: standard output, and why it cannot be written. */
#ifndef GRADER_OUTPUT_H
#define GRADER_OUTPUT_H

#include <stdbool.h>

/* What is printed is kept until output_flush(), so that this is where writing
 * fails. A person at a terminal sees each line at once. Call it first. */
void output_init(void);

/*
 * Write what was printed so far.
 * Return: false where that failed, now or before; output_error() says why.
 */
bool output_flush(void);

/* Return: the errno of the first failure, or 0. EPIPE: nobody reads it
 * any more, as behind `| head`. */
int output_error(void);

#endif
