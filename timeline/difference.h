/* difference.h: what one run does otherwise than another, in a sentence */
#ifndef TIMELINE_DIFFERENCE_H
#define TIMELINE_DIFFERENCE_H

#include "out.h"
#include "stats.h"

/* Write how much longer or shorter a run takes than the first one, and up to
 * three things that it does otherwise: "It takes 6.6 ms less. Otherwise: two or
 * more engines work at once for 61% of the time, not 0%; 4 streams, not 1."
 * Plain text without names from the trace.
 */
void tl_difference_explain(const struct stats *first, const struct stats *run,
                           struct out *o);

#endif
