/* fences.h: which of the cage's fences this machine has */
#ifndef GRADER_FENCES_H
#define GRADER_FENCES_H

/* The names of those that it has not, each but the last with ", " behind it;
 * "" where all are there. SECURITY.md says what each of them stops. */
const char *fences_missing(void);

#endif
