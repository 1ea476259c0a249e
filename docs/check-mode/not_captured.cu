// A launch that names no stream while a stream is captured.
__global__ void add(int *sum)
{
    *sum += 1;
}

int main()
{
    int *sum;
    cudaStream_t s;
    cudaGraph_t graph;

    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    add<<<1, 1>>>(sum);
    cudaStreamEndCapture(s, &graph);
    cudaDeviceSynchronize();
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
    cudaFree(sum);
    return 0;
}
