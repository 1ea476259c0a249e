// A kernel ends in an assertion that does not hold.
#include <cassert>

__global__ void check(int n)
{
    assert(threadIdx.x < n);
}

int main()
{
    check<<<1, 64>>>(32); // 64 threads
    return cudaDeviceSynchronize() != cudaSuccess;
}
