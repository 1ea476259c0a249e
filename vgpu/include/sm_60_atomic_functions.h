/* sm_60_atomic_functions.h: see vgpu/device.h. */
#ifndef __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
