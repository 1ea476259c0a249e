// A round waits for all of the round before it.
#include <cuda_runtime.h>

#define CHUNKS 8
#define BYTES  (1 << 20)

__global__ void work(float *p)
{
    for (int i = 0; i < 100; i++)
        p[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main()
{
    char *host, *device;
    cudaStream_t s[2];

    cudaMallocHost(&host, CHUNKS * BYTES);
    cudaMalloc(&device, CHUNKS * BYTES);
    cudaMemset(device, 0, CHUNKS * BYTES);
    cudaStreamCreate(&s[0]);
    cudaStreamCreate(&s[1]);
    cudaEvent_t done;

    cudaEventCreate(&done);
    for (int c = 0; c < CHUNKS; c++) {
        cudaMemcpyAsync(device + c * BYTES, host + c * BYTES, BYTES,
                        cudaMemcpyHostToDevice, s[c % 2]);
        work<<<BYTES / 1024, 256, 0, s[c % 2]>>>((float *)(device + c * BYTES));
        cudaEventRecord(done, s[c % 2]);
        cudaStreamWaitEvent(s[(c + 1) % 2], done, 0); // nothing needs it
    }
    cudaDeviceSynchronize();
    cudaEventDestroy(done);
    cudaStreamDestroy(s[0]);
    cudaStreamDestroy(s[1]);
    cudaFree(device);
    cudaFreeHost(host);
}
