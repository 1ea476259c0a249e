/* html_data.h: what the scripts of a page draw, as one JSON value */
#ifndef TIMELINE_HTML_DATA_H
#define TIMELINE_HTML_DATA_H

#include "out.h"
#include "view.h"

/* Write the operations, calls, rows and hazards of num traces. Safe inside a
 * <script>.
 * @by      what is shown first
 * @folder  where the source files of the programs are, to show the lines of
 *          calls; NULL: only their names and numbers are shown
 */
void tl_html_put_data(const struct view *engine_views,
                      const struct view *stream_views, size_t num,
                      enum view_by by, const char *folder, struct out *o);

/* Begin a list of arrays: the first one has the names of the places of all
 * others, "id start end". Whoever writes these and the "]" behind them begins
 * each with a comma. */
void tl_html_put_names(struct out *o, const char *list, const char *names);

#endif
