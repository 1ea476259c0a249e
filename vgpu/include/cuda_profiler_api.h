/* cuda_profiler_api.h: cudaProfilerStart and cudaProfilerStop, which mark
 * the part of a run that a timeline shows. */
#ifndef VGPU_CUDA_PROFILER_API_H
#define VGPU_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
