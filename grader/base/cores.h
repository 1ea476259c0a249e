/* cores.h: a loop over many elements on all cores */
#ifndef GRADER_CORES_H
#define GRADER_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The elements from @lower, less than @upper. */
typedef void cores_part(void *work, uint64_t lower, uint64_t upper);

/* Do @part for all of @count elements, each once; on this core alone where
 * they are no more than @alone. Without threads it only takes longer. */
void cores_share(uint64_t count, uint64_t alone, cores_part *part, void *work);

/* Copy; without @from, clear. */
void cores_copy(void *to, const void *from, size_t bytes);
bool cores_same(const void *one, const void *other, size_t bytes);

#endif
