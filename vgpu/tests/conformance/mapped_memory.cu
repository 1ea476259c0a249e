/*
 * mapped_memory.cu: a kernel reads and writes pinned host memory directly;
 * the host sees it once the kernel is known to have ended.
 * Source: programming guide, Mapped Memory.
 */
#include "fact.h"

static __global__ void square(const int *from, int *to, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        to[i] = from[i] * from[i];
}

int main(void)
{
    int *from, *to, *device_from, *device_to, *plain;
    cudaEvent_t done;
    long long sum = 0;

    MUST(cudaHostAlloc((void **)&from, 256 * sizeof(int),
                       cudaHostAllocMapped | cudaHostAllocWriteCombined));
    MUST(cudaHostAlloc((void **)&to, 256 * sizeof(int), cudaHostAllocMapped));
    MUST(cudaMallocHost((void **)&plain, 256 * sizeof(int)));
    MUST(cudaHostGetDevicePointer((void **)&device_from, from, 0));
    MUST(cudaHostGetDevicePointer((void **)&device_to, to, 0));
    for (int i = 0; i < 256; i++)
        from[i] = i;
    square<<<2, 128>>>(device_from, device_to, 256);
    fact_error("launch.error", cudaGetLastError());
    fact_error("synchronize.error", cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++)
        sum += to[i];
    fact_int("sum_of_squares", sum);

    MUST(cudaEventCreate(&done));
    square<<<2, 128>>>(from, plain, 256);
    MUST(cudaEventRecord(done, 0));
    fact_error("by_host_pointer.error", cudaEventSynchronize(done));
    fact_int("by_host_pointer.value", plain[255]);
    MUST(cudaMemset(to, 0, 256 * sizeof(int)));
    fact_int("after_memset_by_device", to[9]);
    MUST(cudaMemcpy(to, plain, 256 * sizeof(int), cudaMemcpyDefault));
    fact_int("after_copy_of_pinned", to[9]);
    return 0;
}
