/* html_runs.h: what each run means, in words and in figures */
#ifndef TIMELINE_HTML_RUNS_H
#define TIMELINE_HTML_RUNS_H

#include "out.h"
#include "view.h"

/* Write of each view how long it takes, against the first one, and what bounds
 * it; then the figures of all of them, folded. It needs no scripts.
 * @views    by engine
 * @hazards  where the page tells of hazards, to be linked; NULL: no link
 */
void tl_html_put_runs(const struct view *views, size_t num, const char *hazards,
                      struct out *o);

#endif
