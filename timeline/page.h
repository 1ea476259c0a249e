/* page.h: the fixed parts of the page, made from page/ by page/embed.sh */
#ifndef TIMELINE_PAGE_H
#define TIMELINE_PAGE_H

extern const char timeline_page_html[];
extern const char timeline_page_css[];
/* The scripts, in this order. */
extern const char timeline_page_js[];     /* data and drawing */
extern const char timeline_waits_js[];    /* names, and what waited for what */
extern const char timeline_overview_js[]; /* the whole, search, cursors */
extern const char timeline_panes_js[];    /* what is selected, in words */
extern const char timeline_input_js[];    /* mouse, fingers, keys */

#endif
