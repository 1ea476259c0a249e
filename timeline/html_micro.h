/* html_micro.h: microseconds as a page writes them */
#ifndef TIMELINE_HTML_MICRO_H
#define TIMELINE_HTML_MICRO_H

#include "out.h"
#include "view.h"

/* Write text that was made for everywhere, in which microseconds are "us", with
 * the unit as a page has it: "3.1 us" and a unit that stands alone between two
 * tags. Frees @words.
 */
void tl_html_put_micro(struct out *words, struct out *o);

/* tl_svg_draw(), for a page. */
void tl_html_put_svg(const struct view *views, size_t num, const char *id,
                     struct out *o);

#endif
