/* 18.cu: four chunks in two streams. In the loop the host waits until a chunk
 * is decrypted, and then queues the next one. How long does it take? */
#include "check.h"

#define CHUNKS  4
#define STREAMS 2
#define WIDTH   256

__global__ void decrypt(int *data)
{
    data[threadIdx.x] ^= 42;
}

static void work(int *host, int *device, const cudaStream_t *streams,
                 cudaEvent_t decrypted)
{
    const size_t bytes = WIDTH * sizeof(int);

    for (int c = 0; c < CHUNKS; c++) {
        int *const h = host + c * WIDTH, *const d = device + c * WIDTH;
        const cudaStream_t s = streams[c % STREAMS];

        CHECK(cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, s));
        decrypt<<<1, WIDTH, 0, s>>>(d);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(decrypted, s));
        CHECK(cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, s));
        CHECK(cudaEventSynchronize(decrypted));
    }
}

int main(void)
{
    cudaStream_t streams[STREAMS];
    cudaEvent_t decrypted;
    int *host, *device;

    CHECK(cudaMallocHost(&host, CHUNKS * WIDTH * sizeof(int)));
    CHECK(cudaMalloc(&device, CHUNKS * WIDTH * sizeof(int)));
    CHECK(cudaEventCreateWithFlags(&decrypted, cudaEventDisableTiming));
    for (int i = 0; i < CHUNKS * WIDTH; i++)
        host[i] = i;
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    work(host, device, streams, decrypted);
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaEventDestroy(decrypted));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
