/* nvtx3/nvToolsExtCudaRt.h: the same names. */
#include "../nvToolsExtCudaRt.h"
