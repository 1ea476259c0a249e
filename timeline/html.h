/* html.h: an interactive page in one file */
#ifndef TIMELINE_HTML_H
#define TIMELINE_HTML_H

#include "out.h"
#include "view.h"

/* Write a page with the views of num traces: by engine, by stream.
 * @by      what is shown first, and without scripts
 * @folder  where the source files of the programs are, to show the lines of
 *          calls; NULL: only their names and numbers are shown
 * @heading what the runs are of, "Lab 08: uneven chunks"; NULL: not said
 */
void tl_html_draw(const struct view *engine_views,
                  const struct view *stream_views, size_t num, enum view_by by,
                  const char *folder, const char *heading, struct out *o);

/* Write the scripts of the page, for a page that has the rest of it. */
void tl_html_put_scripts(struct out *o);

#endif
