// Launches as an editor's formatter leaves them.
#include <stdio.h>

template <class T> __global__ void add(T *sum, T value)
{
    atomicAdd(sum, value);
}

template <class T> struct size {
    static const int value = sizeof(T);
};

int main()
{
    int *sum;
    int shift = 1;

    cudaMallocManaged(&sum, sizeof *sum);
    *sum = shift << 3;
    add << <2, 4 >> > (sum, 1);
    add<int> << < 1, size<size<int>>::value >> >(sum, 100);
    add <<<1, 2>>> (sum, 1000);
    cudaDeviceSynchronize();
    printf("%d %d\n", *sum, *sum >> 1 > (shift << 2));
    return 0;
}
