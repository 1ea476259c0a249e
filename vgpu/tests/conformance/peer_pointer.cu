// gpus: 2
/*
 * peer_pointer.cu: with peer access enabled a kernel reads, writes and
 * counts atomically in another device's memory.
 * Source: programming guide, Peer-to-Peer Memory Access.
 */
#include "fact.h"

static __global__ void work(int *remote, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        remote[i] = 2 * remote[i] + 1;
}

static __global__ void count(int *remote)
{
    atomicAdd(remote, 1);
}

int main(void)
{
    int *memory;
    int values[256];
    int can = 0;
    long long sum = 0;

    fact_need_gpus(2);
    MUST(cudaDeviceCanAccessPeer(&can, 1, 0));
    fact_int("can_access", can);
    if (!can)
        return 0;
    for (int i = 0; i < 256; i++)
        values[i] = i;
    MUST(cudaSetDevice(0));
    MUST(cudaMalloc((void **)&memory, sizeof(values)));
    MUST(cudaMemcpy(memory, values, sizeof(values), cudaMemcpyDefault));
    MUST(cudaDeviceSynchronize()); /* the copy may return once staged */
    MUST(cudaSetDevice(1));
    MUST(cudaDeviceEnablePeerAccess(0, 0));
    work<<<2, 128>>>(memory, 256);
    fact_error("launch.error", cudaGetLastError());
    fact_error("synchronize.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(values, memory, sizeof(values), cudaMemcpyDefault));
    for (int i = 0; i < 256; i++)
        sum += values[i];
    fact_int("sum_after_remote_kernel", sum);
    MUST(cudaMemset(memory, 0, sizeof(int)));
    count<<<4, 64>>>(memory);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(values, memory, sizeof(int), cudaMemcpyDefault));
    fact_int("remote_atomic_count", values[0]);
    MUST(cudaSetDevice(0));
    work<<<2, 128>>>(memory, 256);
    fact_error("owner_uses_it_too.error", cudaDeviceSynchronize());
    return 0;
}
