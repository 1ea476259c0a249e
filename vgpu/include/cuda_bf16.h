/*
 * cuda_bf16.h: bfloat16, the first half of a float: 7 bits of a fraction, 8 of
 * an exponent.
 *
 * Source: CUDA Math API, "Bfloat16 Precision Intrinsics".
 * Differs: functions such as hexp and hsin are rounded to the nearest number.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#ifdef __cplusplus
#include "cuda_runtime.h"
#include "vgpu/narrow.h"

#define VGPU_T        __nv_bfloat16
#define VGPU_T2       __nv_bfloat162
#define VGPU_RAW      __nv_bfloat16_raw
#define VGPU_RAW2     __nv_bfloat162_raw
#define VGPU_WORD     bfloat16
#define VGPU_WORD2    bfloat162
#define VGPU_MANTISSA 7
#define VGPU_BIAS     127
#include "vgpu/narrow_type.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif

#endif
