/* micro.h: microseconds as pages and pictures write them */
#ifndef TIMELINE_MICRO_H
#define TIMELINE_MICRO_H

#include "out.h"

/* Write text that was made for everywhere, in which microseconds are "us", with
 * the unit as a page or a picture has it: "3.1 us" and a unit that stands alone
 * between two tags. Frees @words.
 */
void tl_micro_put(struct out *words, struct out *o);

#endif
