// The host uses managed memory beside a kernel, on a device that cannot.
// run: VGPU_DEVICE=k20
__global__ void work(int *p)
{
    *p = 1;
}

int main()
{
    int *kernels, *own;

    cudaMallocManaged(&kernels, sizeof *kernels);
    cudaMallocManaged(&own, sizeof *own);
    work<<<1, 1>>>(kernels);
    *own = 5; // other memory, but managed
    cudaDeviceSynchronize();
    cudaFree(kernels);
    cudaFree(own);
}
