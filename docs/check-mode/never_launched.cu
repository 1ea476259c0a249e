// A graph is captured and never launched.
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
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(sum);
    cudaStreamEndCapture(s, &graph);
    cudaStreamSynchronize(s); // nothing has been launched
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
    cudaFree(sum);
}
