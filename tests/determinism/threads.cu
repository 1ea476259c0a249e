/*
 * threads.cu: host threads of three kinds, each with streams of its own, and
 * a host function. Its trace must be the same in every run.
 */
#include <pthread.h>
#include <stdio.h>
#include <thread>
#include <vector>

#include "check.h"

enum { WORKERS = 4, LAUNCHES = 5 };

__global__ void spin(float *x, int rounds)
{
    float v = x[threadIdx.x];

    for (int i = 0; i < rounds; i++)
        v = v * 1.0001f + 1.0f;
    x[threadIdx.x] = v;
}

static void count(void *data)
{
    ++*(int *)data;
}

static void work(int id)
{
    cudaStream_t stream;
    int calls = 0;
    float *data;

    CHECK(cudaMalloc((void **)&data, 64 * sizeof(float)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemsetAsync(data, 0, 64 * sizeof(float), stream));
    for (int i = 0; i < LAUNCHES; i++) {
        spin<<<1, 64, 0, stream>>>(data, 1000 * (id + 1));
        CHECK(cudaGetLastError());
        CHECK(cudaLaunchHostFunc(stream, count, &calls));
    }
    CHECK(cudaStreamSynchronize(stream));
    if (calls != LAUNCHES)
        printf("worker %d: %d calls\n", id, calls);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
}

static void *worker(void *id)
{
    work((int)(intptr_t)id);
    return NULL;
}

int main(void)
{
    pthread_t posix[WORKERS];
    std::vector<std::thread> standard;

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&posix[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(posix[i], NULL);
    for (int i = 0; i < WORKERS; i++)
        standard.emplace_back(work, i);
    for (auto &thread : standard)
        thread.join();
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 3; i++)
        work(i);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
