/*
 * fault.h: what every call returns after a kernel has ended with a fault
 *
 * Such an error stays until the process ends. The faulting kernel is queued
 * behind a slow one, so that its launch has returned before it runs.
 */
#ifndef FAULT_H
#define FAULT_H

#include "fact.h"

struct fault_state {
    cudaStream_t stream;
    cudaEvent_t before, after;
    void *memory;
};

/* Make what is used later and put slow work before the fault. */
static inline void fault_prepare(struct fault_state *state)
{
    fact_warm_up();
    MUST(cudaStreamCreate(&state->stream));
    MUST(cudaEventCreate(&state->before));
    MUST(cudaEventCreate(&state->after));
    MUST(cudaMalloc(&state->memory, 4096));
    MUST(cudaMemset(state->memory, 0, 4096));
    MUST(cudaDeviceSynchronize());
    fact_slow_ms(state->stream, 10);
    MUST(cudaEventRecord(state->before, state->stream));
}

/* The faulting kernel was launched: state what follows. */
static inline void fault_report(struct fault_state *state)
{
    cudaStream_t stream = NULL;
    void *memory = NULL;
    int device = -1;
    int value = 0;

    fact_error("launch.error", cudaGetLastError());
    fact_error("record_behind.error",
               cudaEventRecord(state->after, state->stream));
    fact_error("synchronize.error", cudaStreamSynchronize(state->stream));
    fact_last("last_error");
    fact_last("last_error_again");
    fact_error("peek", cudaPeekAtLastError());
    fact_error("then.device_synchronize", cudaDeviceSynchronize());
    fact_error("then.stream_query", cudaStreamQuery(state->stream));
    fact_error("then.event_query", cudaEventQuery(state->after));
    fact_error("then.malloc", cudaMalloc(&memory, 64));
    fact_error("then.free", cudaFree(state->memory));
    fact_error("then.memset", cudaMemset(state->memory, 0, 4));
    fact_error("then.copy", cudaMemcpy(&value, state->memory, sizeof(int),
                                       cudaMemcpyDeviceToHost));
    fact_error("then.stream_create", cudaStreamCreate(&stream));
    fact_store<<<1, 1>>>((int *)state->memory, 1);
    fact_error("then.launch", cudaGetLastError());
    fact_error("then.get_device", cudaGetDevice(&device));
    fact_error("then.set_device", cudaSetDevice(0));
}

/* What cudaDeviceReset and calls after it return. */
static inline void fault_reset(void)
{
    void *memory = NULL;

    fact_error("reset.error", cudaDeviceReset());
    fact_last("reset.last_error");
    fact_error("after_reset.malloc", cudaMalloc(&memory, 64));
    fact_last("after_reset.last_error");
    fact_error("after_reset.synchronize", cudaDeviceSynchronize());
}

#endif
