/* cuda_profiler_api.h: cudaProfilerStart and cudaProfilerStop, which mark
 * the part of a run that a timeline shows. */
#ifndef __CUDA_PROFILER_H__
#define __CUDA_PROFILER_H__
#include "cuda_runtime_api.h"
#endif
