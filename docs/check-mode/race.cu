// A thread reads what its neighbour writes, with no barrier between.
// run: VGPU_CHECK=races
__global__ void shift(int *out)
{
    __shared__ int copy[64];

    copy[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = copy[63 - threadIdx.x]; // __syncthreads() is missing
}

int main()
{
    int *out;

    cudaMalloc(&out, 64 * sizeof *out);
    shift<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
