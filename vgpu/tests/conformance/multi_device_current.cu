// gpus: 2
/*
 * multi_device_current.cu: calls act on the current device; changing it
 * waits for nothing; a device sync and a default stream concern one device.
 * Source: programming guide, Multi-Device System; Runtime API,
 * cudaSetDevice.
 */
#include "fact.h"

static int device_of(const void *pointer)
{
    struct cudaPointerAttributes a;

    MUST(cudaPointerGetAttributes(&a, pointer));
    return a.device;
}

int main(void)
{
    cudaStream_t s[2];
    cudaEvent_t slow_done, mark;
    int *memory[2];
    int device = -1;

    fact_need_gpus(2);
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        fact_warm_up();
        MUST(cudaMalloc((void **)&memory[d], 64));
        MUST(cudaStreamCreate(&s[d]));
    }
    MUST(cudaEventCreate(&slow_done));
    MUST(cudaSetDevice(1));
    MUST(cudaEventCreate(&mark));
    MUST(cudaGetDevice(&device));
    fact_int("current", device);
    fact_int("memory_0_is_on", device_of(memory[0]));
    fact_int("memory_1_is_on", device_of(memory[1]));
    MUST(cudaStreamGetDevice(s[1], &device));
    fact_int("stream_1_is_on", device);

    MUST(cudaSetDevice(0));
    fact_slow(s[0]);
    MUST(cudaEventRecord(slow_done, s[0]));
    MUST(cudaSetDevice(1));
    fact_done("set_device_waits", slow_done);
    MUST(cudaDeviceSynchronize());
    fact_done("synchronize_of_other_device_waits", slow_done);
    fact_store<<<1, 1>>>(memory[1], 1);
    MUST(cudaEventRecord(mark, 0));
    MUST(cudaEventSynchronize(mark));
    fact_done("default_stream_of_other_device_waits", slow_done);
    MUST(cudaMemset(memory[1], 0, 64));
    MUST(cudaMemcpy(&device, memory[1], 4, cudaMemcpyDeviceToHost));
    fact_done("copy_from_other_device_waits", slow_done);
    MUST(cudaSetDevice(0));
    MUST(cudaDeviceSynchronize());
    fact_done("synchronize_of_its_device_waits", slow_done);

    MUST(cudaSetDevice(1));
    fact_error("memset_of_other_devices_memory.error",
               cudaMemset(memory[0], 0, 64));
    cudaGetLastError();
    fact_error("copy_of_other_devices_memory.error",
               cudaMemcpy(&device, memory[0], 4, cudaMemcpyDeviceToHost));
    fact_error("free_of_other_devices_memory.error", cudaFree(memory[0]));
    fact_error("stream_synchronize_of_other_device.error",
               cudaStreamSynchronize(s[0]));
    fact_error("stream_destroy_of_other_device.error", cudaStreamDestroy(s[0]));
    return 0;
}
