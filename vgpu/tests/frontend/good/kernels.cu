/* Every form of a kernel's definition. */
#include <cstdio>

__global__ void later(int *x, int a = 7);
template <class T>
__global__ void later_t(T *x);
extern "C" __global__ void c_later(int *x);

__global__ void plain(int *x)
{
    x[threadIdx.x] += 1;
}

static __global__ void is_static(int *x)
{
    x[threadIdx.x] += 1;
}

__global__ static void static_after(int *x) { x[threadIdx.x] += 1; }

void __global__ qualifier_after(int *x) { x[threadIdx.x] += 1; }

inline __global__ void is_inline(int *x)
{
    x[threadIdx.x] += 1;
}

extern "C" __global__ void c_linkage(int *x)
{
    x[threadIdx.x] += 1;
}

extern "C" {
__global__ void in_c_block(int *x)
{
    x[threadIdx.x] += 1;
}
}

#define THREADS 64
__global__ void __launch_bounds__(THREADS) bounds_after(int *x)
{
    x[threadIdx.x] += 1;
}

__launch_bounds__(2 * THREADS, 1) __global__ void bounds_before(int *x)
{
    x[threadIdx.x] += 1;
}

template <int N>
__global__ void __launch_bounds__(N, 2) bounds_template(int *x)
{
    x[threadIdx.x] += N;
}

namespace {
__global__ void unnamed(int *x)
{
    x[threadIdx.x] += 1;
}
}

namespace a::b {
struct item {
    int value;
};
__global__ void uses(int *x, item i)
{
    x[threadIdx.x] += i.value;
}
__global__ void declared_here(int *x, item i);
}

__global__ void a::b::declared_here(int *x, item i)
{
    x[threadIdx.x] += 2 * i.value;
}

__global__ void overloaded(int *x, int a) { x[threadIdx.x] += a; }
__global__ void overloaded(int *x, float a) { x[threadIdx.x] += 2 * (int)a; }

/* A body may change its parameters. */
__global__ void changes(int *x, int n, const int m)
{
    n += threadIdx.x;
    x += threadIdx.x;
    *x += n - (int)threadIdx.x + m;
    x = nullptr;
}

__global__ void no_params()
{
}

__global__ void none(void)
{
}

__global__ void returns(int *x, int n)
{
    if ((int)threadIdx.x >= n)
        return;
    x[threadIdx.x] += 1;
}

struct big {
    double values[16];
    int n;
};

__global__ void by_value(int *x, big b, const big c)
{
    b.n += c.n;
    x[threadIdx.x] += b.n + (int)b.values[3];
}

__global__ void restricted(int *__restrict__ x, const int *__restrict__ y,
                           size_t n)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        x[i] += y[i];
}

__global__ void pointers(int *x, int (*grid)[2], int *list[2], int y[])
{
    x[threadIdx.x] += grid[0][1] + *list[1] + y[0];
}

template <class T>
__global__ void specialised(T *x)
{
    x[threadIdx.x] += 1;
}

template <>
__global__ void specialised<int>(int *x)
{
    x[threadIdx.x] += 5;
}

template <class... A>
__global__ void variadic(int *x, A... a)
{
    int sum = (0 + ... + (int)a);
    x[threadIdx.x] += sum;
}

template <class F>
__global__ void apply(int *x, F f)
{
    x[threadIdx.x] = f(x[threadIdx.x]);
}

struct increment {
    int by;
    __host__ __device__ int operator()(int v) const { return v + by; }
};

template __global__ void specialised<unsigned>(unsigned *);

__global__ void later(int *x, int a)
{
    x[threadIdx.x] += a;
}

template <class T>
__global__ void later_t(T *x)
{
    x[threadIdx.x] += 1;
}

__global__ void c_later(int *x)
{
    x[threadIdx.x] += 1;
}

__global__ [[maybe_unused]] void attributed(int *x)
{
    x[threadIdx.x] += 1;
}

int main()
{
    int *x, *y;
    big b = {{0, 0, 0, 4}, 2};
    cudaFuncAttributes attributes;

    cudaMallocManaged(&x, 64 * sizeof *x);
    cudaMallocManaged(&y, 64 * sizeof *y);
    for (int i = 0; i < 64; i++)
        x[i] = 0, y[i] = 1;
    plain<<<1, 64>>>(x);
    is_static<<<1, 64>>>(x);
    static_after<<<1, 64>>>(x);
    qualifier_after<<<1, 64>>>(x);
    is_inline<<<1, 64>>>(x);
    c_linkage<<<1, 64>>>(x);
    in_c_block<<<1, 64>>>(x);
    bounds_after<<<1, 64>>>(x);
    bounds_before<<<1, 64>>>(x);
    bounds_template<64><<<1, 64>>>(x);
    unnamed<<<1, 64>>>(x);
    a::b::uses<<<1, 64>>>(x, {1});
    a::b::declared_here<<<1, 64>>>(x, a::b::item{1});
    overloaded<<<1, 64>>>(x, 1);
    overloaded<<<1, 64>>>(x, 1.0f);
    changes<<<1, 64>>>(x, 1, 2);
    no_params<<<1, 1>>>();
    none<<<1, 1>>>();
    returns<<<1, 64>>>(x, 64);
    by_value<<<1, 64>>>(x, b, b);
    restricted<<<1, 32>>>(x, y, 64);
    specialised<<<1, 64>>>(x);
    variadic<<<1, 64>>>(x, 1, 2.5, 'a' - 'a');
    variadic<<<1, 64>>>(x);
    apply<<<1, 64>>>(x, increment{3});
    later<<<1, 64>>>(x);
    later_t<<<1, 64>>>(x);
    c_later<<<1, 64>>>(x);
    attributed<<<1, 64>>>(x);
    /* Arguments are converted at the launch. */
    later<<<1, 64>>>(x, 1.0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d\n", x[0], x[63]);
    cudaFuncGetAttributes(&attributes, bounds_after);
    printf("at most %d threads\n", attributes.maxThreadsPerBlock);
    cudaFuncGetAttributes(&attributes, bounds_template<32>);
    printf("at most %d threads\n", attributes.maxThreadsPerBlock);
    cudaFuncGetAttributes(&attributes, specialised<int>);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(x);
    cudaFree(y);
    return 0;
}
