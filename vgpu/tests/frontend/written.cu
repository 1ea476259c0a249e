// Device memory that is written before its use, in all the ways there are: with
// VGPU_CHECK nothing is said of it (tests/frontend/run.sh).
#include <cstdio>
#include <cstring>

#define N 3000

struct padded {
    char c;
    double d;
};

struct alignas(16) wide {
    double d;
};

struct bits {
    unsigned a : 3, b : 5, c : 24;
};

struct colour {
    unsigned char r, g, b;
};

__device__ int zeros[100];

// No padding, no fourth number, some of a word's bit fields.
__global__ void members(padded *p, wide *w, bits *b, float4 *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    p[i].c = 'a';
    p[i].d = i;
    w[i].d = i;
    b[i].a = 1;
    if (i % 2)
        b[i].c = i;
    v[i].x = v[i].y = v[i].z = i;
}

__global__ void copies(padded *q, const padded *p, wide *x, const wide *w,
                       bits *c, const bits *b, float4 *u, const float4 *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    q[i] = p[i];
    x[i] = w[i];
    c[i] = b[i];
    u[i] = v[i];
    memcpy(&q[i], &p[i], sizeof q[i]);
}

__global__ void scratch(int *own, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    own[i] = i;
    for (int k = 0; k < 3; k++)
        own[i] += k;
    out[i] = own[i];
}

// Every other byte, and as the pattern that memory is filled with.
__global__ void pattern(unsigned char *m)
{
    m[2 * threadIdx.x] = 0xCD;
}

__global__ void bytes(const unsigned char *m, int *sum)
{
    atomicAdd(sum, m[2 * threadIdx.x]);
}

__global__ void exchange(int *flag, unsigned *count)
{
    atomicExch(flag, 3);
    atomicAdd(flag, 1);
    *count = 0xCDCDCDCD;
    atomicInc(count, 10);
}

__global__ void some(const int *a, int *out, int n)
{
    int i = threadIdx.x;

    out[i] = i < n ? a[i] + zeros[i] : 0;
}

__global__ void colours(colour *c, int *sum)
{
    colour own;

    own.r = own.g = own.b = 0xCD;
    c[threadIdx.x] = own;
    own = c[threadIdx.x];
    atomicAdd(sum, own.r);
}

static void *made[64];
static int num_made;

template <class T>
static T *make(int n)
{
    T *p;

    cudaMalloc(&p, n * sizeof(T));
    made[num_made++] = p;
    return p;
}

static void by_kernels(int *out, int *sum)
{
    padded *p = make<padded>(N), *q = make<padded>(N);
    wide *w = make<wide>(N), *x = make<wide>(N);
    bits *b = make<bits>(N), *c = make<bits>(N);
    float4 *v = make<float4>(N), *u = make<float4>(N);

    members<<<N / 128 + 1, 128>>>(p, w, b, v);
    copies<<<N / 128 + 1, 128>>>(q, p, x, w, c, b, u, v);
    copies<<<N / 128 + 1, 128>>>(p, q, w, x, b, c, v, u);
    scratch<<<N / 128 + 1, 128>>>(make<int>(N), out);
    exchange<<<1, 1>>>(make<int>(1), make<unsigned>(1));
    colours<<<1, 200>>>(make<colour>(200), sum);
}

static void by_copies(int *sum)
{
    unsigned char *m = make<unsigned char>(512), *n = make<unsigned char>(512);
    void *back;

    pattern<<<1, 256>>>(m);
    bytes<<<1, 256>>>(m, sum);
    cudaMemset(m, 0xCD, 512);
    cudaMemset2D(n, 16, 0xCD, 16, 32);
    bytes<<<1, 256>>>(n, sum);
    cudaMemset(n, 0, 512);
    cudaMemcpy2D(n, 32, m, 32, 16, 16, cudaMemcpyDeviceToDevice);
    bytes<<<1, 256>>>(n, sum);
    // A copy to the host is no use yet, of a row's end least of all.
    cudaMallocHost(&back, 4096);
    cudaMemcpy(back, make<char>(4096), 4096, cudaMemcpyDeviceToHost);
    bytes<<<1, 256>>>((unsigned char *)back, sum);
    cudaDeviceSynchronize();
    cudaFreeHost(back);
}

static void by_others(int *out)
{
    int *managed, *pooled;

    cudaMallocManaged(&managed, 400);
    for (int i = 0; i < 50; i++)
        managed[i] = i;
    some<<<1, 100>>>(managed, out, 100);
    cudaDeviceSynchronize();
    cudaFree(managed);
    for (int round = 0; round < 3; round++) {
        cudaMallocAsync(&pooled, N * sizeof *pooled, 0);
        scratch<<<N / 128 + 1, 128>>>(pooled, out);
        some<<<1, 100>>>(pooled, out, 100);
        cudaFreeAsync(pooled, 0);
    }
}

int main()
{
    int *out = make<int>(N), *sum = make<int>(1);

    cudaMemset(sum, 0, sizeof *sum);
    by_kernels(out, sum);
    by_copies(sum);
    by_others(out);
    some<<<1, 64>>>(out, make<int>(64), 10);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    while (num_made)
        cudaFree(made[--num_made]);
}
