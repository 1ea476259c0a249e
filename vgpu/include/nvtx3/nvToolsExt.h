/* nvtx3/nvToolsExt.h: the same calls; version 3 needs no library. */
#include "../nvToolsExt.h"
