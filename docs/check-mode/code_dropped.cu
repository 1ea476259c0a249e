// A call fails, and the program drops what it returns.
int main()
{
    int *device;

    cudaMalloc(&device, 1024);
    cudaMemset(device, 0, 4096); // more than there is
    cudaFree(device);
}
