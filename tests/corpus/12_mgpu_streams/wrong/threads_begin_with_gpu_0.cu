// expect: thread-on-gpu-0
// A host thread for each GPU; all begin with GPU 0, none chooses its own.
#include "lab.h"

#include <thread>

#include "check.h"
#include "cipher.h"
#include "helper.h"

void mgpu_choose_chunks(struct mgpu *mgpu)
{
    mgpu->stream_chunk =
        sdiv(mgpu->num_entries, mgpu->num_gpus * mgpu->num_streams);
    // Whole stream chunks: none of them begins on one GPU and ends on the next.
    mgpu->gpu_chunk = mgpu->stream_chunk * mgpu->num_streams;
}

uint64_t chunk_width(uint64_t lower, uint64_t size, uint64_t num_entries)
{
    if (lower >= num_entries)
        return 0;
    return min(size, num_entries - lower);
}

void mgpu_create(struct mgpu *mgpu)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        const uint64_t width = chunk_width(gpu * mgpu->gpu_chunk,
                                           mgpu->gpu_chunk, mgpu->num_entries);

        // Both calls below are for the current GPU.
        CHECK(cudaSetDevice((int)gpu));
        for (uint64_t s = 0; s < mgpu->num_streams; s++)
            CHECK(cudaStreamCreate(&mgpu->streams[gpu][s]));
        CHECK(cudaMalloc(&mgpu->data_gpu[gpu], width * sizeof(uint64_t)));
    }
}

/* One chunk: in, decrypt, back. Only queued, in @stream. */
static void decrypt_chunk(uint64_t *host, uint64_t *device, uint64_t width,
                          uint64_t num_iters, cudaStream_t stream)
{
    const size_t bytes = width * sizeof(uint64_t);

    if (width == 0)
        return;
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
        device, width, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

/* The current device is the thread's own. */
static void work_on(const struct mgpu *mgpu, uint64_t gpu, uint64_t *data_host,
                    uint64_t num_iters)
{
    for (uint64_t s = 0; s < mgpu->num_streams; s++) {
        const uint64_t offset = s * mgpu->stream_chunk;
        const uint64_t lower = gpu * mgpu->gpu_chunk + offset;

        decrypt_chunk(data_host + lower, mgpu->data_gpu[gpu] + offset,
                      chunk_width(lower, mgpu->stream_chunk, mgpu->num_entries),
                      num_iters, mgpu->streams[gpu][s]);
    }
    CHECK(cudaDeviceSynchronize());
}

void mgpu_decrypt(const struct mgpu *mgpu, uint64_t *data_host,
                  uint64_t num_iters)
{
    std::thread threads[MAX_GPUS];

    // Only now, when all GPUs have all of their work.
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++)
        threads[gpu] = std::thread(work_on, mgpu, gpu, data_host, num_iters);
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++)
        threads[gpu].join();
}

void mgpu_destroy(struct mgpu *mgpu)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        CHECK(cudaSetDevice((int)gpu));
        for (uint64_t s = 0; s < mgpu->num_streams; s++)
            CHECK(cudaStreamDestroy(mgpu->streams[gpu][s]));
        CHECK(cudaFree(mgpu->data_gpu[gpu]));
    }
}
