// gangs.cu: device functions of plain numbers are done for a warp's threads at
// once. Each stands here twice, as such a function and as a template, which is
// none: results and costs must be the same, whoever calls, in whatever block.
#include <cstdint>
#include <cstdio>

#define MIX(name, sub)                                                         \
    uint32_t name(uint32_t half, uint64_t round)                               \
    {                                                                          \
        uint32_t x = (half + (uint32_t)round) * 0x9E3779B1u;                   \
        return x ^ (x >> 15);                                                  \
    }
#define ROUNDS(name, sub)                                                      \
    uint64_t name(uint64_t entry, uint64_t num)                                \
    {                                                                          \
        uint32_t left = (uint32_t)(entry >> 32), right = (uint32_t)entry;      \
        for (uint64_t round = num; round > 0; round--) {                       \
            const uint32_t swap = right ^ sub(left, round - 1);                \
            right = left;                                                      \
            left = swap;                                                       \
        }                                                                      \
        return (uint64_t)left << 32 | right;                                   \
    }
#define FLOATS(name, sub)                                                      \
    float name(float x, int n)                                                 \
    {                                                                          \
        float sum = 0.5f, term = x;                                            \
        for (int i = 0; i < n; i++) {                                          \
            term = -term * x * 0.37f + 1;                                      \
            if (i & 1)                                                         \
                sum += term - i;                                               \
            else                                                               \
                sum -= 0.25f * term;                                           \
        }                                                                      \
        return sum;                                                            \
    }
#define SIGNED(name, sub)                                                      \
    long name(int a, long b, int n)                                            \
    {                                                                          \
        long sum = b;                                                          \
        int k = n;                                                             \
        while (k > 0) {                                                        \
            sum = (sum >> 3) + a * 7 - ~b, a ^= 0x55;                          \
            sum ^= (unsigned)a | 12u;                                          \
            k -= 1;                                                            \
            if (k == 3)                                                        \
                break;                                                         \
        }                                                                      \
        return sum & -b;                                                       \
    }
/* Threads want different ways: never done at once. */
#define COLLATZ(name, sub)                                                     \
    uint64_t name(uint64_t n)                                                  \
    {                                                                          \
        uint64_t steps = 0;                                                    \
        while (n != 1) {                                                       \
            n = n & 1 ? 3 * n + 1 : n >> 1;                                    \
            steps++;                                                           \
        }                                                                      \
        return steps;                                                          \
    }

#define BOTH(make, name, sub)                                                  \
    static inline __host__ __device__ make(name, sub)                          \
    template <int N> __host__ __device__ make(name##_t, sub##_t<N>)

BOTH(MIX, mix, none)
BOTH(ROUNDS, rounds, mix)
BOTH(FLOATS, floats, none)
BOTH(SIGNED, signeds, none)
BOTH(COLLATZ, collatz, none)

template <bool Gang>
__global__ void all(uint64_t *out, int n, int spread)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const uint64_t num = 60 + (uint64_t)(spread ? i % spread : 0);

    for (int k = i; k < n; k += (int)(gridDim.x * blockDim.x)) {
        const uint64_t in = out[k] + (uint64_t)k * 0x123456789abcdefu;
        const float x = (float)(k % 100) / 50;

        if (Gang)
            out[k] = rounds(in, num) + (uint64_t)(floats(x, 70) * 1000) +
                     (uint64_t)signeds(k, -k, 50) + collatz(in % 1000 + 1);
        else
            out[k] = rounds_t<0>(in, num) +
                     (uint64_t)(floats_t<0>(x, 70) * 1000) +
                     (uint64_t)signeds_t<0>(k, -k, 50) +
                     collatz_t<0>(in % 1000 + 1);
    }
}

template <bool Gang>
static float run(uint64_t *host, int n, int blocks, int threads, int spread)
{
    cudaEvent_t from, to;
    uint64_t *data;
    float ms;

    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaMalloc(&data, (size_t)n * sizeof *data);
    cudaMemset(data, 1, (size_t)n * sizeof *data);
    cudaEventRecord(from);
    all<Gang><<<blocks, threads>>>(data, n, spread);
    cudaEventRecord(to);
    cudaMemcpy(host, data, (size_t)n * sizeof *data, cudaMemcpyDeviceToHost);
    cudaEventElapsedTime(&ms, from, to);
    cudaFree(data);
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return ms;
}

static void compare(int n, int blocks, int threads, int spread)
{
    static uint64_t a[5000], b[5000];
    const float gang = run<true>(a, n, blocks, threads, spread);
    const float alone = run<false>(b, n, blocks, threads, spread);
    int differ = 0;

    for (int i = 0; i < n; i++)
        differ += a[i] != b[i];
    /* An event's clock ticks every half microsecond. */
    printf("%d in %d blocks of %d, spread %d: %d differ, %s\n", n, blocks,
           threads, spread, differ,
           gang - alone < 0.0006f && alone - gang < 0.0006f ? "as fast"
                                                            : "other times");
}

/* Some threads come, in their own time, past barriers and shuffles. */
__global__ void among_others(uint64_t *out)
{
    __shared__ uint64_t shared[64];
    const int t = (int)threadIdx.x;
    unsigned lanes;

    if (t % 3)
        shared[t] = rounds((uint64_t)t, 100);
    else
        shared[t] = (uint64_t)t;
    __syncthreads();
    lanes = __ballot_sync(~0u, t % 2);
    if (t < 40)
        out[t] = rounds(shared[63 - t], 100) + lanes;
    if (t == 3 || t == 41)
        shared[t] += rounds(shared[t], 200);
    __syncthreads();
    if (t >= 40)
        out[t] = rounds(out[t - 40], 100) + shared[t] +
                 (uint64_t)__shfl_sync(0xffffff00u, t, 31);
    if (t == 50)
        return;
    shared[t] = rounds(out[t], 90 + (uint64_t)t % 2);
    __syncwarp(t < 32 ? ~0u : ~(1u << 18));
    if (t % 32 == 0)
        for (int i = 0; i < 32; i++)
            out[64] += t + i == 50 ? 0 : shared[t + i];
}

int main()
{
    uint64_t *data, host[65], sum = 0;

    compare(5000, 7, 256, 0);
    compare(5000, 40, 96, 0);
    compare(3000, 3, 1000, 0);
    compare(1000, 9, 31, 0);
    compare(1000, 50, 3, 0);
    compare(200, 200, 1, 0);
    compare(5000, 7, 256, 2);
    compare(5000, 4, 256, 500);
    cudaMalloc(&data, sizeof host);
    cudaMemset(data, 0, sizeof host);
    among_others<<<1, 64>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(data);
    for (int t = 0; t < 64; t++)
        sum += t == 50 ? 0 : rounds(host[t], 90 + (uint64_t)t % 2);
    printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), host[64] == sum);
    printf("%016llx\n", (unsigned long long)host[64]);
    return 0;
}
