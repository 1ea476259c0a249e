//! exit 1
//! 7: error: vgpucc: cuRAND is not supported
//! 9: error: vgpucc: cuRAND is not supported
#include <curand.h>
#include <curand_kernel.h>

__global__ void draw(unsigned *out, curandState *states)
{
    curandState mine = states[threadIdx.x];

    out[threadIdx.x] = curand(&mine);
}
