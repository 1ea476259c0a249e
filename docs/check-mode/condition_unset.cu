// A condition has no default, and no kernel sets it.
int main()
{
    cudaGraphConditionalHandle condition;
    cudaGraphNodeParams node = {};
    cudaGraphNode_t branch;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&condition, graph, 0, 0); // no default
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = condition;
    node.conditional.type = cudaGraphCondTypeIf;
    node.conditional.size = 1;
    cudaGraphAddNode(&branch, graph, nullptr, nullptr, 0, &node);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
