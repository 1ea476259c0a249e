/* Device functions, structures, lambdas, printf and assert. */
#include <cassert>
#include <cstdio>

__device__ int index_of()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ int twice(int v) { return 2 * v; }
static __device__ __forceinline__ int thrice(int v) { return 3 * v; }
__device__ __noinline__ int four(int v) { return 4 * v; }
__host__ __device__ int five(int v) { return 5 * v; }
__host__ __device__ constexpr int six(int v) { return 6 * v; }
__device__ int declared(int);

template <class T>
__device__ T largest(T a, T b)
{
    return a > b ? a : b;
}

struct vec {
    int x, y;

    __host__ __device__ vec(int a, int b) : x(a), y{b} {}
    __device__ vec operator+(const vec &o) const
    {
        return vec(x + o.x, y + o.y);
    }
    __host__ __device__ static int zero() { return 0; }
    __device__ int sum() const
    {
        return x + y;
    }
};

template <class T>
class holder
{
public:
    __host__ __device__ explicit holder(T v) : value(v)
    {
    }
    __host__ __device__ T get() const
    {
        return value;
    }
    template <class U>
    __device__ U as() const
    {
        return (U)value;
    }

private:
    T value;
};

__device__ int recursive(int n)
{
    return n <= 1 ? 1 : n * recursive(n - 1);
}

__device__ int declared(int v)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        v++;
#pragma unroll 4
    for (int i = 0; i < 4; i++)
        v--;
    return v;
}

typedef int (*operation)(int);

__global__ void all(int *out)
{
    int i = index_of();
    vec v = vec(i, 1) + vec(2, 3);
    holder<int> h(i);
    auto local = [&](int a) { return a + i; };
    auto plain = [](int a) { return a + (int)threadIdx.x; };
    operation f = twice;

    assert(i < 64);
    out[i] = twice(i) + thrice(i) + four(i) + five(i) + six(i) + declared(i) +
             largest(i, 10) + v.sum() + vec::zero() + h.get() +
             (int)h.as<float>() + recursive(4) + local(1) + plain(1) + f(i);
    if (i == 63) {
        printf("no arguments\n");
        printf("thread %d says %d of %s\n", i, out[i], "device code");
    }
}

template <class F>
__global__ void for_each(int *out, int n, F f)
{
    int i = index_of();

    if (i < n)
        out[i] = f(out[i]);
}

int main()
{
    int *out, k = 5;

    cudaMallocManaged(&out, 64 * sizeof *out);
    all<<<2, 32>>>(out);
    for_each<<<2, 32>>>(out, 64, [=] __device__(int v) { return v + k; });
    for_each<<<2, 32>>>(out, 64, [=] __host__ __device__ (int v) -> int {
        return five(v) - 4 * v;
    });
    for_each<<<2, 32>>>(out, 64, [] __device__(int v) {
        return v + (int)threadIdx.x - (int)threadIdx.x;
    });
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d %d\n", out[0], out[1], five(k));
    cudaFree(out);
    return 0;
}
