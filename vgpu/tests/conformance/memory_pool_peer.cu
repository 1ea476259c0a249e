// recorded: not yet
// gpus: 2
/*
 * memory_pool_peer.cu: pools and a second device: peer access says nothing of
 * them, access is given to a pool, for what it has given out as well.
 * Source: guide, Stream Ordered Memory Allocator, Physical Page Caching and
 * Multi-GPU Support; observed.
 */
#include "fact.h"

static cudaMemPool_t pool, other;
static cudaStream_t s, far;

static int give(int device, int flags)
{
    struct cudaMemAccessDesc access;
    cudaError_t error;

    memset(&access, 0, sizeof access);
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = device;
    access.flags = (enum cudaMemAccessFlags)flags;
    error = cudaMemPoolSetAccess(pool, &access, 1);
    cudaGetLastError();
    return (int)error;
}

static void say_access(const char *key)
{
    struct cudaMemLocation place = {cudaMemLocationTypeDevice, 1};
    enum cudaMemAccessFlags flags = (enum cudaMemAccessFlags)9;
    cudaError_t error = cudaMemPoolGetAccess(&flags, pool, &place);

    fact("%s.access=%d,%d", key, (int)error, (int)flags);
}

int main(void)
{
    struct cudaPointerAttributes a;
    int *memory = NULL;
    void *more = NULL;

    fact_need_gpus(2);
    MUST(cudaSetDevice(1));
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&far, cudaStreamNonBlocking));
    MUST(cudaDeviceGetDefaultMemPool(&other, 1));
    MUST(cudaSetDevice(0));
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    fact_error("current_pool_of_other_device", cudaDeviceSetMemPool(0, other));
    cudaGetLastError();
    say_access("at_first");
    MUST(cudaSetDevice(1));
    MUST(cudaDeviceEnablePeerAccess(0, 0));
    say_access("peer_access_enabled");
    MUST(cudaSetDevice(0));
    for (int flags = 0; flags < 4; flags++)
        fact("give_%d=%d", flags, give(1, flags));
    say_access("given");
    MUST(cudaMallocAsync((void **)&memory, 4096, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaSetDevice(1));
    fact_store<<<1, 1, 0, far>>>(memory, 3);
    fact_error("kernel_of_other_device", cudaStreamSynchronize(far));
    fact_error("free_in_other_device's_stream", cudaFreeAsync(memory, far));
    fact_error("wait", cudaStreamSynchronize(far));
    MUST(cudaMallocAsync(&more, 4096, s));
    MUST(cudaPointerGetAttributes(&a, more));
    fact_int("taken_in_a_stream_of_0_while_1_is_current", a.device);
    MUST(cudaFreeAsync(more, s));
    fact_error("from_pool_of_0_in_stream_of_1",
               cudaMallocFromPoolAsync(&more, 4096, pool, far));
    MUST(cudaPointerGetAttributes(&a, more));
    fact_int("its_device", a.device);
    fact_error("its_free", cudaFreeAsync(more, far));
    fact_error("last_wait", cudaDeviceSynchronize());
    MUST(cudaSetDevice(0));
    MUST(cudaMallocAsync((void **)&memory, 4096, s));
    fact("take_back_with_something_given_out=%d", give(1, 0));
    say_access("taken_back");
    MUST(cudaFreeAsync(memory, s));
    MUST(cudaStreamSynchronize(s));
    /* What was given out before peer access begins is no more reachable. */
    MUST(cudaSetDevice(1));
    MUST(cudaDeviceDisablePeerAccess(0));
    MUST(cudaMallocAsync((void **)&memory, 4096, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaDeviceEnablePeerAccess(0, 0));
    fact_store<<<1, 1, 0, far>>>(memory, 3);
    fact_error("kernel_with_peer_access_alone", cudaStreamSynchronize(far));
    return 0;
}
