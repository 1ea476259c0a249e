// gpus: 2
/*
 * wrong_device_stream.cu: what works in a stream of another device than the
 * current one. The guides say that a launch fails; today it runs, on the
 * stream's device.
 * Source: programming guide, Stream and Event Behavior; observed.
 */
#include "fact.h"

__device__ int ran_here;

static __global__ void leave_mark(int value)
{
    ran_here = value;
}

static int mark_of(int device)
{
    int value = -1;

    MUST(cudaSetDevice(device));
    MUST(cudaMemcpyFromSymbol(&value, ran_here, sizeof(int)));
    return value;
}

static void use_stream_of_1(cudaStream_t stream_of_1, cudaEvent_t event_of_0,
                            cudaEvent_t event_of_1, int *memory_of_1)
{
    int *pinned;
    int device = -1;

    MUST(cudaMallocHost((void **)&pinned, 64));
    pinned[0] = 5;
    fact_error("memset.error",
               cudaMemsetAsync(memory_of_1, 0, 64, stream_of_1));
    cudaGetLastError();
    fact_error("copy.error",
               cudaMemcpyAsync(memory_of_1, pinned, 4, cudaMemcpyHostToDevice,
                               stream_of_1));
    cudaGetLastError();
    fact_error("record_event_of_0.error",
               cudaEventRecord(event_of_0, stream_of_1));
    fact_last("record_event_of_0.latched");
    fact_error("record_event_of_1.error",
               cudaEventRecord(event_of_1, stream_of_1));
    cudaGetLastError();
    fact_error("event_synchronize.error", cudaEventSynchronize(event_of_1));
    fact_error("event_query.error", cudaEventQuery(event_of_1));
    fact_error("wait_in_it_for_event_of_0.error",
               cudaStreamWaitEvent(stream_of_1, event_of_0, 0));
    fact_error("wait_in_0_for_event_of_1.error",
               cudaStreamWaitEvent(0, event_of_1, 0));
    fact_error("query.error", cudaStreamQuery(stream_of_1));
    fact_error("get_device.error", cudaStreamGetDevice(stream_of_1, &device));
    fact_int("get_device.device", device);
    fact_error("synchronize.error", cudaStreamSynchronize(stream_of_1));
    pinned[0] = 0;
    MUST(cudaMemcpy(pinned, memory_of_1, 4, cudaMemcpyDefault));
    fact_int("copy.value", pinned[0]);
}

int main(void)
{
    cudaStream_t stream_of_1;
    cudaEvent_t event_of_0, event_of_1, done_1;
    int *memory_of_1;

    fact_need_gpus(2);
    MUST(cudaSetDevice(1));
    fact_warm_up();
    leave_mark<<<1, 1>>>(0);
    MUST(cudaDeviceSynchronize());
    MUST(cudaStreamCreate(&stream_of_1));
    MUST(cudaEventCreate(&event_of_1));
    MUST(cudaEventCreate(&done_1));
    MUST(cudaMalloc((void **)&memory_of_1, 64));
    MUST(cudaSetDevice(0));
    fact_warm_up();
    leave_mark<<<1, 1>>>(0);
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventCreate(&event_of_0));

    leave_mark<<<1, 1, 0, stream_of_1>>>(9);
    fact_error("launch.error", cudaGetLastError());
    fact_error("launch.stream_synchronize", cudaStreamSynchronize(stream_of_1));
    fact_int("launch.mark_on_device_0", mark_of(0));
    fact_int("launch.mark_on_device_1", mark_of(1));
    MUST(cudaSetDevice(0));

    fact_slow(stream_of_1);
    fact_error("slow.record", cudaEventRecord(done_1, stream_of_1));
    MUST(cudaDeviceSynchronize());
    fact_done("slow.done_after_synchronize_of_device_0", done_1);
    MUST(cudaSetDevice(1));
    MUST(cudaDeviceSynchronize());
    fact_done("slow.done_after_synchronize_of_device_1", done_1);
    MUST(cudaSetDevice(0));
    use_stream_of_1(stream_of_1, event_of_0, event_of_1, memory_of_1);
    fact_error("destroy.error", cudaStreamDestroy(stream_of_1));
    return 0;
}
