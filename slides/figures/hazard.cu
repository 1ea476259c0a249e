/* hazard.cu: for the README: a copy back that waits for the wrong work. */
#include "check.h"

#define N 262144

__global__ void twice(float *x)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        x[i] *= 2;
}

int main(void)
{
    float *host, *result, *device;
    cudaStream_t work, back;
    cudaEvent_t done;

    CHECK(cudaMallocHost(&host, N * sizeof(float)));
    CHECK(cudaMallocHost(&result, N * sizeof(float)));
    CHECK(cudaMalloc(&device, N * sizeof(float)));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&back));
    CHECK(cudaEventCreate(&done));
    for (int i = 0; i < N; i++)
        host[i] = i;

    CHECK(cudaMemcpyAsync(device, host, N * sizeof(float),
                          cudaMemcpyHostToDevice, work));
    CHECK(cudaEventRecord(done, work)); /* belongs behind the kernel */
    twice<<<1, 1024, 0, work>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamWaitEvent(back, done, 0));
    CHECK(cudaMemcpyAsync(result, device, N * sizeof(float),
                          cudaMemcpyDeviceToHost, back));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(back));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFreeHost(result));
    return 0;
}
