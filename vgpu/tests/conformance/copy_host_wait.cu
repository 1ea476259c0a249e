/*
 * copy_host_wait.cu: when cudaMemcpy keeps the host waiting for a kernel
 * that runs in a blocking (B) or a non-blocking (N) stream. It works in the
 * legacy default stream, which waits for B and not for N.
 * Source: Runtime API, API synchronization behavior; details observed.
 */
#include "fact.h"

enum { SMALL = 64, LARGE = 1 << 20 };

static char *device, *device_2, *pinned, *pinned_2, *pageable, *pageable_2;

static void to_device(cudaStream_t b, cudaStream_t n)
{
    const enum cudaMemcpyKind kind = cudaMemcpyHostToDevice;

    FACT_WAITS("pageable_to_device_small.B_busy", b,
               cudaMemcpy(device, pageable, SMALL, kind));
    FACT_WAITS("pageable_to_device_small.N_busy", n,
               cudaMemcpy(device, pageable, SMALL, kind));
    FACT_WAITS("pageable_to_device_large.B_busy", b,
               cudaMemcpy(device, pageable, LARGE, kind));
    FACT_WAITS("pageable_to_device_large.N_busy", n,
               cudaMemcpy(device, pageable, LARGE, kind));
    FACT_WAITS("pinned_to_device_small.B_busy", b,
               cudaMemcpy(device, pinned, SMALL, kind));
    FACT_WAITS("pinned_to_device_small.N_busy", n,
               cudaMemcpy(device, pinned, SMALL, kind));
    FACT_WAITS("pinned_to_device_large.B_busy", b,
               cudaMemcpy(device, pinned, LARGE, kind));
    FACT_WAITS("pageable_to_device_small.default_busy", 0,
               cudaMemcpy(device, pageable, SMALL, kind));
}

static void to_host(cudaStream_t b, cudaStream_t n)
{
    const enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost;

    FACT_WAITS("device_to_pageable_small.B_busy", b,
               cudaMemcpy(pageable, device, SMALL, kind));
    FACT_WAITS("device_to_pageable_small.N_busy", n,
               cudaMemcpy(pageable, device, SMALL, kind));
    FACT_WAITS("device_to_pinned_small.B_busy", b,
               cudaMemcpy(pinned, device, SMALL, kind));
    FACT_WAITS("device_to_pinned_small.N_busy", n,
               cudaMemcpy(pinned, device, SMALL, kind));
    FACT_WAITS("device_to_pinned_default_kind.B_busy", b,
               cudaMemcpy(pinned, device, SMALL, cudaMemcpyDefault));
}

static void others(cudaStream_t b, cudaStream_t n)
{
    FACT_WAITS("device_to_device.B_busy", b,
               cudaMemcpy(device_2, device, LARGE, cudaMemcpyDeviceToDevice));
    FACT_WAITS("device_to_device.N_busy", n,
               cudaMemcpy(device_2, device, LARGE, cudaMemcpyDeviceToDevice));
    FACT_WAITS("device_to_device_default_kind.B_busy", b,
               cudaMemcpy(device_2, device, LARGE, cudaMemcpyDefault));
    FACT_WAITS("pageable_to_pageable.B_busy", b,
               cudaMemcpy(pageable_2, pageable, SMALL, cudaMemcpyHostToHost));
    FACT_WAITS("pageable_to_pageable.N_busy", n,
               cudaMemcpy(pageable_2, pageable, SMALL, cudaMemcpyHostToHost));
    FACT_WAITS("pinned_to_pinned.B_busy", b,
               cudaMemcpy(pinned_2, pinned, SMALL, cudaMemcpyHostToHost));
}

int main(void)
{
    cudaStream_t b, n;

    fact_warm_up();
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&device, LARGE));
    MUST(cudaMalloc((void **)&device_2, LARGE));
    MUST(cudaMallocHost((void **)&pinned, LARGE));
    MUST(cudaMallocHost((void **)&pinned_2, LARGE));
    pageable = (char *)calloc(1, LARGE);
    pageable_2 = (char *)calloc(1, LARGE);
    memset(pinned, 0, LARGE);
    MUST(cudaMemset(device, 0, LARGE));
    MUST(cudaMemcpy(device, pageable, LARGE, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(pageable, device, LARGE, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(device_2, device, LARGE, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy(pinned_2, pinned, LARGE, cudaMemcpyHostToHost));
    to_device(b, n);
    to_host(b, n);
    others(b, n);
    return 0;
}
