// Blocks and threads that have nothing to do: do they take a share?
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#define CHECK(c)                                                               \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_));         \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
static double wall_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
__global__ void work(uint64_t *data, uint64_t n, uint64_t rounds)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint64_t x = data[i];
        for (uint64_t r = 0; r < rounds; r++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        data[i] = x;
    }
}
// Of each `every` threads one works.
__global__ void some(uint64_t *data, unsigned every, uint64_t rounds)
{
    const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    uint64_t x = data[i];
    if (i % every == 0)
        for (uint64_t r = 0; r < rounds; r++)
            x = x * 6364136223846793005u + 1442695040888963407u;
    data[i] = x;
}
// Block b does b times as much as block 1.
__global__ void stairs(uint64_t *data, uint64_t rounds)
{
    const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    uint64_t x = data[i];
    for (uint64_t r = 0; r < rounds * blockIdx.x; r++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    data[i] = x;
}
static uint64_t *d;
static cudaStream_t s, t;
template <class F>
static double best(F f)
{
    double least = 1e18;
    for (int i = -2; i < 10; i++) {
        CHECK(cudaDeviceSynchronize());
        double a = wall_us();
        f();
        CHECK(cudaDeviceSynchronize());
        a = wall_us() - a;
        if (i >= 0)
            least = fmin(least, a);
    }
    return least;
}
int main()
{
    CHECK(cudaMalloc(&d, 64 << 20));
    CHECK(cudaMemset(d, 1, 64 << 20));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    static const unsigned blocks[] = {1, 2, 13, 104, 132, 1056, 4000, 30000};
    for (int i = 0; i < 8; i++)
        printf("256 entries, %u blocks of 256: %.1f us\n", blocks[i],
               best([&] { work<<<blocks[i], 256, 0, s>>>(d, 256, 20000); }));
    for (int i = 0; i < 5; i++)
        printf(
            "%u entries of 132 blocks of 256: %.1f us\n", 256 * blocks[i],
            best([&] { work<<<132, 256, 0, s>>>(d, 256 * blocks[i], 20000); }));
    for (unsigned e = 1; e <= 256; e *= 2)
        printf("one block, one of %u threads works: %.1f us\n", e,
               best([&] { some<<<1, 256, 0, s>>>(d, e, 20000); }));
    for (unsigned e = 1; e <= 256; e *= 4)
        printf("1056 blocks, one of %u threads works: %.1f us\n", e,
               best([&] { some<<<1056, 256, 0, s>>>(d, e, 5000); }));
    for (unsigned e = 256; e <= 65536; e *= 4)
        printf("8448 blocks, one of %u threads works: %.1f us\n", e,
               best([&] { some<<<8448, 256, 0, s>>>(d, e, 5000); }));
    for (unsigned b = 33; b <= 4224; b *= 2)
        printf("stairs of %u blocks: %.1f us\n", b,
               best([&] { stairs<<<b, 256, 0, s>>>(d, 40000 / b); }));
    printf("a full grid with one block of work, then another one in t: %.1f "
           "us; each alone %.1f, %.1f\n",
           best([&] {
               work<<<1056, 256, 0, s>>>(d, 256, 40000);
               work<<<1056, 256, 0, t>>>(d + 300000, 270336, 4000);
           }),
           best([&] { work<<<1056, 256, 0, s>>>(d, 256, 40000); }),
           best([&] { work<<<1056, 256, 0, t>>>(d + 300000, 270336, 4000); }));
    return 0;
}
