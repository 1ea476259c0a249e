/*
 * cuda_fp16.h: half precision: 10 bits of a fraction, 5 of an exponent.
 *
 * Source: CUDA Math API, "Half Precision Intrinsics".
 * Differs: functions such as hexp and hsin are rounded to the nearest number.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#ifdef __cplusplus
#include "cuda_runtime.h"
#include "vgpu/narrow.h"

#define VGPU_T        __half
#define VGPU_T2       __half2
#define VGPU_RAW      __half_raw
#define VGPU_RAW2     __half2_raw
#define VGPU_WORD     half
#define VGPU_WORD2    half2
#define VGPU_MANTISSA 10
#define VGPU_BIAS     15
#include "vgpu/narrow_type.h"

typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
#endif

#endif
