//! exit 1
//! 5: error: static.*assert.* 64 KiB of __constant__ memory
#include <cstdio>
__constant__ float fits[16 * 1024];
__constant__ float table[1 << 18];

__global__ void read(float *out)
{
    *out = fits[threadIdx.x] + table[threadIdx.x];
}
