/*
 * fault_surfaces.cu: a kernel's fault is returned by the next call that
 * waits for it, whichever that is. One process per call.
 * Source: programming guide, Error Checking, Asynchronous errors.
 */
#include "fact.h"

static cudaStream_t stream;
static cudaEvent_t event;
static int *memory;

static void make_fault(void)
{
    fact_warm_up();
    MUST(cudaStreamCreate(&stream));
    MUST(cudaEventCreate(&event));
    MUST(cudaMalloc((void **)&memory, 64));
    MUST(cudaDeviceSynchronize());
    fact_slow_ms(stream, 10);
    fact_store<<<1, 1, 0, stream>>>((int *)16, 1);
    MUST(cudaEventRecord(event, stream));
}

static void by_copy(void)
{
    int value = 0;

    make_fault();
    fact_error("blocking_copy.illegal_address",
               cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost));
}

static void by_event_synchronize(void)
{
    make_fault();
    fact_error("event_synchronize.illegal_address",
               cudaEventSynchronize(event));
}

static void by_query(void)
{
    cudaError_t error;

    make_fault();
    fact_error("query_before.not_ready", cudaStreamQuery(stream));
    do
        error = cudaStreamQuery(stream);
    while (error == cudaErrorNotReady);
    fact_error("query_polled.illegal_address", error);
    fact_last("query_polled.latched");
}

static void by_free(void)
{
    make_fault();
    fact_error("free.illegal_address", cudaFree(memory));
}

int main(void)
{
    fact_in_child("copy", by_copy);
    fact_in_child("event_synchronize", by_event_synchronize);
    fact_in_child("query", by_query);
    fact_in_child("free", by_free);
    return 0;
}
