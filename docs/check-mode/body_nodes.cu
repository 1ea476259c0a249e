// The body of a conditional node has a host function.
static void call(void *)
{
}

int main()
{
    cudaGraphConditionalHandle condition;
    cudaGraphNodeParams node = {};
    cudaGraphNode_t branch, inside;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaHostNodeParams function = {call, nullptr};

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&condition, graph, 1, 1);
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = condition;
    node.conditional.type = cudaGraphCondTypeIf;
    node.conditional.size = 1;
    cudaGraphAddNode(&branch, graph, nullptr, nullptr, 0, &node);
    cudaGraphAddHostNode(&inside, node.conditional.phGraph_out[0], nullptr, 0,
                         &function);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
}
