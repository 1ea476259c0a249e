/*
 * memset_host_wait.cu: a memset of device memory does not keep the host
 * waiting, one of pinned host memory by cudaMemset does.
 * Source: Runtime API, API synchronization behavior, Memset.
 */
#include "fact.h"

int main(void)
{
    struct cudaPitchedPtr block;
    cudaStream_t b, n;
    char *device, *pinned;

    fact_warm_up();
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&device, 1 << 20));
    MUST(cudaMallocHost((void **)&pinned, 4096));
    block = make_cudaPitchedPtr(device, 512, 512, 8);
    MUST(cudaMemset(device, 0, 1 << 20));
    MUST(cudaMemset2D(device, 512, 0, 100, 8));
    MUST(cudaMemset3D(block, 0, make_cudaExtent(100, 8, 2)));
    MUST(cudaMemset(pinned, 0, 4096));

    FACT_WAITS("device.B_busy", b, cudaMemset(device, 1, 1 << 20));
    FACT_WAITS("device.N_busy", n, cudaMemset(device, 1, 1 << 20));
    FACT_WAITS("device.default_busy", 0, cudaMemset(device, 1, 64));
    FACT_WAITS("device_2d.B_busy", b, cudaMemset2D(device, 512, 1, 100, 8));
    FACT_WAITS("device_3d.B_busy", b,
               cudaMemset3D(block, 1, make_cudaExtent(100, 8, 2)));
    FACT_WAITS("device_async.same_stream", n,
               cudaMemsetAsync(device, 1, 1 << 20, n));
    FACT_WAITS("device_2d_async.same_stream", n,
               cudaMemset2DAsync(device, 512, 1, 100, 8, n));
    FACT_WAITS("device_3d_async.same_stream", n,
               cudaMemset3DAsync(block, 1, make_cudaExtent(100, 8, 2), n));
    FACT_WAITS("pinned.B_busy", b, cudaMemset(pinned, 1, 4096));
    FACT_WAITS("pinned.N_busy", n, cudaMemset(pinned, 1, 4096));
    FACT_WAITS("pinned_async.same_stream", n,
               cudaMemsetAsync(pinned, 1, 4096, n));
    return 0;
}
