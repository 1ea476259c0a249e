/* Numbers of 16 bits: __half and __nv_bfloat16. All of their values, and many
 * pairs, as checksums that nvcc's own headers give on the host. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

static uint64_t sum = 14695981039346656037ull;

static void put(uint64_t v)
{
    sum = (sum ^ v) * 1099511628211ull;
}

static void put(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    put((uint64_t)bits);
}

static void put(__half v)
{
    put((uint64_t)__half_as_ushort(v));
}

static void put(__nv_bfloat16 v)
{
    put((uint64_t)__bfloat16_as_ushort(v));
}

static void say(const char *what)
{
    printf("%-12s %016llx\n", what, (unsigned long long)sum);
    sum = 14695981039346656037ull;
}

/* The same on every machine. */
static uint32_t number()
{
    static uint64_t s = 88172645463325252ull;

    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (uint32_t)(s >> 16);
}

static float float_of(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static void conversions()
{
    for (uint32_t i = 0; i < 65536; i++) {
        put(__half2float(__ushort_as_half((unsigned short)i)));
        put(__bfloat162float(__ushort_as_bfloat16((unsigned short)i)));
    }
    say("to float");
    for (uint32_t i = 0; i < 1 << 20; i++) {
        const float v = float_of(i << 12), w = float_of(i << 12 | 1);

        put(__float2half_rn(v));
        put(__float2half_rz(w));
        put(__float2half_rd(w));
        put(__float2half_ru(w));
        put(__float2bfloat16_rn(v));
        put(__float2bfloat16_rz(w));
        put(__float2bfloat16_rd(w));
        put(__float2bfloat16_ru(w));
    }
    say("from float");
    for (uint32_t i = 0; i < 65536; i++) {
        const __half h = __ushort_as_half((unsigned short)i);

        put((uint64_t)(int)h);
        put((uint64_t)(unsigned short)h);
        put((uint64_t)(long long)h);
        put((uint64_t)(bool)h);
        put(__short2half_rn((short)i));
        put(__int2half_rn((int)number()));
        put(__ll2half_rn((long long)number() << 8));
    }
    say("whole");
}

template <class T>
static void arithmetic(T (*make)(unsigned short), const char *what)
{
    for (int i = 0; i < 1 << 18; i++) {
        const T a = make((unsigned short)number());
        const T b = i & 7 ? make((unsigned short)number()) : a;

        put(a + b);
        put(a - b);
        put(a * b);
        put(a / b);
        put(-a);
        put(__hmax(a, b));
        put(__hmin(a, b));
        put((uint64_t)(a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 |
            (uint64_t)__hltu(a, b) << 4 | (uint64_t)__hne(a, b) << 5);
    }
    say(what);
}

/* What only a GPU does with nvcc: one thread each. */
__global__ void device(const __half *x, float *out)
{
    const int i = (int)threadIdx.x;
    const __half2 pair = __halves2half2(x[i], __float2half(0.5f));
    __half2 all = __hfma2(pair, __float2half2_rn(2.0f), pair);

    for (int d = 16; d; d /= 2)
        all = __hadd2(all, __shfl_xor_sync(0xffffffff, all, d));
    out[i] = __low2float(all) + __high2float(all);
}

/* A product that falls on a tie, which the sum must break. */
__global__ void ties(float *out)
{
    const __half a = __float2half(1.0f + 1.0f / 1024);
    const __nv_bfloat16 b = __float2bfloat16(1.0f + 1.0f / 128);

    out[0] = __hfma(a, __float2half(1.5f), __float2half(6e-8f));
    out[1] = __hfma(a, __float2half(1.5f), __float2half(-6e-8f));
    out[2] = __hfma(b, __float2bfloat16(1.5f), __float2bfloat16(1e-30f));
    out[3] = __hfma(b, __float2bfloat16(1.5f), __float2bfloat16(-1e-30f));
    out[4] = hsqrt(__float2half(2.0f));
    out[5] = __half2int_rn(__float2half(2.5f));
}

int main()
{
    __half *x;
    float *out;

    conversions();
    arithmetic<__half>([](unsigned short v) { return __ushort_as_half(v); },
                       "half");
    arithmetic<__nv_bfloat16>(
        [](unsigned short v) { return __ushort_as_bfloat16(v); }, "bfloat16");
    cudaMallocManaged(&x, 32 * sizeof *x);
    cudaMallocManaged(&out, 32 * sizeof *out);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    device<<<1, 32>>>(x, out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[31]);
    ties<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6; i++)
        printf("%.9g ", out[i]);
    printf("\n");
    cudaFree(x);
    return cudaFree(out);
}
