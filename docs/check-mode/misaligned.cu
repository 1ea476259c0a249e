// Four numbers are read at once at an address that is no multiple of 16.
__global__ void load(const float *from, float4 *to)
{
    *to = *(const float4 *)(from + 1); // from + 4 is the next that would do
}

int main()
{
    float *device;

    cudaMalloc(&device, 64);
    cudaMemset(device, 0, 64);
    load<<<1, 1>>>(device, (float4 *)(device + 8));
    return cudaDeviceSynchronize() != cudaSuccess;
}
