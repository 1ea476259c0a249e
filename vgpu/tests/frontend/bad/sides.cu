//! exit 1
//! 35: error: vgpucc: 'table' in device code is a variable of the host's
//! 36: error: vgpucc: 'count' in device code is a variable of the host's
//! 37: error: vgpucc: 'printf' in device code is not declared
//! 38: error: vgpucc: 'max' in device code: std has it for the host only
//! 39: error: vgpucc: 'square' in device code is constexpr and not __device__
//! 40: error: vgpucc: 'rand' in device code is a function of the host's
//! 41: error: vgpucc: 'throw' in device code: there are no exceptions
//! 43: error: vgpucc: a __global__ function is not __host__, too
//! 44: error: vgpucc: a __global__ function cannot be noexcept
//! 48: error: vgpucc: __device__ function 'on_device' is called from a function that is __host__, too
//! 53: error: vgpucc: 'forgot' is launched and is no kernel: it lacks __global__
//! 54: error: vgpucc: a kernel takes no lambda of the host's
//! 55: error: vgpucc: a __device__ lambda needs --extended-lambda
//! 56: error: vgpucc: 'atomicAdd' in host code is a function of the device's
//! 57: error: vgpucc: __device__ variables do not stand in host functions
#include <algorithm>
#include <cstdlib>

const int table[3] = {1, 2, 3};
const int width = 4;
constexpr int heights[2] = {1, 2};
int count;
constexpr int square(int x)
{
    return x * x;
}
void forgot(int *p)
{
    *p = 1;
}
__global__ void k(int *p, int n)
{
    p[0] = width + heights[1];
    p[1] = table[n] + sizeof(count);
    p[2] = count;
    printf("%d\n", n);
    p[3] = std::max(n, 1);
    p[4] = square(n) + sizeof(square(n));
    p[5] = rand();
    throw p;
}
__global__ __host__ void both() {}
__global__ void never() noexcept {}
__device__ int on_device() { return 1; }
__host__ __device__ int either()
{
    return on_device();
}
template <class F> __global__ void apply(F f, int *p) { f(*p); }
int main()
{
    forgot<<<1, 1>>>(nullptr);
    apply<<<1, 1>>>([](int) {}, nullptr);
    apply<<<1, 1>>>([] __device__(int) {}, nullptr);
    atomicAdd(&count, 1);
    static __device__ int own;
    return own;
}
