/* Kernels of many blocks, which run without call-backs, and functions of every
 * shape that they call: all are inlined, or the kernel is watched. */
#include <cstdio>

#define BLOCKS  512
#define THREADS 64
#define N       (BLOCKS * THREADS)

__device__ float plain(float x)
{
    return x + 1;
}

extern "C" __device__ float of_c(float x)
{
    return plain(x) + 1;
}

static __device__ float counted(float x)
{
    static const float table[4] = {1, 2, 3, 4};

    return x + table[(int)x & 3];
}

template <int K>
__device__ float power(float x)
{
    return x * power<K - 1>(x);
}
template <>
__device__ float power<0>(float)
{
    return 1;
}

namespace shapes {
struct box {
    float w, h;
    __host__ __device__ box(float width, float height) : w(width), h(height) {}
    __device__ float area() const { return w * h; }
    __device__ virtual float twice() const { return 2 * area(); }
    __device__ operator float() const { return area(); }
};
__device__ box operator+(const box &a, const box &b)
{
    return box(a.w + b.w, a.h + b.h);
}
template <class T>
struct adder {
    T by;
    __device__ T operator()(T x) const { return x + by; }
};
} // namespace shapes

struct number {
    unsigned v;
};

/* It calls itself, which its name does not show. */
__device__ number operator*(number a, number b)
{
    if (!b.v)
        return number{0};
    return number{a.v + (a * number{b.v - 1}).v};
}

__device__ int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

typedef float (*function)(float);
__device__ function chosen[2] = {plain, of_c};

__constant__ float scale = 2;
__device__ float bias = 3;

__global__ void inlined(float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto more = [](float x) { return x + 0.5f; };
    const shapes::box box = shapes::box(i, 1) + shapes::box(1, 1);

    y[i] = scale * of_c(counted(i % 100)) + bias + box.area() + box.twice() +
           more(box) + chosen[i & 1](1);
}

template <class F>
__global__ void apply(float *y, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    y[i] = f(y[i]) + power<3>(i % 10);
}

__global__ void called_again(float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    y[i] = (number{3} * number{(unsigned)i % 5}).v + factorial(i % 6);
}

/* Later blocks read what others were to write: nothing orders them, and each
 * is right about its own. */
__global__ void reversed(float *to, const float *from)
{
    __shared__ float tile[THREADS];

    tile[threadIdx.x] = from[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    to[(gridDim.x - 1 - blockIdx.x) * THREADS + threadIdx.x] =
        tile[THREADS - 1 - threadIdx.x];
}

static void show(const char *what, const float *y)
{
    double sum = 0;

    printf("%s: %s\n", what, cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 13);
    printf("%.1f, %.1f to %.1f\n", sum, y[0], y[N - 1]);
}

int main()
{
    float *y, *z;

    cudaMallocManaged(&y, N * sizeof(float));
    cudaMallocManaged(&z, N * sizeof(float));
    inlined<<<BLOCKS, THREADS>>>(y);
    show("inlined", y);
    apply<<<BLOCKS, THREADS>>>(y, shapes::adder<float>{10});
    show("a function object", y);
    apply<<<BLOCKS, THREADS>>>(y, [] __device__(float x) { return x / 2; });
    show("a lambda", y);
    called_again<<<BLOCKS, THREADS>>>(y);
    show("called again", y);
    inlined<<<BLOCKS, THREADS>>>(y);
    reversed<<<BLOCKS, THREADS>>>(z, y);
    show("reversed", z);
    reversed<<<BLOCKS, THREADS>>>(z, y + N - THREADS);
    printf("beyond: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
