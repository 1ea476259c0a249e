/*
 * draw.h: numbers of a case that are drawn anew for each submission, so that
 * nobody can know them, or what is measured with them, beforehand. The same
 * file gets the same ones each time.
 */
#ifndef GRADER_DRAW_H
#define GRADER_DRAW_H

#include <stddef.h>

/*
 * Copy @text to @to, cut where it has no room. "key=FIRST..LAST" becomes a
 * number from one to the other, with "/STEP" behind it one of FIRST, FIRST +
 * STEP, ... What is drawn depends on these words and on @source, the student's
 * file, alone: two cases with the same words have the same number. Without a
 * source it is the middle one: for pictures, which people compare.
 */
void draw(char *to, size_t size, const char *text, const char *source);

#endif
