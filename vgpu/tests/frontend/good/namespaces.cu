// Functions of a namespace are not meant by calls outside of it.
#include <stdio.h>

namespace host
{
int min(int a, int b)
{
    return a < b ? a : b;
}
float min(float a, float b)
{
    return a < b ? a : b;
}
} // namespace host

namespace device
{
__device__ int twice(int x)
{
    return 2 * x;
}
__device__ int four_times(int x)
{
    return twice(twice(x));
}
} // namespace device

static int twice(int x)
{
    return x + x;
}

__global__ void k(int *out)
{
    *out = min(3, 4) + device::four_times(10);
}

int main()
{
    int *out;

    cudaMallocManaged(&out, sizeof *out);
    k<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %g\n", *out, twice(host::min(7, 6)), host::min(1.5f, 2.5f));
    return 0;
}
