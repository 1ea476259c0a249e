/* 99_kernel.cu: what a kernel can tell the compiler, and how many of its
 * blocks an SM then holds. */
/* run: VGPU_DEVICE=h200 */
#include "check.h"

#define THREADS 256
#define TERMS   4

/* Blocks of at most 256 threads; at least 6 of them should fit on an SM. */
__global__ void __launch_bounds__(THREADS, 6)
    evaluate(float *__restrict__ y, const float *__restrict__ x,
             const float *__restrict__ terms, int n)
{
    const int stride = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float sum = 0;

#pragma unroll
        for (int k = 0; k < TERMS; k++)
            sum = sum * x[i] + terms[k];
        y[i] = sum;
    }
}

static void fill_device(void)
{
    int device, sms, blocks;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, evaluate,
                                                        THREADS, 0));
    printf("%d SMs, %d blocks of %d threads each: a grid of %d blocks\n", sms,
           blocks, THREADS, sms * blocks);
}

static void run(void)
{
    const int n = 1000;
    float *memory;

    CHECK(cudaMallocManaged(&memory, (2 * n + TERMS) * sizeof(float)));
    for (int i = 0; i < 2 * n + TERMS; i++)
        memory[i] = 1;
    evaluate<<<4, THREADS>>>(memory, memory + n, memory + 2 * n, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("y[0] = %g\n", memory[0]);
    CHECK(cudaFree(memory));
}

int main(void)
{
    fill_device();
    run();
    return 0;
}
