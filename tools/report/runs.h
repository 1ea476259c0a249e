/* runs.h: the timelines of a lab's runs, for the report */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "out.h"

#define RUNS_MAX 3

/* Write the timelines of traces as one picture with what each run means, the
 * figures, the data for the interactive page, and the hazards. A trace that is
 * not there is left out; of one that cannot be used the reason is written.
 * @id  begins the ids of its elements
 */
void runs_put(const char *const *files, const char *const *titles, unsigned num,
              const char *id, struct out *o);

#endif
