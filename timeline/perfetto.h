/* perfetto.h: Chrome trace JSON, for ui.perfetto.dev and chrome://tracing */
#ifndef TIMELINE_PERFETTO_H
#define TIMELINE_PERFETTO_H

#include "out.h"
#include "view.h"

/* Write num traces as one JSON document. A process for each device of each
 * trace, in it a track for each engine and each stream; a process for the
 * host with a track for each thread; arrows from host calls to operations.
 * Where operations of a row overlap, the row has several tracks. Times are
 * microseconds from the first thing shown of each trace.
 */
void tl_perfetto_write(const struct view *engine_views,
                       const struct view *stream_views, size_t num,
                       struct out *o);

#endif
