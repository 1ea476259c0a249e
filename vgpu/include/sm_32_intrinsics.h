/* sm_32_intrinsics.h: see vgpu/device.h. */
#ifndef __SM_32_INTRINSICS_H__
#define __SM_32_INTRINSICS_H__

#include "cuda_runtime.h"

#endif
