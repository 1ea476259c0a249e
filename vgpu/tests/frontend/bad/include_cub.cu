//! exit 1
//! 8: error: vgpucc: CUB is not supported
//! 4: note: #include <cub/cub.cuh>: CUB is not supported by the virtual GPU; th
#include <cub/cub.cuh>

__global__ void sums(const int *in, int *out)
{
    typedef cub::BlockReduce<int, 64> reduce;

    out[blockIdx.x] = reduce().Sum(in[threadIdx.x]);
}
