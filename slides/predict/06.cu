/* 06.cu: a vector addition in four segments and two streams, breadth-first, on
 * a device with a single copy engine. When is the last segment back? */
/* run: VGPU_DEVICE=slides/predict/unit_one_engine.profile */
#include "check.h"

#define NUM_SEGMENTS 4
#define NUM_STREAMS  2
#define WIDTH        256

static const size_t bytes = WIDTH * sizeof(float);
static float *a_host, *b_host, *c_host;
static float *a[NUM_STREAMS], *b[NUM_STREAMS], *c[NUM_STREAMS];
static cudaStream_t streams[NUM_STREAMS];

__global__ void add_gpu(const float *a, const float *b, float *c)
{
    c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static void copy_in(int s)
{
    const int k = s % NUM_STREAMS;

    CHECK(cudaMemcpyAsync(a[k], a_host + s * WIDTH, bytes,
                          cudaMemcpyHostToDevice, streams[k]));
    CHECK(cudaMemcpyAsync(b[k], b_host + s * WIDTH, bytes,
                          cudaMemcpyHostToDevice, streams[k]));
}

static void add(int s)
{
    const int k = s % NUM_STREAMS;

    add_gpu<<<1, WIDTH, 0, streams[k]>>>(a[k], b[k], c[k]);
    CHECK(cudaGetLastError());
}

static void copy_back(int s)
{
    const int k = s % NUM_STREAMS;

    CHECK(cudaMemcpyAsync(c_host + s * WIDTH, c[k], bytes,
                          cudaMemcpyDeviceToHost, streams[k]));
}

static void issue(void)
{
    for (int lower = 0; lower < NUM_SEGMENTS; lower += NUM_STREAMS) {
        for (int s = lower; s < lower + NUM_STREAMS; s++)
            copy_in(s);
        for (int s = lower; s < lower + NUM_STREAMS; s++)
            add(s);
        for (int s = lower; s < lower + NUM_STREAMS; s++)
            copy_back(s);
    }
}

static void take(void)
{
    CHECK(cudaMallocHost(&a_host, NUM_SEGMENTS * bytes));
    CHECK(cudaMallocHost(&b_host, NUM_SEGMENTS * bytes));
    CHECK(cudaMallocHost(&c_host, NUM_SEGMENTS * bytes));
    for (int i = 0; i < NUM_SEGMENTS * WIDTH; i++)
        a_host[i] = b_host[i] = (float)i;
    for (int k = 0; k < NUM_STREAMS; k++) {
        CHECK(cudaMalloc(&a[k], bytes));
        CHECK(cudaMalloc(&b[k], bytes));
        CHECK(cudaMalloc(&c[k], bytes));
        CHECK(cudaStreamCreate(&streams[k]));
    }
}

static void give_back(void)
{
    for (int k = 0; k < NUM_STREAMS; k++) {
        CHECK(cudaFree(a[k]));
        CHECK(cudaFree(b[k]));
        CHECK(cudaFree(c[k]));
        CHECK(cudaStreamDestroy(streams[k]));
    }
    CHECK(cudaFreeHost(a_host));
    CHECK(cudaFreeHost(b_host));
    CHECK(cudaFreeHost(c_host));
}

int main(void)
{
    take();
    issue();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < NUM_SEGMENTS * WIDTH; i++)
        if (c_host[i] != 2 * (float)i)
            return 1;
    give_back();
    return 0;
}
