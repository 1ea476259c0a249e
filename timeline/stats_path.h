/* stats_path.h: the chain of operations that leads to the last one */
#ifndef TIMELINE_STATS_PATH_H
#define TIMELINE_STATS_PATH_H

#include "stats.h"

/* Find the critical path of a view.
 * The trace does not say what an operation waited for, so that this is a
 * guess: the operation that ended last, no later than this one started. Of
 * several the one on the same engine is taken, else one in the same stream,
 * else any (an event or the host stood between them).
 * Return: false where memory ran out.
 */
bool tl_stats_path_make(const struct view *v, struct stats_path *path);

void tl_stats_path_free(struct stats_path *path);

#endif
