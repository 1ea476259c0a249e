/* Loops that many threads can do in step, in kernels that read all kinds of
 * memory, for blocks of all kinds of shapes, and some that cannot. All numbers
 * are small, so that sums are exact. With an argument also how long it took. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error_ = (call);                                     \
        if (error_ != cudaSuccess) {                                           \
            printf("%d: %s\n", __LINE__, cudaGetErrorString(error_));          \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

const int SIZE = 150;
enum { PLUS = 3 };
__device__ float table[512];
__constant__ float weights[300];
__global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y,
        col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float s = 0;
        for (int k = 0; k < n; k++)
            s += a[row * n + k] * b[k * n + col];
        c[row * n + col] = s;
    }
}
template <class T>
__global__ void product2(T *a, T *b, T *c, size_t n)
{
    size_t row = blockIdx.x * blockDim.x + threadIdx.x,
           col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0.0f, other = 1.0f;
    for (size_t k = 0; k < n; ++k) {
        float x = a[row * n + k];
        sum += x * b[k * n + col];
        other -= x * 0.125f;
    }
    c[row * n + col] = sum + other;
}
__global__ void triangle(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0;
    int count = 0;
    for (int k = 0; k < i; k++) {
        s += a[k] * (double)i;
        count += 1;
    }
    if (i < n)
        c[i] = (float)s + count;
}
__global__ void steps(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    unsigned h = 17;
    for (int k = 1; k <= n - 1; k += 3) {
        s = s * -1.0f + a[k];
        h = h * 31 + k;
    }
    if (i < n)
        c[i] = s + (h % 1000) + i;
}
__global__ void forces(const float *x, float *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float xi = x[i % n], fx = 0;
    for (int j = 0; j < n; j++) {
        const float d = x[j] - xi;
        fx += d * d * d;
    }
    if (i < n)
        f[i] = fx;
}
__global__ void shared(const float *a, float *c, int n)
{
    __shared__ float s[512];
    extern __shared__ float dynamic[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 512; k += blockDim.x) {
        s[k] = a[k % n];
        dynamic[k] = table[k];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 512; k++)
        sum += s[k] * dynamic[k] + s[threadIdx.y + 5];
    for (int k = 0; k < SIZE; k++)
        sum += weights[k] * s[k + PLUS] * 2.0f;
    if (i < n)
        c[i] = sum;
}
__global__ void rows(const float *m, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 0;
    const float *r = m + i * n;
    for (int k = 0; k < n; k++)
        s += r[k] * x[k];
    float t = 0;
    for (int k = 0; k < n; k++)
        t += m[i * n + k] * x[k];
    y[i] = s * 3 + t;
}
__global__ void own(const float *m, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine[200];
    float s = 0;
    for (int k = 0; k < 200; k++)
        mine[k] = m[(k + i) % n];
    for (int k = 0; k < 200; k++)
        s += mine[k] * k;
    if (i < n)
        y[i] = s;
}
__global__ void stride(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        step = gridDim.x * blockDim.x;
    for (; i < n; i += step) {
        float s = 0;
        for (int k = 0; k < n; k++)
            s += a[k] * (float)(i + threadIdx.x * 2 + blockIdx.x) - a[i];
        c[i] = s;
    }
}
__global__ void longs(const int64_t *a, int64_t *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long s = 0;
    long long hash = 5;
    for (long k = 0; k < n; k++) {
        s += a[k] * i;
        hash = hash * 33 - a[(k * 7 + i) % n];
    }
    for (unsigned k = 0; k < 200u; k++)
        s -= a[k] * (i - 5);
    if (i < n)
        c[i] = s + hash;
}
__global__ void inner(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    if (i < n)
        for (int j = 0; j < 4; j++)
            for (int k = j; k < n; k++)
                total += a[k] * a[j];
    else
        total = 1;
    if (i < n)
        c[i] = total;
}
static void show(const char *what, const void *from, size_t bytes)
{
    static unsigned char read[1 << 20];
    uint64_t hash = 1469598103934665603u;

    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(read, from, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ read[i]) * 1099511628211u;
    printf("%s %016llx\n", what, (unsigned long long)hash);
}

int main(int argc, char **)
{
    const int n = 301;
    const size_t bytes = n * n * sizeof(float);
    const int shapes[][2] = {{16, 16}, {32, 32}, {8, 8},  {32, 4},
                             {17, 5},  {64, 1},  {1, 64}, {128, 2}};
    float *host = (float *)malloc(bytes), *a, *b, *c, ms;
    int64_t *la, *lc;
    cudaEvent_t begin, end;

    for (int i = 0; i < n * n; i++)
        host[i] = (float)((i * 7 + i / 13) % 5) - 2;
    CHECK(cudaMalloc((void **)&a, bytes));
    CHECK(cudaMalloc((void **)&b, bytes));
    CHECK(cudaMalloc((void **)&c, bytes));
    CHECK(cudaMalloc((void **)&la, n * sizeof *la));
    CHECK(cudaMalloc((void **)&lc, n * sizeof *lc));
    CHECK(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(la, host, n * sizeof *la, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(table, host + 50, sizeof table));
    CHECK(cudaMemcpyToSymbol(weights, host + 5000, sizeof weights));
    for (int i = 0; i < n * n; i++)
        host[i] = (float)(i % 3) - 1;
    CHECK(cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(c, 0, bytes));
    CHECK(cudaMemset(lc, 0, n * sizeof *lc));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (auto &shape : shapes) {
        const dim3 block(shape[0], shape[1]);
        const dim3 grid((n + shape[0] - 1) / shape[0],
                        (n + shape[1] - 1) / shape[1]);

        product<<<grid, block>>>(a, b, c, n);
        show("product", c, bytes);
        product2<<<grid, block>>>(a, b, c, n);
        show("product2", c, bytes);
    }
    for (int threads : {32, 64, 100, 256, 1000}) {
        const int blocks = (n + threads - 1) / threads + 12;

        triangle<<<blocks, threads>>>(a, c, n);
        show("triangle", c, n * 4);
        steps<<<blocks, threads>>>(a, c, n);
        show("steps", c, n * 4);
        forces<<<blocks, threads>>>(a, c, n);
        show("forces", c, n * 4);
        shared<<<blocks, threads, 2048>>>(a, c, n);
        show("shared", c, n * 4);
        rows<<<blocks, threads>>>(a, b, c, n);
        show("rows", c, n * 4);
        own<<<blocks, threads>>>(a, c, n);
        show("own", c, n * 4);
        stride<<<2, threads>>>(a, c, n * 2);
        show("stride", c, n * 8);
        longs<<<blocks, threads>>>(la, lc, n);
        show("longs", lc, n * 8);
        inner<<<blocks, threads>>>(a, c, n);
        show("inner", c, n * 4);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (argc > 1)
        printf("%.6f ms\n", ms);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(la));
    CHECK(cudaFree(lc));
    free(host);
    return 0;
}
