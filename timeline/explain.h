/* explain.h: statistics in words */
#ifndef TIMELINE_EXPLAIN_H
#define TIMELINE_EXPLAIN_H

#include "out.h"
#include "stats.h"

/* Write the one sentence that says what bounds this run. Plain text without
 * names from the trace: it needs no escapes.
 */
void tl_explain_run(const struct stats *s, struct out *o);

/* Write the report of --stats: title, figures, hazards and that sentence, in
 * lines for a terminal.
 */
void tl_explain_figures(const struct stats *s, struct out *o);

#endif
