// The time between two events of the default stream, and a kernel in another.
__global__ void work(int *p)
{
    *p = 1;
}

int main()
{
    cudaEvent_t start, stop;
    cudaStream_t stream;
    float ms;
    int *p;

    cudaMalloc(&p, sizeof *p);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    work<<<1, 1, 0, stream>>>(p);
    cudaEventRecord(stop);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(stream);
    cudaFree(p);
}
