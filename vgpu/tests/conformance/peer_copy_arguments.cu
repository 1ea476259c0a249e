// gpus: 2
/*
 * peer_copy_arguments.cu: cudaMemcpyPeer with device numbers that are not the
 * pointers' own, or of no device, or with memory of the host.
 * Source: Runtime API, Memory Management, is silent; observed.
 */
#include "fact.h"

enum { COUNT = 256 };

static int *memory[2], *pinned, plain[COUNT], values[COUNT];
static cudaStream_t stream;

/* Device 1's memory holds -1 before each copy; did it get device 0's? */
static void begin(void)
{
    MUST(cudaSetDevice(1));
    MUST(cudaMemset(memory[1], 0xff, sizeof values));
    MUST(cudaDeviceSynchronize());
    MUST(cudaSetDevice(0));
    for (int i = 0; i < COUNT; i++)
        pinned[i] = plain[i] = i;
}

static void end(const char *key, cudaError_t error)
{
    fact("%s.error=%d %s", key, (int)error, cudaGetErrorName(error));
    cudaGetLastError();
    fact("%s.later=%d", key, (int)cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(values, memory[1], sizeof values, cudaMemcpyDeviceToHost));
    fact("%s.copied=%s", key,
         values[0] == 0 && values[COUNT - 1] == COUNT - 1 ? "yes" : "no");
}

static void try_all(const char *key, int to, int from)
{
    char name[64];

    begin();
    snprintf(name, sizeof name, "%s.blocking", key);
    end(name, cudaMemcpyPeer(memory[1], to, memory[0], from, sizeof values));
    begin();
    snprintf(name, sizeof name, "%s.async", key);
    end(name, cudaMemcpyPeerAsync(memory[1], to, memory[0], from, sizeof values,
                                  stream));
}

int main(void)
{
    fact_need_gpus(2);
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        fact_warm_up();
        MUST(cudaMalloc((void **)&memory[d], sizeof values));
    }
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocHost((void **)&pinned, sizeof values));
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    MUST(cudaMemcpy(memory[0], values, sizeof values, cudaMemcpyHostToDevice));
    MUST(cudaDeviceSynchronize());

    try_all("right", 1, 0);
    try_all("exchanged", 0, 1);
    try_all("both_0", 0, 0);
    try_all("both_1", 1, 1);
    try_all("no_such_destination", 99, 0);
    try_all("no_such_source", 1, -1);

    begin();
    end("from_pinned.async",
        cudaMemcpyPeerAsync(memory[1], 1, pinned, 0, sizeof values, stream));
    begin();
    end("from_pageable.async",
        cudaMemcpyPeerAsync(memory[1], 1, plain, 0, sizeof values, stream));

    MUST(cudaDeviceEnablePeerAccess(1, 0));
    try_all("access_one_way_exchanged", 0, 1);
    MUST(cudaSetDevice(1));
    MUST(cudaDeviceEnablePeerAccess(0, 0));
    try_all("access_both_ways_exchanged", 0, 1);
    return 0;
}
