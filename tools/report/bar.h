/* bar.h: speed against the limit, as a picture */
#ifndef REPORT_BAR_H
#define REPORT_BAR_H

#include "out.h"
#include "results.h"

/* Draw the speed-up of a grade on a scale from 0 to the device's limit, with a
 * mark where it passes. Nothing where the speed was not measured.
 * @who  "yours"; @id begins the ids of its elements
 */
void bar_draw(const struct grade_result *g, const char *who, const char *id,
              struct out *o);

/* The same in one sentence. */
void bar_put_words(const struct grade_result *g, const char *who,
                   struct out *o);

#endif
