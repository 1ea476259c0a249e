/* saxpy.cu: y = a x + y, half of it in each of two streams, timed by events. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                 \
                    cudaGetErrorString(error));                                \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

enum { N = 1 << 20, STREAMS = 2, CHUNK = N / STREAMS };

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void enqueue(float *y, const float *x, float *dy, float *dx,
                    cudaStream_t stream)
{
    const size_t bytes = CHUNK * sizeof(float);

    CHECK(cudaMemcpyAsync(dx, x, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(dy, y, bytes, cudaMemcpyHostToDevice, stream));
    saxpy<<<(CHUNK + 255) / 256, 256, 0, stream>>>(dy, dx, 2.0f, CHUNK);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(y, dy, bytes, cudaMemcpyDeviceToHost, stream));
}

int main()
{
    float *x, *y, *dx, *dy, ms;
    cudaStream_t streams[STREAMS];
    cudaEvent_t start, stop;
    int wrong = 0;

    CHECK(cudaMallocHost(&x, N * sizeof(float)));
    CHECK(cudaMallocHost(&y, N * sizeof(float)));
    CHECK(cudaMalloc(&dx, N * sizeof(float)));
    CHECK(cudaMalloc(&dy, N * sizeof(float)));
    for (int i = 0; i < N; i++) {
        x[i] = 1.0f;
        y[i] = (float)i;
    }
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamCreate(&streams[i]));

    /* Events of the default stream: it waits for both, and they for it. */
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < STREAMS; i++)
        enqueue(y + i * CHUNK, x + i * CHUNK, dy + i * CHUNK, dx + i * CHUNK,
                streams[i]);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, start, stop));

    for (int i = 0; i < N; i++)
        wrong += y[i] != 2.0f + (float)i;
    printf("%d wrong, %.6f ms\n", wrong, ms);
    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaFreeHost(x));
    CHECK(cudaFreeHost(y));
    return wrong != 0;
}
