/*
 * device_launch_parameters.h: threadIdx, blockIdx, blockDim, gridDim and
 * warpSize. The front end and vgpu/device.h supply them; here for programs
 * that include the file by name.
 */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#endif
