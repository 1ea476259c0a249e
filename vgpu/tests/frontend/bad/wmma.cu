//! exit 1
//! 9: error: vgpucc: a matrix of 4 bits or 1 bit .wmma::experimental. is not
#include <mma.h>

using namespace nvcuda;

__global__ void k()
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::u4,
                   wmma::row_major>
        f;
}
