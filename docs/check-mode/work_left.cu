// The program ends while a kernel may still run.
__device__ int sum;

__global__ void add()
{
    atomicAdd(&sum, 1);
}

int main()
{
    add<<<1, 32>>>(); // cudaDeviceSynchronize() is missing
}
