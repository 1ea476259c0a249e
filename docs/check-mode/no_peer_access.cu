// A kernel of one device uses memory of another, and nobody allowed it.
// run: VGPU_COUNT=2
__global__ void store(int *to)
{
    *to = 1;
}

int main()
{
    int *other;

    cudaSetDevice(1);
    cudaMalloc(&other, 4);
    cudaSetDevice(0); // cudaDeviceEnablePeerAccess(1, 0) is missing
    store<<<1, 1>>>(other);
    return cudaDeviceSynchronize() != cudaSuccess;
}
