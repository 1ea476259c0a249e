/*
 * copy_async_host_wait.cu: when cudaMemcpyAsync into a busy stream keeps the
 * host waiting. Pinned memory never does; for pageable memory the manual
 * says "may", so those facts are what this device does, not a promise.
 * Source: Runtime API, API synchronization behavior; details observed.
 */
#include "fact.h"

enum { SMALL = 64, LARGE = 1 << 20 };

static char *device, *device_2, *pinned, *pinned_2, *pageable, *pageable_2;

static void pinned_and_device(cudaStream_t s)
{
    FACT_WAITS(
        "pinned_to_device", s,
        cudaMemcpyAsync(device, pinned, LARGE, cudaMemcpyHostToDevice, s));
    FACT_WAITS(
        "device_to_pinned", s,
        cudaMemcpyAsync(pinned, device, LARGE, cudaMemcpyDeviceToHost, s));
    FACT_WAITS(
        "device_to_device", s,
        cudaMemcpyAsync(device_2, device, LARGE, cudaMemcpyDeviceToDevice, s));
    FACT_WAITS("device_to_pinned_default_kind", s,
               cudaMemcpyAsync(pinned, device, SMALL, cudaMemcpyDefault, s));
    FACT_WAITS(
        "pinned_to_pinned", s,
        cudaMemcpyAsync(pinned_2, pinned, SMALL, cudaMemcpyHostToHost, s));
    FACT_WAITS("pinned_to_device_2d", s,
               cudaMemcpy2DAsync(device, 64, pinned, 64, 32, 16,
                                 cudaMemcpyHostToDevice, s));
}

static void pageable_memory(cudaStream_t s)
{
    FACT_WAITS(
        "pageable_to_device_small", s,
        cudaMemcpyAsync(device, pageable, SMALL, cudaMemcpyHostToDevice, s));
    FACT_WAITS(
        "pageable_to_device_large", s,
        cudaMemcpyAsync(device, pageable, LARGE, cudaMemcpyHostToDevice, s));
    FACT_WAITS(
        "device_to_pageable_small", s,
        cudaMemcpyAsync(pageable, device, SMALL, cudaMemcpyDeviceToHost, s));
    FACT_WAITS(
        "device_to_pageable_large", s,
        cudaMemcpyAsync(pageable, device, LARGE, cudaMemcpyDeviceToHost, s));
    FACT_WAITS(
        "pageable_to_pageable", s,
        cudaMemcpyAsync(pageable_2, pageable, SMALL, cudaMemcpyHostToHost, s));
}

static void other_stream_busy(cudaStream_t s, cudaStream_t idle)
{
    FACT_WAITS(
        "pageable_to_device_in_idle_stream", s,
        cudaMemcpyAsync(device, pageable, SMALL, cudaMemcpyHostToDevice, idle));
    FACT_WAITS(
        "device_to_pageable_in_idle_stream", s,
        cudaMemcpyAsync(pageable, device, SMALL, cudaMemcpyDeviceToHost, idle));
}

static void registered_memory(cudaStream_t s)
{
    MUST(cudaHostRegister(pageable, LARGE, cudaHostRegisterDefault));
    FACT_WAITS(
        "registered_to_device", s,
        cudaMemcpyAsync(device, pageable, LARGE, cudaMemcpyHostToDevice, s));
    FACT_WAITS(
        "device_to_registered", s,
        cudaMemcpyAsync(pageable, device, LARGE, cudaMemcpyDeviceToHost, s));
    MUST(cudaHostUnregister(pageable));
}

/* The source of a small pageable copy may be reused at once. */
static void source_is_captured(cudaStream_t s)
{
    int back = 0;

    *(int *)(void *)pageable = 41;
    fact_slow(s);
    MUST(cudaMemcpyAsync(device, pageable, sizeof(int), cudaMemcpyHostToDevice,
                         s));
    *(int *)(void *)pageable = 42;
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(&back, device, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("small_pageable_source_changed_after_return.value_seen", back);
}

int main(void)
{
    cudaStream_t s, idle;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&device, LARGE));
    MUST(cudaMalloc((void **)&device_2, LARGE));
    MUST(cudaMallocHost((void **)&pinned, LARGE));
    MUST(cudaMallocHost((void **)&pinned_2, LARGE));
    memset(pinned, 0, LARGE);
    if (posix_memalign((void **)&pageable, 4096, LARGE) ||
        posix_memalign((void **)&pageable_2, 4096, LARGE))
        return 1;
    memset(pageable, 0, LARGE);
    memset(pageable_2, 0, LARGE);
    MUST(cudaMemcpy(device, pageable, LARGE, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(pageable, device, LARGE, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(device_2, device, LARGE, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy(pinned_2, pinned, LARGE, cudaMemcpyHostToHost));
    pinned_and_device(s);
    pageable_memory(s);
    other_stream_busy(s, idle);
    registered_memory(s);
    source_is_captured(s);
    return 0;
}
