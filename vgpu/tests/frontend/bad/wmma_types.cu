//! exit 1
//! 12: error: .*(incomplete|undefined)
#include <mma.h>

using namespace nvcuda;

__global__ void k(float *c)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;

    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 8, half, wmma::row_major> f;
}
