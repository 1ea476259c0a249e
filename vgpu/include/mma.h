/*
 * mma.h: for programs that name it and use nothing of it. Whatever names wmma
 * is refused by vgpucc, with its line.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda
{
namespace wmma
{
}
} // namespace nvcuda

#endif
