/* asked_codes.h: what a program that asks for codes begins with. */
#ifndef ASKED_CODES_H
#define ASKED_CODES_H

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
static void K(const std::string &k, long long v)
{
    printf("%s=%lld\n", k.c_str(), v);
    fflush(stdout);
}
static void C(const std::string &k, cudaError_t e)
{
    cudaError_t l = cudaGetLastError();
    printf("%s=%d%s\n", k.c_str(), (int)e,
           l == e ? "" : (" last " + std::to_string((int)l)).c_str());
    fflush(stdout);
}
[[maybe_unused]] static void P(const std::string &k, long long a, long long b)
{
    printf("%s=%lld,%lld\n", k.c_str(), a, b);
    fflush(stdout);
    (void)cudaGetLastError();
}
#define MUST(c)                                                                \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("must_line=%d code=%d\n", __LINE__, (int)e_);               \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define MS(n) ((n)*2000000LL)
__global__ void spin(long long cycles, int *out, int v)
{
    long long t = clock64();
    for (int i = 0; i < (1 << 28) && clock64() - t < cycles; i++) {
    }
    if (out)
        *out = v;
}
[[maybe_unused]] static int busy(cudaStream_t s)
{
    int b = cudaStreamQuery(s) == cudaErrorNotReady;
    (void)cudaGetLastError();
    return b;
}

#endif
