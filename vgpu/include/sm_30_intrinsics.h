/* sm_30_intrinsics.h: see vgpu/device.h. */
#ifndef __SM_30_INTRINSICS_H__
#define __SM_30_INTRINSICS_H__

#include "cuda_runtime.h"

#endif
