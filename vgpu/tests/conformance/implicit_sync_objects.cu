/*
 * implicit_sync_objects.cu: making and destroying streams and events, and
 * asking about things, does not keep the host waiting for a busy stream.
 * Source: observed; Runtime API, cudaStreamDestroy, cudaEventDestroy.
 */
#include "fact.h"

static void streams(cudaStream_t busy)
{
    cudaStream_t made[3] = {NULL};

    FACT_WAITS("cudaStreamCreate", busy, cudaStreamCreate(&made[0]));
    FACT_WAITS("cudaStreamCreateWithFlags", busy,
               cudaStreamCreateWithFlags(&made[1], cudaStreamNonBlocking));
    FACT_WAITS(
        "cudaStreamCreateWithPriority", busy,
        cudaStreamCreateWithPriority(&made[2], cudaStreamNonBlocking, -1));
    FACT_WAITS("cudaStreamDestroy_idle", busy, cudaStreamDestroy(made[0]));
    FACT_WAITS("cudaStreamDestroy_busy", made[1], cudaStreamDestroy(made[1]));
    FACT_WAITS("cudaStreamSynchronize_idle", busy,
               cudaStreamSynchronize(made[2]));
    FACT_WAITS("cudaStreamSynchronize_busy", busy, cudaStreamSynchronize(busy));
    FACT_WAITS("cudaStreamSynchronize_default", busy, cudaStreamSynchronize(0));
    FACT_WAITS("cudaStreamQuery_busy", busy, cudaStreamQuery(busy));
    FACT_WAITS("cudaDeviceSynchronize", busy, cudaDeviceSynchronize());
}

static cudaError_t record_and_destroy(cudaEvent_t event, cudaStream_t stream)
{
    MUST(cudaEventRecord(event, stream));
    return cudaEventDestroy(event);
}

static void events(cudaStream_t busy)
{
    cudaEvent_t made[3] = {NULL};

    MUST(cudaEventCreate(&made[2]));
    FACT_WAITS("cudaEventCreate", busy, cudaEventCreate(&made[0]));
    FACT_WAITS("cudaEventCreateWithFlags", busy,
               cudaEventCreateWithFlags(&made[1], cudaEventBlockingSync));
    FACT_WAITS("cudaEventRecord", busy, cudaEventRecord(made[0], busy));
    FACT_WAITS("cudaStreamWaitEvent", busy,
               cudaStreamWaitEvent(busy, made[0], 0));
    FACT_WAITS("cudaEventSynchronize_never_recorded", busy,
               cudaEventSynchronize(made[2]));
    FACT_WAITS("cudaEventDestroy_idle", busy, cudaEventDestroy(made[1]));
    FACT_WAITS("cudaEventDestroy_pending", busy,
               record_and_destroy(made[0], busy));
}

static void questions(cudaStream_t busy)
{
    struct cudaFuncAttributes function;
    struct cudaPointerAttributes pointer;
    struct cudaDeviceProp properties;
    size_t free_bytes, total_bytes;
    int number = 0;

    FACT_WAITS("cudaSetDevice", busy, cudaSetDevice(0));
    FACT_WAITS("cudaMemGetInfo", busy,
               cudaMemGetInfo(&free_bytes, &total_bytes));
    FACT_WAITS("cudaGetDeviceProperties", busy,
               cudaGetDeviceProperties(&properties, 0));
    FACT_WAITS("cudaFuncGetAttributes", busy,
               cudaFuncGetAttributes(&function, (const void *)fact_spin));
    FACT_WAITS("cudaPointerGetAttributes", busy,
               cudaPointerGetAttributes(&pointer, &number));
    FACT_WAITS("cudaGetLastError", busy, cudaGetLastError());
    FACT_WAITS("cudaOccupancyMaxActiveBlocksPerMultiprocessor", busy,
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, fact_spin,
                                                             128, 0));
}

int main(void)
{
    struct cudaFuncAttributes function;
    cudaStream_t busy;

    fact_warm_up();
    MUST(cudaFuncGetAttributes(&function, (const void *)fact_spin));
    MUST(cudaStreamCreate(&busy));
    streams(busy);
    events(busy);
    questions(busy);
    return 0;
}
