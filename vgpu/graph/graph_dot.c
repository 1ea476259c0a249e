/*
 * graph_dot.c: a graph as a picture in the language of Graphviz.
 *
 * Nodes are named by their places, not by their addresses, so that the file is
 * the same in every run. NVIDIA's has more of each node, and other names.
 *
 * Source: manual, cudaGraphDebugDotPrint.
 */
#include "graph.h"

#include <stdio.h>

#define ALL cudaGraphDebugDotFlagsVerbose

struct picture {
    FILE *file;
    unsigned flags;
    int graphs; /* so many have a number */
};

static const char *type_name(enum cudaGraphNodeType type)
{
    static const char *const names[] = {
        [cudaGraphNodeTypeKernel] = "KERNEL",
        [cudaGraphNodeTypeMemcpy] = "MEMCPY",
        [cudaGraphNodeTypeMemset] = "MEMSET",
        [cudaGraphNodeTypeHost] = "HOST",
        [cudaGraphNodeTypeGraph] = "CHILD_GRAPH",
        [cudaGraphNodeTypeEmpty] = "EMPTY",
        [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
        [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
        [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
        [cudaGraphNodeTypeMemFree] = "MEM_FREE",
        [cudaGraphNodeTypeConditional] = "CONDITIONAL",
    };

    return names[type];
}

/* Within the label, where "\n" is Graphviz's. */
static void print_params(const struct picture *p, const struct vgpu_node *node)
{
    const struct vgpu_op *op = node->op;
    const struct cudaKernelNodeParams *k = &node->params;

    if (node->type == cudaGraphNodeTypeKernel &&
        p->flags & (ALL | cudaGraphDebugDotFlagsKernelNodeParams))
        fprintf(p->file, "\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", k->gridDim.x,
                k->gridDim.y, k->gridDim.z, k->blockDim.x, k->blockDim.y,
                k->blockDim.z, k->sharedMemBytes);
    if (node->type == cudaGraphNodeTypeMemcpy &&
        p->flags & (ALL | cudaGraphDebugDotFlagsMemcpyNodeParams))
        fprintf(p->file, "\\n%zu x %zu x %zu bytes, %s to %s",
                op->copy.extent.width, op->copy.extent.rows,
                op->copy.extent.slices, op->copy.src.device ? "device" : "host",
                op->copy.dst.device ? "device" : "host");
    if (node->type == cudaGraphNodeTypeMemset &&
        p->flags & (ALL | cudaGraphDebugDotFlagsMemsetNodeParams))
        fprintf(p->file, "\\n%u in %zu x %zu bytes", op->set.value,
                op->set.extent.width, op->set.extent.rows);
}

/* A child graph is a cluster within its parent's, right behind its node, so
 * that its number is known when the node says it. */
static void print_graph(struct picture *p, const struct vgpu_graph *graph)
{
    const int number = ++p->graphs;

    fprintf(p->file, "subgraph cluster_%d {\nlabel=\"graph_%d\"\n", number,
            number);
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *node = graph->nodes[i];

        fprintf(p->file, "\"graph_%d_node_%zu\" [label=\"%zu\\n%s", number, i,
                i, type_name(node->type));
        if (node->type == cudaGraphNodeTypeKernel)
            fprintf(p->file, "\\n%s", node->op->kernel.kernel->name);
        if (node->inner)
            fprintf(p->file, "\\ngraph_%d", p->graphs + 1);
        print_params(p, node);
        fputs("\"]\n", p->file);
        for (unsigned k = 0; k < node->inner_count; k++)
            print_graph(p, node->inner[k]);
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++)
            fprintf(p->file, "\"graph_%d_node_%zu\" -> \"graph_%d_node_%zu\"\n",
                    number, graph->nodes[i]->deps[d]->index, number, i);
    fputs("}\n", p->file);
}

/* A disk that is full shows when the file is closed. */
static cudaError_t write_file(const struct vgpu_graph *graph, const char *path,
                              unsigned flags)
{
    struct picture p = {fopen(path, "w"), flags, 0};
    bool failed;

    if (!p.file)
        return vgpu_because(cudaErrorOperatingSystem, "%s cannot be written",
                            path);
    fputs("digraph dot {\n", p.file);
    print_graph(&p, graph);
    fputs("}\n", p.file);
    failed = ferror(p.file);
    return fclose(p.file) || failed ? cudaErrorOperatingSystem : cudaSuccess;
}

API(cudaGraphDebugDotPrint, cudaGraph_t handle, const char *path,
    unsigned int flags)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);

    if (!graph || !path)
        return cudaErrorInvalidValue;
    return write_file(graph, path, flags);
}
