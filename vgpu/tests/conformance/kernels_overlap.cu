/*
 * kernels_overlap.cu: small kernels of different streams, and copies in both
 * directions, run at the same time; those of one stream do not.
 * Source: programming guide, Concurrent Kernel Execution, Overlap.
 */
#include "fact.h"

enum { UNIT_MS = 20 };

static cudaEvent_t start, end;

/* Time of @kernels slow kernels spread over @count streams, ms. */
static double time_kernels(int kernels, cudaStream_t *streams, int count)
{
    float ms = 0.0f;

    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(start, 0));
    for (int i = 0; i < kernels; i++)
        fact_slow_ms(streams[i % count], UNIT_MS);
    MUST(cudaEventRecord(end, 0));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, start, end));
    return (double)ms;
}

int main(void)
{
    cudaStream_t streams[4], copier;
    cudaEvent_t slow_done, copy_done;
    char *device, *pinned;
    double unit, units;

    fact_warm_up();
    for (int i = 0; i < 4; i++)
        MUST(cudaStreamCreate(&streams[i]));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&end));
    time_kernels(1, streams, 1);
    unit = time_kernels(1, streams, 1);
    units = time_kernels(4, streams, 1) / unit;
    fact_yes("one_stream_takes_about_4_units", units > 3.4 && units < 5.0);
    units = time_kernels(4, streams, 2) / unit;
    fact_yes("two_streams_take_about_2_units", units > 1.6 && units < 2.8);
    units = time_kernels(4, streams, 4) / unit;
    fact_yes("four_streams_take_about_1_unit", units > 0.7 && units < 1.6);

    MUST(cudaStreamCreateWithFlags(&copier, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&slow_done));
    MUST(cudaEventCreate(&copy_done));
    MUST(cudaMalloc((void **)&device, 1 << 20));
    MUST(cudaMallocHost((void **)&pinned, 1 << 20));
    MUST(cudaDeviceSynchronize());
    fact_slow(streams[0]);
    MUST(cudaEventRecord(slow_done, streams[0]));
    MUST(cudaMemcpyAsync(device, pinned, 1 << 20, cudaMemcpyHostToDevice,
                         copier));
    MUST(cudaMemcpyAsync(pinned, device, 1 << 20, cudaMemcpyDeviceToHost,
                         copier));
    MUST(cudaEventRecord(copy_done, copier));
    MUST(cudaEventSynchronize(copy_done));
    fact_yes("copies_end_while_kernel_runs",
             cudaEventQuery(slow_done) == cudaErrorNotReady);
    MUST(cudaDeviceSynchronize());
    return 0;
}
