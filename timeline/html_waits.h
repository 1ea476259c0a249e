/* html_waits.h: what waited for what, as JSON for the scripts of a page */
#ifndef TIMELINE_HTML_WAITS_H
#define TIMELINE_HTML_WAITS_H

#include "out.h"
#include "view.h"

/* Write names, events, waits, ranges and of each operation of the view its
 * cause, as the members "streams" to "ranges" of an object.
 */
void tl_html_put_waits(const struct view *v, struct out *o);

#endif
