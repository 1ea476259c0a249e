/* process_wasm.c: process.c in a browser tab: there is no /proc to be asked
 * (the engine is, see cage/child_wasm.c), and nothing that could be loaded */
#include "base/process.h"

#include <time.h>

double process_now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
