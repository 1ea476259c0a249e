/*
 * Matrices of a warp where something is wrong. Which one is the argument; the
 * line that is told has its number, and behind it what is told.
 */
#include <mma.h>
#include <stdio.h>
#include <stdlib.h>

using namespace nvcuda;

enum { ROWS = 16, PITCH = 32 };

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> whole;

// clang-format off
__global__ void too_few(const half *a, float *c)
{
    part f;

    if (threadIdx.x < 20)
        wmma::load_matrix_sync(f, a, PITCH);
    __syncthreads();
    c[threadIdx.x] = f.x[0];
}

__global__ void some_ended(const half *a, float *c)
{
    part f;

    if (threadIdx.x < 12)
        return;
    wmma::load_matrix_sync(f, a, PITCH); // 1: is for all 32 lanes of a warp: 20 came
    c[threadIdx.x] = f.x[0];
}

__global__ void unlike(const half *a, float *c)
{
    part f;

    wmma::load_matrix_sync(f, a + threadIdx.x / 16, PITCH); // 2: lanes 0 and 16 of a warp come to load_matrix_sync with different
    c[threadIdx.x] = f.x[0];
}

__global__ void too_far(const half *a, float *c)
{
    whole f;

    wmma::fill_fragment(f, (float)*a);
    wmma::store_matrix_sync(c + 8, f, PITCH + 4, wmma::mem_row_major); // 3: writes 64 bytes at byte 2048, past the end of buffer 2
}

__global__ void much_too_far(const half *a, float *c)
{
    whole f;

    wmma::fill_fragment(f, (float)*a);
    wmma::store_matrix_sync(c + (blockIdx.x == 900 ? 1ull << 40 : 0), f, PITCH, wmma::mem_col_major); // 4: writes 64 bytes
}

__global__ void no_wait(const half *a, float *c)
{
    __shared__ half tile[256];
    part f;

    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        tile[i] = a[i];
    wmma::load_matrix_sync(f, tile, 16); // 5: read by thread (0,0,0)
    c[threadIdx.x] = f.x[0];
}

__global__ void outside(const half *a, float *c)
{
    extern __shared__ float tile[];
    whole f;

    wmma::fill_fragment(f, (float)*a);
    wmma::store_matrix_sync(tile, f, 16, wmma::mem_row_major); // 6: past the end of __shared__ memory
    c[threadIdx.x] = tile[threadIdx.x];
}

__global__ void odd(const half *a, float *c)
{
    part f;

    wmma::load_matrix_sync(f, a + 8, 28); // 7: begin at addresses that are no multiples of 16 bytes
    c[threadIdx.x] = f.x[0];
}

/* Two streams: what lies between the first one's rows is the second one's. */
__global__ void beside(float *c, int columns)
{
    whole f;

    wmma::fill_fragment(f, 1.0f);
    wmma::store_matrix_sync(c, f, PITCH, wmma::mem_row_major); // 8: write
    if (columns)
        wmma::store_matrix_sync(c + 16, f, PITCH, wmma::mem_row_major);
}
int main(int argc, char **argv)
{
    static void (*const kernels[])(const half *, float *) = {
        too_few,      some_ended, unlike,  too_far,
        much_too_far, no_wait,    outside, odd};
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    cudaStream_t streams[2];
    half *a;
    float *c;

    cudaMalloc(&a, ROWS * PITCH * sizeof *a);
    cudaMalloc(&c, ROWS * PITCH * sizeof *c);
    cudaMemset(a, 0, ROWS * PITCH * sizeof *a);
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    if (which < 8) {
        kernels[which]<<<which == 4 ? 1024 : 1, which == 0 ? 64 : 32, which == 6 ? 512 : 0>>>(a, c); // 0: waits at load_matrix_sync with 19 more, 44 wait at __syncthreads
    } else {
        beside<<<1, 32, 0, streams[0]>>>(c, which == 8);
        beside<<<1, 32, 0, streams[1]>>>(c + 16, 0);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaStreamDestroy(streams[0]);
    cudaStreamDestroy(streams[1]);
    return cudaFree(a) || cudaFree(c);
}
