/* 15.cu: six chunks in three streams, through as many slots as the program is
 * told (2). How long does it take? */
#include "check.h"

#ifndef NUM_CHUNKS /* a test asks for more */
#define NUM_CHUNKS 6
#endif
#define STREAMS 3
#define WIDTH   256

struct slot {
    int *device;
    cudaEvent_t copied;
};

__global__ void decrypt(int *data)
{
    data[threadIdx.x] ^= 42;
}

static void run_chunk(int *host, const struct slot *slot, cudaStream_t stream)
{
    const size_t bytes = WIDTH * sizeof(int);

    CHECK(cudaMemcpyAsync(slot->device, host, bytes, cudaMemcpyHostToDevice,
                          stream));
    decrypt<<<1, WIDTH, 0, stream>>>(slot->device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, slot->device, bytes, cudaMemcpyDeviceToHost,
                          stream));
}

static void work(int *host, const struct slot *slots, int num_slots,
                 const cudaStream_t *streams)
{
    for (int c = 0; c < NUM_CHUNKS; c++) {
        const struct slot *slot = &slots[c % num_slots];
        const cudaStream_t stream = streams[c % STREAMS];

        if (c >= num_slots)
            CHECK(cudaStreamWaitEvent(stream, slot->copied, 0));
        run_chunk(host + c * WIDTH, slot, stream);
        CHECK(cudaEventRecord(slot->copied, stream));
    }
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
}

static void run(int *host, int num_slots, const cudaStream_t *streams)
{
    struct slot slots[NUM_CHUNKS];
    cudaEvent_t start, stop;
    float ms;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int s = 0; s < num_slots; s++) {
        CHECK(cudaMalloc(&slots[s].device, WIDTH * sizeof(int)));
        CHECK(
            cudaEventCreateWithFlags(&slots[s].copied, cudaEventDisableTiming));
    }
    CHECK(cudaEventRecord(start, streams[0]));
    work(host, slots, num_slots, streams);
    CHECK(cudaEventRecord(stop, streams[0]));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("%d slots: %d units\n", num_slots, (int)(ms * 1000 + 0.5f));
    for (int s = 0; s < num_slots; s++) {
        CHECK(cudaFree(slots[s].device));
        CHECK(cudaEventDestroy(slots[s].copied));
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

int main(int argc, char **argv)
{
    const int num_slots = argc > 1 ? atoi(argv[1]) : 2;
    cudaStream_t streams[STREAMS];
    int *host;

    if (num_slots < 1 || num_slots > NUM_CHUNKS)
        return 1;
    CHECK(cudaMallocHost(&host, NUM_CHUNKS * WIDTH * sizeof(int)));
    for (int i = 0; i < NUM_CHUNKS * WIDTH; i++)
        host[i] = i;
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    run(host, num_slots, streams);
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFreeHost(host));
    return 0;
}
