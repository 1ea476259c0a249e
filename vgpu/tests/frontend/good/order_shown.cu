// order_shown.cu: a kernel that prints, or counts what it does, shows in which
// order threads run: it is theirs, also past a function of plain numbers.
#include <cstdio>

static __device__ unsigned rounds(unsigned x, int n)
{
    for (int i = 0; i < n; i++)
        x = (x ^ x << 5) * 2654435761u + (unsigned)i;
    return x;
}

__global__ void show(unsigned *first)
{
    const unsigned t = threadIdx.x;
    const unsigned before = atomicAdd(first, 1);
    const unsigned x = rounds(t, 100);

    printf("%u is number %u and %u: %08x\n", t, before, atomicAdd(first, 1), x);
}

int main()
{
    unsigned *first;

    cudaMalloc(&first, sizeof *first);
    cudaMemset(first, 0, sizeof *first);
    show<<<2, 12>>>(first);
    cudaDeviceSynchronize();
    cudaFree(first);
    return 0;
}
