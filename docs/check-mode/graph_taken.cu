// Two captures are to fill one graph.
int main()
{
    const auto mode = cudaStreamCaptureModeRelaxed;
    cudaStream_t a, b;
    cudaGraph_t graph;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaGraphCreate(&graph, 0);
    cudaStreamBeginCaptureToGraph(a, graph, nullptr, nullptr, 0, mode);
    cudaStreamBeginCaptureToGraph(b, graph, nullptr, nullptr, 0, mode);
    cudaStreamEndCapture(a, &graph);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
