/* nvtx3/nvToolsExtCuda.h: the same names. */
#include "../nvToolsExtCuda.h"
