/*
 * cuda_pipeline_primitives.h: copies to shared memory that a thread starts and
 * waits for later.
 *
 * Differs: the bytes are there when the call returns; who reads them before
 * __pipeline_wait_prior is not caught.
 */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"

/* One access of 4, 8 or 16 bytes, as aligned. Of the last @zeros bytes nothing
 * is read, and they become 0. */
VGPU_INLINE void __pipeline_memcpy_async(void *__restrict__ shared,
                                         const void *__restrict__ global,
                                         size_t size, size_t zeros = 0)
{
    if (zeros)
        for (size_t i = 0; i < size; i++)
            static_cast<char *>(shared)[i] =
                i + zeros < size ? static_cast<const char *>(global)[i] : 0;
    else if (size == sizeof(int4))
        *static_cast<int4 *>(shared) = *static_cast<const int4 *>(global);
    else if (size == sizeof(int2))
        *static_cast<int2 *>(shared) = *static_cast<const int2 *>(global);
    else
        *static_cast<int *>(shared) = *static_cast<const int *>(global);
}
VGPU_INLINE void __pipeline_commit()
{
}
VGPU_INLINE void __pipeline_wait_prior(size_t)
{
}

#endif
