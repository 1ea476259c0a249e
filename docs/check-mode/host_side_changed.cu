// A copy of a graph reads memory that was filled anew since the capture.
int main()
{
    int *from, *to;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaMallocHost(&from, sizeof *from);
    cudaMalloc(&to, sizeof *to);
    cudaStreamCreate(&s);
    *from = 7;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyHostToDevice, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    *from = 99;
    cudaGraphLaunch(exec, s); // copies 99
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
    cudaFree(to);
    cudaFreeHost(from);
}
