/* Every form of a launch. */
#include <cstdio>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t status = (call);                                       \
        if (status != cudaSuccess)                                         \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
    } while (0)
#define LAUNCH(kernel, grid, block) kernel<<<grid, block>>>
#define LAUNCH_ALL(kernel, ...) kernel<<<dim3(2), dim3(8)>>>(__VA_ARGS__)
#define CLOSE >>>

__global__ void add(int *x, int a)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += a;
}

template <class T, int N>
__global__ void add_n(T *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += N;
}

template <class T>
__global__ void add_t(T *x, T a)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += a;
}

namespace outer {
namespace inner {
__global__ void add(int *x, int a)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += 10 * a;
}
}
template <class A, class B>
struct pair {
    A a;
    B b;
};
}

template <class P>
__global__ void add_pair(int *x, P p)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += p.a + p.b;
}

template <class T>
struct box {
    template <class U>
    struct of {
        static constexpr int blocks = 2;
    };
    int grid;
};

template <class T>
constexpr int twice(int v)
{
    return 2 * v;
}

struct table {
    void (*kernel)(int *, int);
    void (*list[2])(int *, int);
};

typedef void (*add_type)(int *, int);

static add_type pick(int which)
{
    return which ? add : outer::inner::add;
}

template <class T>
void launch_dependent(T *x)
{
    add_t<T><<<2, 8>>>(x, T(1));
    add_n<T, sizeof(T) / 4><<<2, 8>>>(x);
}

int main()
{
    int *x;
    int n = 16, shift = 64 >> 3;
    cudaStream_t stream;
    void (*pointer)(int *, int) = add;
    table t = {add, {add, add}};
    table *tp = &t;

    CHECK(cudaMallocManaged(&x, n * sizeof *x));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset(x, 0, n * sizeof *x));

    add<<<2, 8>>>(x, 1);
    add<<<dim3(2, 1, 1), dim3(8, 1)>>>(x, 1);
    add<<<2, 8, 0>>>(x, 1);
    add<<<2, 8, 0, stream>>>(x, 1);
    add <<< 2, 8 >>> (x, 1);
    add<<<(n + 7) / 8, 8>>>(x, 1);
    add<<<n >> 3, 1 << 3>>>(x, 1);
    add<<<n>>3, shift>>>(x, 1);
    add<<<
        2,
        8
    >>>(
        x,
        1
    );
    add_n<int, 3><<<2, 8>>>(x);
    add_n<int, (8 >> 2)><<<2, 8>>>(x);
    add_t<<<2, 8>>>(x, 1);
    add_t<int><<<2, 8>>>(x, 1);
    add_pair<<<2, 8>>>(x, outer::pair<int, int>{1, 2});
    add_pair<outer::pair<int, int>><<<2, 8>>>(x, {1, 2});
    outer::inner::add<<<2, 8>>>(x, 1);
    ::add<<<2, 8>>>(x, 1);
    ::outer::inner::add<<<2, 8>>>(x, 1);
    add<<<box<box<int>>::of<box<int>>::blocks, 8>>>(x, 1);
    add<<<twice<box<box<int>>>(1), 8>>>(x, 1);
    pointer<<<2, 8>>>(x, 1);
    (*pointer)<<<2, 8>>>(x, 1);
    (pointer)<<<2, 8>>>(x, 1);
    (n > 3 ? add : outer::inner::add)<<<2, 8>>>(x, 1);
    pick(1)<<<2, 8>>>(x, 1);
    t.kernel<<<2, 8>>>(x, 1);
    tp->kernel<<<2, 8>>>(x, 1);
    t.list[1]<<<2, 8>>>(x, 1);
    tp->list[n - n]<<<2, 8>>>(x, 1);
    add<<<2, 8>>>(x, 1), add<<<2, 8>>>(x, 1);
    add<<<2, 8>>>(x, 1); add<<<2, 8>>>(x, 1);
    LAUNCH(add, 2, 8)(x, 1);
    LAUNCH((add_n<int, 2>), 2, 8)(x);
    LAUNCH_ALL(add, x, 1);
    add<<<2, 8 CLOSE(x, 1);
    (void)0, add<<<2, 8>>>(x, 1);
    if (n > 3)
        add<<<2, 8>>>(x, 1);
    else
        add<<<2, 8>>>(x, 100);
    for (int i = 0; i < 3; i++)
        add<<<2, 8>>>(x, 1);
    while (n-- > 15)
        add<<<2, 8>>>(x, 1);
    do
        add<<<2, 8>>>(x, 1);
    while (0);
    switch (n) {
    case 14:
        add<<<2, 8>>>(x, 1);
        break;
    default:
        add<<<2, 8>>>(x, 1000);
    }
    auto launch = [&](int a) { add<<<2, 8, 0, stream>>>(x, a); };
    launch(1);
    [x] { add<<<2, 8>>>(x, 1); }();
    launch_dependent(x);
    n > 0 ? add<<<2, 8>>>(x, 1) : add<<<2, 8>>>(x, 50);

    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("first %d last %d\n", x[0], x[15]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    return 0;
}
