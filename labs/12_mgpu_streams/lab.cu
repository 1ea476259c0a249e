/* lab.cu: streams on several GPUs, stream chunks in GPU chunks. */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void mgpu_choose_chunks(struct mgpu *mgpu)
{
    // TODO 1: how many entries has a stream's chunk, and how many a GPU's?
    mgpu->stream_chunk = 0;
    mgpu->gpu_chunk = 0;
}

uint64_t chunk_width(uint64_t lower, uint64_t size, uint64_t num_entries)
{
    // TODO 2: a full chunk, a shorter one at the end of the data, or an
    // empty one after it. Delete the line with (void).
    (void)lower, (void)size, (void)num_entries;
    return 0;
}

void mgpu_create(struct mgpu *mgpu)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        // TODO 3: this GPU's streams, and memory for the entries of its
        // chunk. On which GPU are they made?
        mgpu->data_gpu[gpu] = NULL;
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
        // TODO 4: this queues nothing. Give each stream of this GPU its
        // chunk: where does it begin in data_host, where in data_gpu[gpu],
        // how many entries has it, and which stream is it?
        decrypt_chunk(data_host, mgpu->data_gpu[gpu], 0, num_iters, 0);
    }

    // TODO 5: the caller reads data_host as soon as this function returns.
    // What has to have happened by then, and on which GPUs?
}

void mgpu_destroy(struct mgpu *mgpu)
{
    for (uint64_t gpu = 0; gpu < mgpu->num_gpus; gpu++) {
        // TODO 6: give back what mgpu_create takes now.
    }
}
