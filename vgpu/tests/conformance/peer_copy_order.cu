// gpus: 2
/*
 * peer_copy_order.cu: cudaMemcpyPeer does not keep the host waiting, but is
 * ordered after pending work of both devices; the Async form only after its
 * own stream.
 * Source: Runtime API, Memory Management, cudaMemcpyPeer.
 */
#include "fact.h"

static int *memory[2];
static cudaStream_t stream[2];
static cudaEvent_t slow_done[2], mark;

static void begin(int busy)
{
    for (int d = 0; d < 2; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaDeviceSynchronize());
    }
    MUST(cudaSetDevice(busy));
    fact_slow(stream[busy]);
    MUST(cudaEventRecord(slow_done[busy], stream[busy]));
    MUST(cudaSetDevice(0));
}

/* State whether the host waited, and whether @in's later work did. */
static void end(const char *key, int busy, cudaError_t error, cudaStream_t in)
{
    fact("%s.error=%d", key, (int)error);
    fact("%s.host_waits=%s", key, fact_is_done(slow_done[busy]));
    MUST(cudaEventRecord(mark, in));
    MUST(cudaEventSynchronize(mark));
    fact("%s.copy_waits=%s", key, fact_is_done(slow_done[busy]));
}

static cudaError_t copy(void)
{
    return cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096);
}

static cudaError_t copy_async(cudaStream_t in)
{
    return cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, 4096, in);
}

static void make(int device, unsigned int flags)
{
    MUST(cudaSetDevice(device));
    MUST(cudaStreamCreateWithFlags(&stream[device], flags));
}

int main(void)
{
    cudaStream_t idle;

    fact_need_gpus(2);
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        fact_warm_up();
        MUST(cudaMalloc((void **)&memory[d], 4096));
        MUST(cudaEventCreateWithFlags(&slow_done[d], cudaEventDisableTiming));
        make(d, cudaStreamDefault);
    }
    MUST(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    MUST(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
    MUST(copy());
    MUST(copy_async(idle));

    begin(0);
    end("source_blocking_busy", 0, copy(), 0);
    begin(1);
    end("destination_blocking_busy", 1, copy(), 0);
    begin(0);
    end("async_in_idle_stream_source_busy", 0, copy_async(idle), idle);
    begin(0);
    end("async_in_busy_stream", 0, copy_async(stream[0]), stream[0]);
    make(1, cudaStreamNonBlocking);
    make(0, cudaStreamNonBlocking);
    begin(0);
    end("source_nonblocking_busy", 0, copy(), 0);
    begin(1);
    end("destination_nonblocking_busy", 1, copy(), 0);
    begin(1);
    end("async_in_idle_stream_destination_busy", 1, copy_async(idle), idle);
    return 0;
}
