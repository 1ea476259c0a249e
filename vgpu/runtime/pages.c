/*
 * pages.c: which pages of the program are there, and what they allow. As far as
 * the system says, which names them in the order of their addresses.
 */
#include "rt.h"

#include <inttypes.h>
#include <stdio.h>

bool vgpu_pages_allow(uintptr_t at, uintptr_t end, bool writes)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    uintptr_t lo, hi;

    if (!maps)
        return true;
    while (at < end && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &lo, &hi, rights) !=
                3 ||
            hi <= at)
            continue;
        if (at < lo || rights[0] != 'r' || (writes && rights[1] != 'w'))
            break;
        at = hi;
    }
    fclose(maps);
    return at >= end;
}
