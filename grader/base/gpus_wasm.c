/* gpus_wasm.c: gpus.c in a browser tab, where no CUDA driver can be asked */
#include "base/gpus.h"

#include <string.h>

void gpus_find(struct gpus *gpus, const char *nvcc)
{
    (void)nvcc;
    memset(gpus, 0, sizeof *gpus);
}
