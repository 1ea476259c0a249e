/* Functions of one name: for the host, for the device, for both, in namespaces,
 * classes and templates. Which one a call means is C++'s business. */
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tools {
int size(int n)
{
    return n;
}
int size(int a, int b)
{
    return a * b;
}
__device__ int size(float x)
{
    return (int)x + 2;
}
__host__ __device__ inline long size(long n)
{
    return -n;
}
template <class T>
T pick(T x)
{
    return x;
}
template <class T>
__device__ T pick(T x, int)
{
    return x + 1;
}
namespace inner {
int size(double x)
{
    return (int)x;
}
__device__ int weight(int i)
{
    return 10 * i;
}
} // namespace inner
} // namespace tools

namespace plain {
int min(int a, int b, int c)
{
    return a + b + c;
}
double max(double a)
{
    return a;
}
template <class T>
T clamp(T x, T low, T high)
{
    return x < low ? low : x > high ? high : x;
}
} // namespace plain

/* CUDA's own once more, and one of that name for the host alone. */
int max(int a, int b);

float max(float a, float b, float c)
{
    return a + b + c;
}

void exp(int *x)
{
    *x = 1;
}

float abs(const float *x, int n)
{
    return x[n];
}

__device__ float clamp(float x, float low, float high)
{
    return fminf(fmaxf(x, low), high);
}

struct worker {
    int work(int n) const
    {
        return n;
    }
    __device__ int work(float x) const
    {
        return (int)x + 5;
    }
};

int work(int n)
{
    return n;
}

__global__ void fill(int *out)
{
    worker w;
    int i = 0;

    out[i++] = tools::size(1.0f);
    out[i++] = (int)tools::size(3L);
    out[i++] = tools::pick(4, 0);
    out[i++] = tools::inner::weight(5);
    out[i++] = w.work(2.0f);
    out[i++] = min(7, max(8, 3)) + (int)clamp(3.0f, 1.0f, 2.0f);
    {
        using namespace tools;

        out[i++] = size(6.0f);
    }
}

template <class T>
__global__ void fill(T *out, int n)
{
    out[threadIdx.x] = (T)n;
}

void fill(int *out, int n, cudaStream_t stream)
{
    fill<int><<<1, 1, 0, stream>>>(out, n);
}

using namespace plain;

int main()
{
    const float x[2] = {1, 2};
    int *out, e;

    cudaMallocManaged(&out, 16 * sizeof *out);
    fill<<<1, 1>>>(out);
    fill(out + 7, 70, 0);
    fill<<<1, 1>>>(out + 8, 80);
    cudaDeviceSynchronize();
    for (int i = 0; i < 9; i++)
        printf("%d ", out[i]);
    exp(&e);
    printf("\n%d %d %ld %d %d\n", tools::size(2), tools::size(2, 3),
           tools::size(4L), tools::pick(5), tools::inner::size(6.0));
    printf("%d %d %g %g %d %g %d\n", plain::min(1, 2, 3), std::max(1, 2),
           plain::max(3.0), abs(x, 1), e, exp(0.0), work(8));
    return cudaFree(out);
}
