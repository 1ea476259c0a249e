// flags: -std=c++17
/*
 * dev_half.cu: __half and __nv_bfloat16 in device code, as checksums over all
 * values and many pairs: conversions in four directions, arithmetic, fused
 * multiply-add, comparisons, extremes. Rounded to nearest even.
 * Source: CUDA Math API, "Half Precision Intrinsics", "Bfloat16 Precision
 * Intrinsics".
 */
#include "fact.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 256 };

static __device__ unsigned mix(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Sums do not depend on who comes first. */
static __device__ void put(unsigned long long *sum, unsigned at,
                           unsigned long long value)
{
    const unsigned low = mix((unsigned)value ^ mix(at));
    const unsigned high = mix((unsigned)(value >> 32) + low);

    atomicAdd(sum, (unsigned long long)high << 32 | low);
}

static __device__ unsigned bits(__half v)
{
    return __half_as_ushort(v);
}

static __device__ unsigned bits(__nv_bfloat16 v)
{
    return __bfloat16_as_ushort(v);
}

static __device__ void from(unsigned short b, __half *v)
{
    *v = __ushort_as_half(b);
}

static __device__ void from(unsigned short b, __nv_bfloat16 *v)
{
    *v = __ushort_as_bfloat16(b);
}

enum { TO_FLOAT, FROM_FLOAT, WHOLE, FROM_WHOLE, WIDE, VALUES };

static __global__ void values(unsigned long long *sums)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half h = __ushort_as_half((unsigned short)i);
    const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)i);
    const float f = __uint_as_float(mix(i));
    const float near =
        __uint_as_float((i % 3000 + 0x33000 + i / 3000) << 12 | (i & 1));
    const int n = (int)mix(i) >> i % 32;
    const long long l =
        (long long)((unsigned long long)mix(i) << 32 | i) >> i % 64;

    put(&sums[TO_FLOAT], i, __float_as_uint(__half2float(h)));
    put(&sums[TO_FLOAT], i + 1, __float_as_uint(__bfloat162float(b)));
    put(&sums[FROM_FLOAT], i, bits(__float2half_rn(f)));
    put(&sums[FROM_FLOAT], i + 1, bits(__float2half_rz(near)));
    put(&sums[FROM_FLOAT], i + 2, bits(__float2half_rd(near)));
    put(&sums[FROM_FLOAT], i + 3, bits(__float2half_ru(near)));
    put(&sums[FROM_FLOAT], i + 4, bits(__float2half_rn(near)));
    put(&sums[FROM_FLOAT], i + 5, bits(__float2bfloat16_rn(f)));
    put(&sums[FROM_FLOAT], i + 6, bits(__float2bfloat16_rz(f)));
    put(&sums[FROM_FLOAT], i + 7, bits(__float2bfloat16_rd(f)));
    put(&sums[FROM_FLOAT], i + 8, bits(__float2bfloat16_ru(f)));
    put(&sums[FROM_FLOAT], i + 9, bits(__double2half((double)near)));
    put(&sums[WHOLE], i, (unsigned)__half2int_rn(h));
    put(&sums[WHOLE], i + 1, (unsigned)__half2int_rd(h));
    put(&sums[WHOLE], i + 2, __half2uint_ru(h));
    put(&sums[WHOLE], i + 3, (unsigned short)__half2short_rz(h));
    put(&sums[WHOLE], i + 4, (unsigned)__bfloat162int_rn(b));
    put(&sums[WHOLE], i + 5, __bfloat162uint_rz(b));
    put(&sums[WIDE], i, (unsigned long long)__half2ll_rn(h));
    put(&sums[WIDE], i + 1, (unsigned long long)__bfloat162ll_rz(b));
    put(&sums[FROM_WHOLE], i, bits(__int2half_rn(n)));
    put(&sums[FROM_WHOLE], i + 1, bits(__int2half_rz(n)));
    put(&sums[FROM_WHOLE], i + 2, bits(__int2bfloat16_rn(n)));
    put(&sums[FROM_WHOLE], i + 3, bits(__ll2half_rn(l)));
    put(&sums[FROM_WHOLE], i + 4, bits(__ll2bfloat16_rn(l)));
    put(&sums[FROM_WHOLE], i + 5, bits(__short2half_rn((short)i)));
}

enum { ADD, SUB, MUL, DIV, FMA, SQRT, COMPARE, EXTREME, SIGN, SAT, PAIRS };

template <class T>
static __global__ void pairs(unsigned long long *sums)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned r = mix(i), s = mix(r);
    T a, b, c;

    from((unsigned short)r, &a);
    from((unsigned short)(i & 7 ? r >> 16 : r), &b);
    from((unsigned short)s, &c);
    put(&sums[ADD], i, bits(__hadd(a, b)));
    put(&sums[SUB], i, bits(__hsub(a, b)));
    put(&sums[MUL], i, bits(__hmul(a, b)));
    put(&sums[DIV], i, bits(__hdiv(a, b)));
    put(&sums[FMA], i, bits(__hfma(a, b, c)));
    put(&sums[SQRT], i, bits(hsqrt(a)));
    put(&sums[COMPARE], i,
        (unsigned)__heq(a, b) | (unsigned)__hne(a, b) << 1 |
            (unsigned)__hlt(a, b) << 2 | (unsigned)__hle(a, b) << 3 |
            (unsigned)__hgtu(a, b) << 4 | (unsigned)__hequ(a, b) << 5 |
            (unsigned)__hisnan(a) << 6);
    put(&sums[EXTREME], i, bits(__hmax(a, b)) | bits(__hmin(a, b)) << 16);
    put(&sums[SIGN], i, bits(__hneg(a)) | bits(__habs(a)) << 16);
    put(&sums[SAT], i, bits(__hadd_sat(a, b)));
}

static void tell(const char *what, const char *const *names, int count,
                 const unsigned long long *sums)
{
    unsigned long long host[16];

    MUST(cudaMemcpy(host, sums, (size_t)count * sizeof *host,
                    cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        fact("%s.%s=%016llx", what, names[i], host[i]);
}

int main(void)
{
    static const char *const value_names[] = {"to_float", "from_float", "whole",
                                              "from_whole", "wide"};
    static const char *const pair_names[] = {
        "add",  "sub",     "mul",     "div",  "fma",
        "sqrt", "compare", "extreme", "sign", "saturated"};
    unsigned long long *sums;

    MUST(cudaMalloc((void **)&sums, 16 * sizeof *sums));
    MUST(cudaMemset(sums, 0, 16 * sizeof *sums));
    values<<<65536 / THREADS, THREADS>>>(sums);
    tell("values", value_names, VALUES, sums);
    MUST(cudaMemset(sums, 0, 16 * sizeof *sums));
    pairs<__half><<<1024, THREADS>>>(sums);
    tell("half", pair_names, PAIRS, sums);
    MUST(cudaMemset(sums, 0, 16 * sizeof *sums));
    pairs<__nv_bfloat16><<<1024, THREADS>>>(sums);
    tell("bfloat16", pair_names, PAIRS, sums);
    MUST(cudaFree(sums));
    return 0;
}
