// A kernel writes past the end of a variable.
__device__ int sums[4];

__global__ void set(int last)
{
    for (int i = 0; i <= last; i++)
        sums[i] = i; // i < last is meant
}

int main()
{
    set<<<1, 1>>>(4);
    cudaDeviceSynchronize();
}
