/* devices.cpp: which GPUs there are. No kernel: any C++ compiler takes it. */
#include <cstdio>
#include <cuda_runtime_api.h>

int main()
{
    int count = 0;

    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return 1;
    for (int i = 0; i < count; i++) {
        cudaDeviceProp prop;

        if (cudaGetDeviceProperties(&prop, i) != cudaSuccess)
            return 1;
        printf("%d: %s, %d SMs\n", i, prop.name, prop.multiProcessorCount);
    }
    return 0;
}
