// expect: read-before-sync
// A helper queues; the caller waits for what is queued by then.
#include "lab.h"

#include <thread>

#include "check.h"
#include "cipher.h"
#include "helper.h"

static uint64_t sum_entries(const uint64_t *entries, uint64_t num_entries)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < num_entries; i++)
        sum += entries[i];
    return sum;
}

uint64_t decrypt_together(uint64_t *gpu_part, uint64_t *data_device,
                          uint64_t num_gpu, uint64_t *host_part,
                          uint64_t num_host, uint64_t num_iters)
{
    std::thread other([=] {
        decrypt_gpu<<<decrypt_blocks(num_gpu), DECRYPT_THREADS>>>(
            data_device, num_gpu, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(gpu_part, data_device, num_gpu * sizeof(uint64_t),
                              cudaMemcpyDeviceToHost, 0));
        CHECK(cudaStreamSynchronize(0));
    });
    for (uint64_t i = 0; i < num_host; i++)
        host_part[i] = decrypt_entry(host_part[i], num_iters);
    CHECK(cudaDeviceSynchronize());
    const uint64_t sum =
        sum_entries(gpu_part, num_gpu) + sum_entries(host_part, num_host);
    other.join();
    return sum;
}

void time_kernel(struct kernel_times *times, uint64_t *data_device,
                 uint64_t num_entries, uint64_t num_iters)
{
    const unsigned blocks = decrypt_blocks(num_entries);
    struct host_timer timer;
    cudaEvent_t start, stop;
    float ms;

    // The GPU takes the time when it gets there, so work from before is not
    // counted, nor what the host does meanwhile.
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));

    host_timer_start(&timer);
    decrypt_gpu<<<blocks, DECRYPT_THREADS>>>(data_device, num_entries,
                                             num_iters);
    times->launch_ms = host_timer_stop(&timer);
    CHECK(cudaGetLastError());

    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    times->kernel_ms = ms;
}
