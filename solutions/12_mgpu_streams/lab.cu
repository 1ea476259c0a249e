/* lab.cu: streams on several GPUs, stream chunks in GPU chunks. */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void mgpu_choose_chunks(struct mgpu *mgpu)
{
    // solution>
    mgpu->stream_chunk =
        sdiv(mgpu->num_entries, mgpu->num_gpus * mgpu->num_streams);
    // Whole stream chunks: none of them begins on one GPU and ends on the next.
    mgpu->gpu_chunk = mgpu->stream_chunk * mgpu->num_streams;
    //| // TODO 1: how many entries has a stream's chunk, and how many a GPU's?
    //| mgpu->stream_chunk = 0;
    //| mgpu->gpu_chunk = 0;
    // <solution
}

uint64_t chunk_width(uint64_t lower, uint64_t size, uint64_t num_entries)
{
    // solution>
    if (lower >= num_entries)
        return 0;
    return min(size, num_entries - lower);
    //| // TODO 2: a full chunk, a shorter one at the end of the data, or an
    //| // empty one after it. Delete the line with (void).
    //| (void)lower, (void)size, (void)num_entries;
    //| return 0;
    // <solution
}

void mgpu_create(struct mgpu *mgpu)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        // solution>
        const uint64_t width = chunk_width(gpu * mgpu->gpu_chunk,
                                           mgpu->gpu_chunk, mgpu->num_entries);

        // Both calls below are for the current GPU.
        CHECK(cudaSetDevice((int)gpu));
        for (uint64_t s = 0; s < mgpu->num_streams; s++)
            CHECK(cudaStreamCreate(&mgpu->streams[gpu][s]));
        CHECK(cudaMalloc(&mgpu->data_gpu[gpu], width * sizeof(uint64_t)));
        //| // TODO 3: this GPU's streams, and memory for the entries of its
        //| // chunk. On which GPU are they made?
        //| mgpu->data_gpu[gpu] = NULL;
        // <solution
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

void mgpu_decrypt(const struct mgpu *mgpu, uint64_t *data_host,
                  uint64_t num_iters)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        // solution>
        CHECK(cudaSetDevice((int)gpu));
        for (uint64_t s = 0; s < mgpu->num_streams; s++) {
            // The GPU's memory holds its own chunk only and begins at 0; the
            // host's holds all.
            const uint64_t offset = s * mgpu->stream_chunk;
            const uint64_t lower = gpu * mgpu->gpu_chunk + offset;
            const uint64_t width =
                chunk_width(lower, mgpu->stream_chunk, mgpu->num_entries);

            decrypt_chunk(data_host + lower, mgpu->data_gpu[gpu] + offset,
                          width, num_iters, mgpu->streams[gpu][s]);
        }
        //| // TODO 4: this queues nothing. Give each stream of this GPU its
        //| // chunk: where does it begin in data_host, where in data_gpu[gpu],
        //| // how many entries has it, and which stream is it?
        //| decrypt_chunk(data_host, mgpu->data_gpu[gpu], 0, num_iters, 0);
        // <solution
    }

    // solution>
    // Only now, when all GPUs have all of their work.
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++)
        for (uint64_t s = 0; s < mgpu->num_streams; s++)
            CHECK(cudaStreamSynchronize(mgpu->streams[gpu][s]));
    //| // TODO 5: the caller reads data_host as soon as this function returns.
    //| // What has to have happened by then, and on which GPUs?
    // <solution
}

void mgpu_destroy(struct mgpu *mgpu)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        // solution>
        CHECK(cudaSetDevice((int)gpu));
        for (uint64_t s = 0; s < mgpu->num_streams; s++)
            CHECK(cudaStreamDestroy(mgpu->streams[gpu][s]));
        CHECK(cudaFree(mgpu->data_gpu[gpu]));
        //| // TODO 6: give back what mgpu_create takes now.
        // <solution
    }
}
