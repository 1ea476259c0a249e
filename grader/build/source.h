/* source.h: what a student's text may not tell the compiler */
#ifndef GRADER_SOURCE_H
#define GRADER_SOURCE_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Look at a submission and the headers beside it. Line markers and
 * system headers are where vgpucc counts no work and rewrites nothing, and a
 * name of the grader's is what leaks are forgiven for.
 * Return: true with the reason in @messages where it cannot be taken.
 */
bool source_is_refused(const char *file, struct out *messages);

#endif
