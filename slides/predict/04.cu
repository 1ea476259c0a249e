/* 04.cu: two pipelines, and a kernel in the first stream that needs what the
 * second one has made. When is its result back? */
#include "check.h"

#define WIDTH 256

static const size_t bytes = WIDTH * sizeof(int);

struct job {
    int *a, *b, *c;                      /* of the host */
    int *a_device, *b_device, *c_device; /* of the device */
};

__global__ void decrypt(int *data)
{
    data[threadIdx.x] ^= 42;
}

__global__ void combine(const int *a, const int *b, int *c)
{
    c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static void work(struct job *j, cudaStream_t sa, cudaStream_t sb, cudaEvent_t e)
{
    CHECK(cudaMemcpyAsync(j->a_device, j->a, bytes, cudaMemcpyDefault, sa));
    decrypt<<<1, WIDTH, 0, sa>>>(j->a_device);
    CHECK(cudaMemcpyAsync(j->b_device, j->b, bytes, cudaMemcpyDefault, sb));
    decrypt<<<1, WIDTH, 0, sb>>>(j->b_device);
    CHECK(cudaEventRecord(e, sb));
    CHECK(cudaMemcpyAsync(j->b, j->b_device, bytes, cudaMemcpyDefault, sb));
    CHECK(cudaStreamWaitEvent(sa, e, 0));
    combine<<<1, WIDTH, 0, sa>>>(j->a_device, j->b_device, j->c_device);
    CHECK(cudaMemcpyAsync(j->c, j->c_device, bytes, cudaMemcpyDefault, sa));
    CHECK(cudaGetLastError());
}

int main(void)
{
    struct job j;
    int **host[] = {&j.a, &j.b, &j.c};
    int **device[] = {&j.a_device, &j.b_device, &j.c_device};
    cudaStream_t sa, sb;
    cudaEvent_t e;

    for (int i = 0; i < 3; i++) {
        CHECK(cudaMallocHost(host[i], bytes));
        CHECK(cudaMalloc(device[i], bytes));
        for (int k = 0; k < WIDTH; k++)
            (*host[i])[k] = k;
    }
    CHECK(cudaStreamCreate(&sa));
    CHECK(cudaStreamCreate(&sb));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    work(&j, sa, sb, e);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(sa));
    CHECK(cudaStreamDestroy(sb));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaFree(*device[i]));
        CHECK(cudaFreeHost(*host[i]));
    }
    return 0;
}
