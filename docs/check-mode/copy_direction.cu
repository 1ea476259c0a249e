// The direction of a copy is the wrong one.
int main()
{
    int *host, *device;

    cudaMalloc(&device, 4);
    cudaMallocHost(&host, 4);
    *host = 1; // cudaMemcpyHostToDevice is meant
    cudaMemcpy(device, host, 4, cudaMemcpyDeviceToHost);
    cudaFreeHost(host);
    cudaFree(device);
}
