/* compare.h: a run's time beside that of the first one */
#ifndef TIMELINE_COMPARE_H
#define TIMELINE_COMPARE_H

#include "view.h"

/* "1.98x as fast", "takes 1.10x as long": only where both did the same. A run
 * that a grader has judged did so where nothing failed, by whatever way; of
 * others, the bytes copied must be the same, and kernels in both or in none.
 * Else "not compared: copies 7 MiB in, not 8 MiB", with what is known.
 */
#define COMPARE_ROOM 128
const char *tl_compare(const struct view *first, const struct view *run,
                       char text[COMPARE_ROOM]);

#endif
