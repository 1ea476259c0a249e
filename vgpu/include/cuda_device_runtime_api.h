/* cuda_device_runtime_api.h: for programs that name it; see cuda_runtime.h. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "cuda_runtime.h"

#endif
