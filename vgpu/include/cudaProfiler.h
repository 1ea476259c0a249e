/* cudaProfiler.h: cuProfilerStart and cuProfilerStop, of the driver API. */
#ifndef __cuda_profiler_h__
#define __cuda_profiler_h__

#include "cuda.h"

#endif
