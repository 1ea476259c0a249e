/* Waits for events that were not recorded: by a loop that means it, and not. */
#include <cuda_runtime.h>

int main()
{
    cudaStream_t a, b;
    cudaEvent_t slot[2], other;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&slot[0]);
    cudaEventCreate(&slot[1]);
    cudaEventCreate(&other);
    for (int i = 0; i < 6; i++) {
        cudaStreamWaitEvent(a, slot[i % 2], 0);
        cudaEventRecord(slot[i % 2], b);
    }
    cudaStreamWaitEvent(a, other, 0); // warned
    cudaEventRecord(other, b);
    cudaDeviceSynchronize();
    cudaEventDestroy(slot[0]);
    cudaEventDestroy(slot[1]);
    cudaEventDestroy(other);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    return 0;
}
