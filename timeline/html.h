/* html.h: an interactive page in one file */
#ifndef TIMELINE_HTML_H
#define TIMELINE_HTML_H

#include "out.h"
#include "view.h"

/* Write a page with the views of num traces: by engine, by stream.
 * @by  what is shown first, and without scripts
 */
void html_draw(const struct view *engine_views, const struct view *stream_views,
               size_t num, enum view_by by, struct out *o);

#endif
