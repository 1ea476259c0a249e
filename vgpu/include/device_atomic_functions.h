/* device_atomic_functions.h: for programs that name it; vgpu/device.h has it
 * all. */
#ifndef __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
