/* page.h: the fixed parts of the page, made from page/ by page/embed.sh */
#ifndef TIMELINE_PAGE_H
#define TIMELINE_PAGE_H

extern const char timeline_page_html[];
extern const char timeline_page_css[];
extern const char timeline_page_js[];  /* data and drawing */
extern const char timeline_input_js[]; /* mouse, keys and panes */

#endif
