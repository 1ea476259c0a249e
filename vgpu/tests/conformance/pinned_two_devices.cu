// gpus: 2
/*
 * pinned_two_devices.cu: with unified addressing pinned memory is pinned for
 * every device, whichever was current when it was allocated.
 * Source: programming guide, Portable Memory; Runtime API, Unified
 * Addressing.
 */
#include "fact.h"

static __global__ void add_one(int *values)
{
    values[threadIdx.x] += 1;
}

static void use_on_1(const char *name, int *pinned)
{
    cudaStream_t s;
    cudaEvent_t slow_done;
    void *pointer = NULL;
    int *memory;

    MUST(cudaSetDevice(1));
    MUST(cudaMalloc((void **)&memory, 32 * sizeof(int)));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&slow_done));
    for (int i = 0; i < 32; i++)
        pinned[i] = i;
    fact_slow(s);
    MUST(cudaEventRecord(slow_done, s));
    fact("%s.copy=%d", name,
         (int)cudaMemcpyAsync(memory, pinned, 32 * sizeof(int),
                              cudaMemcpyHostToDevice, s));
    fact("%s.copy_kept_host_waiting=%s", name, fact_is_done(slow_done));
    add_one<<<1, 32, 0, s>>>(memory);
    MUST(cudaMemcpyAsync(pinned, memory, 32 * sizeof(int),
                         cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    fact("%s.copied_value=%d", name, pinned[31]);
    fact("%s.device_pointer=%d", name,
         (int)cudaHostGetDevicePointer(&pointer, pinned, 0));
    add_one<<<1, 32, 0, s>>>((int *)pointer);
    fact("%s.kernel=%d", name, (int)cudaStreamSynchronize(s));
    fact("%s.mapped_value=%d", name, pinned[31]);
}

int main(void)
{
    int *pinned, *portable;
    void *registered = NULL;

    fact_need_gpus(2);
    MUST(cudaSetDevice(1));
    fact_warm_up();
    MUST(cudaSetDevice(0));
    fact_warm_up();
    MUST(cudaMallocHost((void **)&pinned, 4096));
    MUST(cudaHostAlloc((void **)&portable, 4096, cudaHostAllocPortable));
    if (posix_memalign(&registered, 4096, 4096))
        return 1;
    MUST(cudaHostRegister(registered, 4096, cudaHostRegisterDefault));
    use_on_1("plain", pinned);
    use_on_1("portable", portable);
    use_on_1("registered", (int *)registered);
    fact_error("free_from_other_device.error", cudaFreeHost(pinned));
    fact_error("unregister_from_other_device.error",
               cudaHostUnregister(registered));
    return 0;
}
