/* device_atomic_functions.h: for programs that name it; vgpu/device.h has it
 * all. */
#ifndef VGPU_DEVICE_ATOMIC_FUNCTIONS_H
#define VGPU_DEVICE_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
