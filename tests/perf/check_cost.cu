/*
 * check_cost.cu: what the virtual GPU costs, in check mode or not: saxpy, the
 * cipher and a matrix product as kernels, against the same as plain C loops on
 * one core, in one run. Prints times, ratios, and memory against the program's
 * own data.
 *
 * Host timers tell virtual time here, so the kernel's own clock is asked.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cipher.h"

extern "C" void plain_saxpy(float *y, const float *x, float a, uint64_t n,
                            uint64_t blocks, uint64_t threads);
extern "C" void plain_decrypt(uint64_t *data, uint64_t n, uint64_t num_iters,
                              uint64_t blocks, uint64_t threads);

extern "C" void plain_multiply(float *c, const float *a, const float *b, int n);

enum { REPEATS = 5, TILE = 16 };

__global__ void saxpy(float *y, const float *x, float a, uint64_t n)
{
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (uint64_t i = first; i < n; i += (uint64_t)gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    const int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;

    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

static double wall_ms(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *times)
{
    qsort(times, REPEATS, sizeof(*times), compare);
    return times[REPEATS / 2];
}

static void report(const char *name, double plain, double checked)
{
    const char *check = getenv("VGPU_CHECK"), *cores = getenv("VGPU_CORES");

    printf("%-8s plain C %8.2f ms   %-10s %8.2f ms   %5.2f times\n", name,
           plain,
           check && *check == '1' ? "check mode"
           : cores                ? "one core"
                                  : "all cores",
           checked, checked / plain);
}

static void measure_saxpy(uint64_t n)
{
    const unsigned blocks = (unsigned)((n + 255) / 256);
    double plain[REPEATS], checked[REPEATS];
    float *x, *y;
    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));

    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaMemset(y, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    for (uint64_t i = 0; i < n; i++)
        a[i] = b[i] = (float)i;
    for (int i = 0; i < REPEATS; i++) {
        double start = wall_ms();

        plain_saxpy(a, b, 2.0f, n, blocks, 256);
        plain[i] = wall_ms() - start;
        start = wall_ms();
        saxpy<<<blocks, 256>>>(y, x, 2.0f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        checked[i] = wall_ms() - start;
    }
    report("saxpy", median(plain), median(checked));
    free(a);
    free(b);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}

static void measure_cipher(uint64_t n, uint64_t num_iters)
{
    double plain[REPEATS], checked[REPEATS];
    uint64_t *data, *host = (uint64_t *)calloc(n, sizeof(uint64_t));

    CHECK(cudaMalloc(&data, n * sizeof(uint64_t)));
    CHECK(cudaMemset(data, 0, n * sizeof(uint64_t)));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < REPEATS; i++) {
        double start = wall_ms();

        plain_decrypt(host, n, num_iters, decrypt_blocks(n), DECRYPT_THREADS);
        plain[i] = wall_ms() - start;
        start = wall_ms();
        decrypt_gpu<<<decrypt_blocks(n), DECRYPT_THREADS>>>(data, n, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        checked[i] = wall_ms() - start;
    }
    report("cipher", median(plain), median(checked));
    free(host);
    CHECK(cudaFree(data));
}

/* Once: it takes seconds. */
static void measure_multiply(int n)
{
    const size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    const dim3 grid((unsigned)(n / TILE), (unsigned)(n / TILE));
    float *host[3], *device[3];
    double start, plain, checked;

    for (int i = 0; i < 3; i++) {
        host[i] = (float *)calloc(1, bytes);
        CHECK(cudaMalloc(&device[i], bytes));
        CHECK(cudaMemset(device[i], 0, bytes));
    }
    CHECK(cudaDeviceSynchronize());
    start = wall_ms();
    plain_multiply(host[0], host[1], host[2], n);
    plain = wall_ms() - start;
    start = wall_ms();
    multiply<<<grid, dim3(TILE, TILE)>>>(device[0], device[1], device[2], n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    checked = wall_ms() - start;
    report("multiply", plain, checked);
    for (int i = 0; i < 3; i++) {
        free(host[i]);
        CHECK(cudaFree(device[i]));
    }
}

/* Even and odd entries in two streams: as much of the checker's memory as a
 * program can use up. */
__global__ void every_other(float *y, uint64_t n, uint64_t phase)
{
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (uint64_t i = first; 2 * i + phase < n;
         i += (uint64_t)gridDim.x * blockDim.x)
        y[2 * i + phase] += 1.0f;
}

static void measure_memory(uint64_t n)
{
    const double mib = 1024.0 * 1024.0;
    const double data = (double)(n * sizeof(float)) / mib;
    struct rusage usage;
    cudaStream_t s[2];
    float *y;

    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMemset(y, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamCreate(&s[i]));
    for (int i = 0; i < 2; i++)
        every_other<<<(unsigned)((n / 2 + 255) / 256), 256, 0, s[i]>>>(
            y, n, (uint64_t)i);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamDestroy(s[i]));
    CHECK(cudaFree(y));
    getrusage(RUSAGE_SELF, &usage);
    printf("memory   data %8.0f MiB  whole process %7.0f MiB   %5.2f times "
           "the data + 64 MiB\n",
           data, (double)usage.ru_maxrss / 1024,
           (double)usage.ru_maxrss / 1024 / (data + 64));
}

int main(void)
{
    measure_saxpy(1 << 24);
    measure_cipher(1 << 16, 100);
    measure_multiply(768);
    measure_memory(1 << 26);
    return 0;
}
