//! exit 1
//! 6: error: vgpucc: warp matrix functions .wmma. is not supported
//! 10: error: vgpucc: warp matrix functions .wmma. is not supported
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void k()
{
    nvcuda::wmma::fragment<int> f;
}
