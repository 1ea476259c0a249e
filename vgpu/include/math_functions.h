/* math_functions.h: for programs that name it; vgpu/device.h has it all. */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
