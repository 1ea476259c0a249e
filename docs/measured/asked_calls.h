/* asked_calls.h: what a program that asks many calls in turn begins with. */
#ifndef ASKED_CALLS_H
#define ASKED_CALLS_H

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdarg>
#include <functional>
#include <thread>
#include <string>
#include <vector>
#include <atomic>
#include <unistd.h>
#include <sys/wait.h>
#include <sys/mman.h>
struct Say {
    template <class... T>
    Say(const char *f, T... t)
    {
        char b[512];
        snprintf(b, sizeof b, f, t...);
        puts(b);
        fflush(stdout);
        (void)cudaGetLastError();
    }
    Say(const char *f)
    {
        puts(f);
        fflush(stdout);
        (void)cudaGetLastError();
    }
};
#define P(...)                                                                 \
    do {                                                                       \
        Say say_{__VA_ARGS__};                                                 \
        (void)say_;                                                            \
    } while (0) // braces: evaluated from left to right
#define MUST(c)                                                                \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("must_line=%d code=%d %s\n", __LINE__, (int)e_, #c);        \
            fflush(stdout);                                                    \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)
#define MS(n) ((long long)((n)*1900000LL))
__global__ void spin(long long cycles)
{
    long long t = clock64();
    for (int i = 0; i < (1 << 28) && clock64() - t < cycles; i++) {
    }
}
__global__ void nop()
{
}
__global__ void put(int *p, int v)
{
    if (p)
        *p = v;
}
__global__ void add(int *p, int v)
{
    if (p)
        *p += v;
}
static int busy(cudaStream_t s)
{
    int b = cudaStreamQuery(s) == cudaErrorNotReady;
    (void)cudaGetLastError();
    return b;
}
static void warm()
{
    spin<<<1, 1>>>(1);
    nop<<<1, 1>>>();
    put<<<1, 1>>>(nullptr, 0);
    add<<<1, 1>>>(nullptr, 0);
    MUST(cudaDeviceSynchronize());
    (void)busy;
}

#endif
