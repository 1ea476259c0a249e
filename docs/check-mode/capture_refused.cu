// Memory is allocated while a stream is captured.
int main()
{
    void *memory;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaError_t error;

    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    error = cudaMalloc(&memory, 1024);
    if (error)
        error = cudaStreamEndCapture(s, &graph);
    cudaStreamDestroy(s);
    return error ? 1 : 0;
}
