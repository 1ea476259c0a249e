/*
 * dev_functions.cu: device functions, host-and-device functions, recursion,
 * templates and local arrays give the same results as on the host.
 * Source: programming guide, Function Execution Space Specifiers.
 */
#include "fact.h"

static __host__ __device__ int gcd(int a, int b)
{
    return b == 0 ? a : gcd(b, a % b);
}

static __device__ __forceinline__ int twice(int x)
{
    return 2 * x;
}

static __device__ __noinline__ int thrice(int x)
{
    return 3 * x;
}

template <typename T, int N>
static __global__ void power(T *out, T base)
{
    T value = 1;

    for (int i = 0; i < N; i++)
        value *= base;
    *out = value;
}

static __global__ void mixed(int *out)
{
    int local[16];

    for (int i = 0; i < 16; i++)
        local[i] = i * (int)threadIdx.x;
    out[threadIdx.x] =
        gcd(84, 36) + twice(5) + thrice(7) + local[(threadIdx.x * 5) % 16];
}

int main(void)
{
    int host[4];
    int *out;
    double *real, host_real = 0.0;
    long long *wide, host_wide = 0;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    MUST(cudaMalloc((void **)&real, sizeof(double)));
    MUST(cudaMalloc((void **)&wide, sizeof(long long)));
    mixed<<<1, 4>>>(out);
    fact_error("mixed.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    fact("mixed=%d %d %d %d", host[0], host[1], host[2], host[3]);
    fact_int("host_side_of_same_function", gcd(84, 36));
    power<int, 5><<<1, 1>>>(out, 3);
    power<double, 3><<<1, 1>>>(real, 2.5);
    power<long long, 40><<<1, 1>>>(wide, 2ll);
    MUST(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(&host_real, real, 8, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(&host_wide, wide, 8, cudaMemcpyDeviceToHost));
    fact_int("template_int", host[0]);
    fact("template_double=%g", host_real);
    fact_int("template_long_long", host_wide);
    return 0;
}
