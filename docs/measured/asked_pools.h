/* asked_pools.h: what a program that asks about pools begins with. */
#ifndef ASKED_POOLS_H
#define ASKED_POOLS_H

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ctime>
static void K(const char *k, long long v)
{
    printf("%s=%lld\n", k, v);
    fflush(stdout);
}
#define C(k, call)                                                             \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        cudaError_t l_ = cudaGetLastError();                                   \
        printf("%s=%d latched=%d\n", k, (int)e_, (int)l_);                     \
        fflush(stdout);                                                        \
    } while (0)
#define MUST(c)                                                                \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("must_line=%d code=%d\n", __LINE__, (int)e_);               \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
__global__ void spin(long long ms)
{
    unsigned long long a, b;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(a));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(b));
    } while (b - a < ms * 1000000ull);
}
__global__ void put(int *p, int v)
{
    *p = v;
}
static const long long MB = 1 << 20;
static cudaStream_t s, t;
static cudaEvent_t ev;
static cudaMemPool_t pool;
static void setup()
{
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&ev, cudaEventDisableTiming));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    spin<<<1, 1>>>(1);
    MUST(cudaDeviceSynchronize());
}
static cudaMemPoolProps props(int at, int lt, int id, int ht, size_t mx)
{
    cudaMemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = (cudaMemAllocationType)at;
    p.location.type = (cudaMemLocationType)lt;
    p.location.id = id;
    p.handleTypes = (cudaMemAllocationHandleType)ht;
    p.maxSize = mx;
    return p;
}
static cudaMemPool_t mk(const char *k, cudaMemPoolProps p)
{
    cudaMemPool_t m = nullptr;
    C(k, cudaMemPoolCreate(&m, &p));
    return m;
}

#endif
