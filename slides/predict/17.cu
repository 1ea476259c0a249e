/* 17.cu: six batches through three streams, each in memory of its own that is
 * freed in the stream that took it, or in the last one. How long does it take?
 */
#include "check.h"

#define NUM_BATCHES 6
#define WIDTH       256

static cudaStream_t in, work, back;

__global__ void decrypt(int *data)
{
    data[threadIdx.x] ^= 42;
}

/* What is queued in @later from now on waits for all that is in @first now. */
static void order(cudaStream_t first, cudaStream_t later)
{
    cudaEvent_t event;

    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(later, event, 0));
    CHECK(cudaEventDestroy(event));
}

static void queue_batch(int *host, bool free_in_first)
{
    const size_t bytes = WIDTH * sizeof(int);
    int *device;

    CHECK(cudaMallocAsync(&device, bytes, in));
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, in));
    order(in, work);
    decrypt<<<1, WIDTH, 0, work>>>(device);
    CHECK(cudaGetLastError());
    order(work, back);
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, back));
    if (free_in_first)
        order(back, in);
    CHECK(cudaFreeAsync(device, free_in_first ? in : back));
}

static void run(int *host, bool free_in_first)
{
    cudaEvent_t start, stop;
    float ms;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, in));
    for (int b = 0; b < NUM_BATCHES; b++)
        queue_batch(host + b * WIDTH, free_in_first);
    CHECK(cudaEventRecord(stop, back));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaStreamSynchronize(in));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("freed in the %s stream: %d units\n",
           free_in_first ? "first" : "last", (int)(ms * 1000 + 0.5f));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

/* An argument: freed in the last stream. */
int main(int argc, char **argv)
{
    int *host;

    (void)argv;
    CHECK(cudaMallocHost(&host, NUM_BATCHES * WIDTH * sizeof(int)));
    for (int i = 0; i < NUM_BATCHES * WIDTH; i++)
        host[i] = i;
    CHECK(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking));
    run(host, argc < 2);
    CHECK(cudaStreamDestroy(in));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(back));
    CHECK(cudaFreeHost(host));
    return 0;
}
