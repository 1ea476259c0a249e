/* 13.cu: two GPUs with unequal shares, and a clock that knows only the first.
 * What does it say, and how long did it take? */
/* run: VGPU_COUNT=2 */
#include "check.h"
#include "helper.h"

#define NUM_GPUS    2
#define MOST_CHUNKS 4
#define WIDTH       256

static const int chunks_of[NUM_GPUS] = {2, 4};

struct gpu {
    int *data;
    cudaStream_t streams[MOST_CHUNKS];
};

__global__ void decrypt(int *data)
{
    data[threadIdx.x] ^= 42;
}

static void run_chunk(int *host, int *device, cudaStream_t stream)
{
    const size_t bytes = WIDTH * sizeof(int);

    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    decrypt<<<1, WIDTH, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

static void work(int *host, struct gpu *gpus)
{
    struct event_timer timer;
    struct host_timer watch;

    CHECK(cudaSetDevice(0));
    event_timer_create(&timer);
    host_timer_start(&watch);
    event_timer_start(&timer, gpus[0].streams[0]);
    for (int g = 0; g < NUM_GPUS; g++) {
        CHECK(cudaSetDevice(g));
        for (int c = 0; c < chunks_of[g]; c++, host += WIDTH)
            run_chunk(host, gpus[g].data + c * WIDTH, gpus[g].streams[c]);
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceSynchronize());
    const double ms = event_timer_stop(&timer, gpus[0].streams[0]);
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceSynchronize());

    printf("event of GPU 0:         %d units\n", (int)(ms * 1000 + 0.5));
    printf("host, when all is done: %d units\n",
           (int)(host_timer_stop(&watch) * 1000 + 0.5));
    event_timer_destroy(&timer);
}

static void create(struct gpu *gpus)
{
    for (int g = 0; g < NUM_GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMalloc(&gpus[g].data, MOST_CHUNKS * WIDTH * sizeof(int)));
        for (int c = 0; c < chunks_of[g]; c++)
            CHECK(cudaStreamCreate(&gpus[g].streams[c]));
    }
}

static void destroy(struct gpu *gpus)
{
    for (int g = 0; g < NUM_GPUS; g++) {
        for (int c = 0; c < chunks_of[g]; c++)
            CHECK(cudaStreamDestroy(gpus[g].streams[c]));
        CHECK(cudaFree(gpus[g].data));
    }
}

int main(void)
{
    struct gpu gpus[NUM_GPUS];
    const int num_entries = (chunks_of[0] + chunks_of[1]) * WIDTH;
    int *host;

    CHECK(cudaMallocHost(&host, (size_t)num_entries * sizeof(int)));
    for (int i = 0; i < num_entries; i++)
        host[i] = i;
    create(gpus);
    work(host, gpus);
    destroy(gpus);
    CHECK(cudaFreeHost(host));
    return 0;
}
