/* sm_30_intrinsics.h: see vgpu/device.h. */
#ifndef VGPU_SM_30_INTRINSICS_H
#define VGPU_SM_30_INTRINSICS_H

#include "cuda_runtime.h"

#endif
