/* sm_60_atomic_functions.h: see vgpu/device.h. */
#ifndef VGPU_SM_60_ATOMIC_FUNCTIONS_H
#define VGPU_SM_60_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
