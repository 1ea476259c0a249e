/* Names of __shared__ variables that something else has, too. */
#include <cstdio>

extern __shared__ int state[];
extern __shared__ int state[];
__shared__ int count;

/* Parameters, of functions, kernels, templates and lambdas. */
__device__ int by_parameter(int state[32], int count) { return state[count]; }
template <int state> __device__ int by_argument() { return state; }
template <class count> __device__ count by_type(count x) { return x + 1; }
__host__ __device__ int on_both_sides(int x)
{
    int state = x;

    return state + 1;
}
__global__ void hidden_in_kernel(int *out, int count)
{
    out[threadIdx.x] = count;
}

/* Members, of a class and of its base. */
struct base {
    int state;
};
struct derived : public base {
    int count;
    __device__ int sum() const { return state + count; }
    __device__ int later() const;
};
__device__ int derived::later() const { return state - count; }

/* Another namespace's, and one of its own. */
namespace other
{
__device__ int state = 5;
__shared__ int only_here;
__device__ int get() { return state; }
__device__ int put(int x)
{
    only_here = x;
    return only_here;
}
} // namespace other

/* Local variables: before they are declared the outer one is meant. */
__device__ int locals()
{
    int before = state[0];
    int state = before + 1, sum = state;

    for (int count = 0; count < 3; count++)
        sum += count;
    {
        int count = 10;

        sum += count;
    }
    if (int count = sum)
        sum += count;
    return sum + count;
}

__device__ int lambdas(int x)
{
    auto parameter = [](int state) { return state + 1; };
    auto outer = [] { return state[1] + count; };
    auto put = [=](int y) { state[1] = y + x; };
    int found = parameter(x) + outer();

    put(3);
    {
        int count = 100;
        auto captured = [=] { return count; };

        found += captured();
    }
    for (int count = 0; count < 1; count++)
        ;
    return found + [&] { return state[1] + count; }();
}

__global__ void all(int *out)
{
    __shared__ int mine[4];
    struct local {
        __device__ int get() const { return mine[1]; }
    };
    derived d;
    auto set = [=](int i, int x) { mine[i] = x; };

    count = 7;
    state[0] = 1;
    state[1] = 2;
    mine[0] = mine[1] = 0;
    set(1, 9);
    d.state = 40;
    d.count = 2;
    out[0] = by_parameter(state, 1);
    out[1] = by_argument<11>();
    out[2] = by_type(12);
    out[3] = on_both_sides(13);
    out[4] = d.sum();
    out[5] = d.later();
    out[6] = other::get();
    out[7] = locals();
    out[8] = lambdas(20);
    out[9] = mine[1] + local().get();
    out[10] = state[0] + state[1] + count;
    out[11] = other::put(4);
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 16 * sizeof *out);
    hidden_in_kernel<<<1, 1>>>(out + 12, 6);
    all<<<1, 1, 64>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 13; i++)
        printf("%d ", out[i]);
    printf("%d %s\n", on_both_sides(1), cudaGetErrorString(cudaGetLastError()));
}
