/* 99.cu: four chunks go through two GPUs: in, a kernel, to the other GPU, a
 * kernel there, out. When is the last one back? */
/* run: VGPU_COUNT=2 */
#include "check.h"

#define NUM_CHUNKS 4
#define WIDTH      256

static const size_t bytes = WIDTH * sizeof(int);

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

struct chunk {
    int *host, *device[2];
    cudaStream_t stream[2];
    cudaEvent_t ready;
};

static void on_gpu_0(struct chunk *c)
{
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpyAsync(c->device[0], c->host, bytes, cudaMemcpyHostToDevice,
                          c->stream[0]));
    add<<<1, WIDTH, 0, c->stream[0]>>>(c->device[0], 1);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(c->ready, c->stream[0]));
}

static void on_gpu_1(struct chunk *c)
{
    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamWaitEvent(c->stream[1], c->ready, 0));
    CHECK(cudaMemcpyPeerAsync(c->device[1], 1, c->device[0], 0, bytes,
                              c->stream[1]));
    add<<<1, WIDTH, 0, c->stream[1]>>>(c->device[1], 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(c->host, c->device[1], bytes, cudaMemcpyDeviceToHost,
                          c->stream[1]));
}

static void create(struct chunk *c)
{
    CHECK(cudaMallocHost(&c->host, bytes));
    for (int i = 0; i < WIDTH; i++)
        c->host[i] = i;
    for (int gpu = 0; gpu < 2; gpu++) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaMalloc(&c->device[gpu], bytes));
        CHECK(cudaStreamCreate(&c->stream[gpu]));
        if (gpu == 0)
            CHECK(cudaEventCreateWithFlags(&c->ready, cudaEventDisableTiming));
    }
}

static void destroy(struct chunk *c)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaFree(c->device[gpu]));
        CHECK(cudaStreamDestroy(c->stream[gpu]));
    }
    CHECK(cudaEventDestroy(c->ready));
    CHECK(cudaFreeHost(c->host));
}

int main(void)
{
    struct chunk chunks[NUM_CHUNKS];

    for (int c = 0; c < NUM_CHUNKS; c++)
        create(&chunks[c]);
    for (int c = 0; c < NUM_CHUNKS; c++) {
        on_gpu_0(&chunks[c]);
        on_gpu_1(&chunks[c]);
    }
    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamSynchronize(chunks[c].stream[1]));
    for (int c = 0; c < NUM_CHUNKS; c++)
        destroy(&chunks[c]);
    return 0;
}
