// gpus: 2
/*
 * copy_other_current.cu: device 1 is current, the memory is device 0's: which
 * device's pending work does a copy wait for, blocking or in a stream?
 * Source: Runtime API, API synchronization behavior, is silent; observed.
 */
#include "fact.h"

static int *memory, *pinned;
static cudaStream_t stream[2], idle[2];
static cudaEvent_t slow_done[2], mark[2];

static void begin(int busy)
{
    for (int d = 0; d < 2; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaDeviceSynchronize());
    }
    MUST(cudaSetDevice(busy));
    fact_slow(stream[busy]);
    MUST(cudaEventRecord(slow_done[busy], stream[busy]));
    MUST(cudaSetDevice(1));
}

/* State whether the host waited, and whether @in, of device @of, did. */
static void end(const char *key, int busy, cudaError_t error, int of,
                cudaStream_t in)
{
    fact("%s.error=%d", key, (int)error);
    fact("%s.host_waits=%s", key, fact_is_done(slow_done[busy]));
    MUST(cudaSetDevice(of));
    MUST(cudaEventRecord(mark[of], in));
    MUST(cudaEventSynchronize(mark[of]));
    fact("%s.copy_waits=%s", key, fact_is_done(slow_done[busy]));
    MUST(cudaSetDevice(1));
}

static cudaError_t copy_in(void)
{
    return cudaMemcpy(memory, pinned, 4096, cudaMemcpyHostToDevice);
}

static cudaError_t copy_back(void)
{
    return cudaMemcpy(pinned, memory, 4096, cudaMemcpyDeviceToHost);
}

static cudaError_t copy_async(cudaStream_t in)
{
    return cudaMemcpyAsync(memory, pinned, 4096, cudaMemcpyHostToDevice, in);
}

int main(void)
{
    cudaError_t error;

    fact_need_gpus(2);
    MUST(cudaMallocHost((void **)&pinned, 4096));
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        fact_warm_up();
        MUST(cudaStreamCreate(&stream[d]));
        MUST(cudaStreamCreateWithFlags(&idle[d], cudaStreamNonBlocking));
        MUST(cudaEventCreateWithFlags(&slow_done[d], cudaEventDisableTiming));
        MUST(cudaEventCreateWithFlags(&mark[d], cudaEventDisableTiming));
    }
    MUST(cudaMalloc((void **)&memory, 4096));
    MUST(cudaSetDevice(1));
    MUST(copy_in());
    MUST(copy_async(0));
    MUST(cudaSetDevice(0));
    fact_store<<<1, 1, 0, stream[0]>>>(memory, 1);
    MUST(cudaSetDevice(1));

    begin(0);
    end("in_memorys_device_busy", 0, copy_in(), 1, 0);
    begin(1);
    end("in_current_device_busy", 1, copy_in(), 1, 0);
    begin(0);
    end("back_memorys_device_busy", 0, copy_back(), 1, 0);
    begin(1);
    end("back_current_device_busy", 1, copy_back(), 1, 0);
    begin(0);
    end("async_default_memorys_device_busy", 0, copy_async(0), 1, 0);
    begin(1);
    end("async_default_current_device_busy", 1, copy_async(0), 1, 0);
    begin(0);
    end("async_in_idle_stream_of_1_device_0_busy", 0, copy_async(idle[1]), 1,
        idle[1]);
    begin(1);
    end("async_in_idle_stream_of_0_device_1_busy", 1, copy_async(idle[0]), 0,
        idle[0]);
    begin(0);
    end("async_in_busy_stream_of_0", 0, copy_async(stream[0]), 0, stream[0]);

    /* The copy waits for device 1. Does device 0's later work wait for it? */
    begin(1);
    error = copy_async(0);
    MUST(cudaSetDevice(0));
    fact_store<<<1, 1, 0, stream[0]>>>(memory, 1);
    end("later_in_blocking_stream_of_0", 1, error, 0, stream[0]);
    begin(1);
    error = copy_async(0);
    MUST(cudaSetDevice(0));
    fact_store<<<1, 1>>>(memory, 1);
    end("later_in_default_stream_of_0", 1, error, 0, 0);
    return 0;
}
