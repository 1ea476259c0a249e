/* lines.h: source lines of the program's calls, found with addr2line */
#ifndef RECORDER_LINES_H
#define RECORDER_LINES_H

#include <stddef.h>

/* Fill in the return addresses that lie in the program itself (not in
 * libraries), innermost first, the rest NULL. Call it once early: the first
 * call loads what it needs.
 */
void lines_capture(const void **frames, size_t num);

/* Look up all frames of the store, in one run of addr2line. Without that
 * program, or without debug information, no line is known.
 */
void lines_resolve(void);

/* The first known line of a stack as "file.cu:31", or NULL.
 * @skip  a function whose lines do not count: the launched kernel's stub
 */
const char *lines_of(const void *const *frames, size_t num, const char *skip);

void lines_clear(void);

/* What addr2line says of a frame, in short: within the working folder a
 * relative name, elsewhere the last part. Changes @line.
 * Return: to be freed; NULL where it says nothing of a program's own source.
 */
char *lines_short(char *line);

#endif
