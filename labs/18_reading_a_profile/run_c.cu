/* run_c.cu: eight chunks through four slots, each with a stream. The host makes
 * the input of a chunk when its slot is free. */
#include <cuda_profiler_api.h>

#include "check.h"
#include "cipher.h"

#define CHUNKS 8
#define SLOTS  4
#define WIDTH  32768 /* entries of a chunk */
#define BYTES  (WIDTH * sizeof(uint64_t))
#define ROUNDS 250

struct slot {
    uint64_t *host, *device;
    cudaStream_t stream;
    cudaEvent_t copied_in; /* the host's memory is free again */
};

static void slot_take(struct slot *slot)
{
    CHECK(cudaMallocHost(&slot->host, BYTES));
    CHECK(cudaMalloc(&slot->device, BYTES));
    CHECK(cudaStreamCreate(&slot->stream));
    CHECK(cudaEventCreateWithFlags(&slot->copied_in, cudaEventDisableTiming));
}

static void slot_give_back(struct slot *slot)
{
    CHECK(cudaEventDestroy(slot->copied_in));
    CHECK(cudaStreamDestroy(slot->stream));
    CHECK(cudaFree(slot->device));
    CHECK(cudaFreeHost(slot->host));
}

/* A real program would read a file. */
static void make_input(uint64_t *to, int c)
{
    for (int i = 0; i < WIDTH; i += 512)
        to[i] = (uint64_t)(c * WIDTH + i);
}

static void queue_chunk(const struct slot *slot, uint64_t *results)
{
    CHECK(cudaMemcpyAsync(slot->device, slot->host, BYTES,
                          cudaMemcpyHostToDevice, slot->stream));
    CHECK(cudaEventRecord(slot->copied_in, slot->stream));
    decrypt_gpu<<<decrypt_blocks(WIDTH), DECRYPT_THREADS, 0, slot->stream>>>(
        slot->device, WIDTH, ROUNDS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(results, slot->device, BYTES, cudaMemcpyDeviceToHost,
                          slot->stream));
}

static void run(struct slot *slots, uint64_t *results)
{
    for (int c = 0; c < CHUNKS; c++) {
        struct slot *const slot = &slots[c % SLOTS];

        if (c >= SLOTS)
            CHECK(cudaEventSynchronize(slot->copied_in));
        make_input(slot->host, c);
        queue_chunk(slot, results + c * WIDTH);
        CHECK(cudaStreamSynchronize(slot->stream));
    }
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    struct slot slots[SLOTS];
    uint64_t *results;

    CHECK(cudaMallocHost(&results, CHUNKS * BYTES));
    for (int s = 0; s < SLOTS; s++)
        slot_take(&slots[s]);
    CHECK(cudaProfilerStart());
    run(slots, results);
    CHECK(cudaProfilerStop());
    for (int s = 0; s < SLOTS; s++)
        slot_give_back(&slots[s]);
    CHECK(cudaFreeHost(results));
    return 0;
}
