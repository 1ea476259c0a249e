/* terminal.h: timelines for a terminal */
#ifndef TIMELINE_TERMINAL_H
#define TIMELINE_TERMINAL_H

#include "out.h"
#include "view.h"

#define TERMINAL_MIN_WIDTH   40
#define TERMINAL_MAX_WIDTH   1000
#define TERMINAL_MAX_HAZARDS 3  /* of one view; likewise */
#define TERMINAL_MAX_ROWS    64 /* of one view; more are counted, not drawn */

struct terminal_style {
    unsigned width; /* in columns, TERMINAL_MIN_WIDTH to TERMINAL_MAX_WIDTH */
    bool ascii;     /* no character beyond ASCII in the drawing */
    bool color;     /* ANSI colours, one for each kind of engine */
};

/* Draw views above each other on one scale.
 * Rows by engine: neighbouring operations have different shades, and a bar
 * that is wide enough begins with its stream's number. Rows by stream: the
 * shade is the kind, and each bar begins with its kind's letter. After the
 * second and later titles stands how the time compares with the first.
 */
void tl_terminal_draw(const struct view *views, size_t num,
                      const struct terminal_style *style, struct out *o);

#endif
