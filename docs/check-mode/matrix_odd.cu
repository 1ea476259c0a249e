// The rows of a matrix begin at addresses that tensor cores cannot take.
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void clear(float *to)
{
    fragment<accumulator, 16, 16, 16, float> sum;

    fill_fragment(sum, 0.0f);
    store_matrix_sync(to, sum, 18, mem_row_major); // 18 floats a row: 72 bytes
}

int main()
{
    float *device;

    cudaMalloc(&device, 16 * 18 * sizeof *device);
    clear<<<1, 32>>>(device);
    cudaDeviceSynchronize();
    cudaFree(device);
}
