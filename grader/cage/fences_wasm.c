/* fences_wasm.c: fences.c in a browser tab, whose sandbox is the fence. */
#include "cage/fences.h"

const char *fences_missing(void)
{
    return "";
}
