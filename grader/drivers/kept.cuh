/*
 * kept.cuh: memory of the host that the student's functions make and give back,
 * kept to the end. What gives it back in another way than it was taken would
 * end the case that comes next, which has nothing to do with it: it has a case
 * of its own.
 */
#ifndef DRIVER_KEPT_CUH
#define DRIVER_KEPT_CUH

#include "driver.h"
#include "driver_core.h"

/* For each number of entries that was asked for; 0 at the end. */
static struct {
    uint64_t room, *memory;
} kept[32];

/* Memory for @room entries by @take, whose name is @name. */
static uint64_t *kept_of(uint64_t room, uint64_t *(*take)(uint64_t num_entries),
                         const char *name)
{
    int i = 0;

    while (kept[i].room > 0 && kept[i].room != room)
        i++;
    if (kept[i].room == 0)
        kept[i].memory = take(room);
    kept[i].room = room;
    if (kept[i].memory == NULL ||
        driver_memory_type(kept[i].memory) == cudaMemoryTypeDevice)
        check_own(cudaErrorInvalidHostPointer, name);
    return kept[i].memory;
}

/* At the end, where a crash would cost traces: by @give what is not pinned. */
static void kept_give_back(void (*give)(uint64_t *memory))
{
    for (int i = 0; kept[i].room > 0; i++)
        if (cudaFreeHost(kept[i].memory) != cudaSuccess)
            give(kept[i].memory);
}

#endif
