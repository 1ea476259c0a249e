/*
 * lacking.h: libraries of the toolkit that are not there.
 *
 * Common headers name them for programs that use nothing of them. So a missing
 * header of such a library is taken for an empty one, and what then names
 * something of the library is refused, with its line.
 */
#ifndef VGPU_LACKING_H
#define VGPU_LACKING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Such a header that the preprocessor wants and does not find. From then on it
 * counts as taken for an empty one.
 * @messages  what it said, or NULL
 * Return: the header's name, which the caller frees, or NULL.
 */
char *lacking_header(const char *messages);

/* The library of such a header, in words, that the message of @length bytes at
 * @line names something of; or NULL. */
const char *lacking_library(const char *line, size_t length);

/* Print where headers were taken for empty ones. */
void lacking_print(void);

#endif
