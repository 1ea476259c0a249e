// Memory is never freed.
int main()
{
    int *device;

    cudaMalloc(&device, 1024);
    cudaMemset(device, 0, 1024);
    cudaDeviceSynchronize(); // cudaFree(device) is missing
}
