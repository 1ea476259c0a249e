// A copy in the body of a conditional node uses memory that is not pinned.
int main()
{
    cudaGraphConditionalHandle condition;
    cudaGraphNodeParams node = {};
    cudaGraphNode_t branch, inside;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int host = 1, *device;

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&condition, graph, 1, 1);
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = condition;
    node.conditional.type = cudaGraphCondTypeIf;
    node.conditional.size = 1;
    cudaGraphAddNode(&branch, graph, nullptr, nullptr, 0, &node);
    cudaMalloc(&device, 4);
    cudaGraphAddMemcpyNode1D(&inside, node.conditional.phGraph_out[0], nullptr,
                             0, device, &host, 4, cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    cudaFree(device);
}
