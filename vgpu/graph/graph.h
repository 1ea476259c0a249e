/*
 * graph.h: graphs and stream capture, between their files.
 *
 *   graph.c       nodes and edges: made, asked about, cloned
 *   graph_node.c  nodes with parameters, added
 *   node_params.c their parameters, asked for and changed
 *   graph_dot.c   a picture of a graph
 *   graph_exec.c  instantiated, launched, updated
 *   capture.c     calls in a capturing stream become nodes
 */
#ifndef VGPU_GRAPH_H
#define VGPU_GRAPH_H

#include "rt.h"

struct vgpu_graph;

struct vgpu_node {
    enum cudaGraphNodeType type;
    struct vgpu_graph *graph;
    size_t index;                       /* place in the graph's array */
    struct vgpu_op *op;                 /* what it does: a pattern, never
                                           enqueued itself; or NULL */
    cudaEvent_t event;                  /* event nodes */
    struct vgpu_graph *child;           /* child graph nodes, owned */
    const struct vgpu_node *original;   /* what it was cloned from */
    struct cudaKernelNodeParams params; /* kernels */
    void **arguments;                   /* its params', or NULL */
    uint64_t pc;
    int device; /* where it runs, whichever stream the
                   graph is launched in */
    bool disabled;
    struct vgpu_node **deps;
    size_t dep_count;
};

struct vgpu_graph {
    struct vgpu_node **nodes; /* in the order they were added */
    size_t count;
    size_t room;
    bool is_child;      /* owned by a node */
    unsigned capturing; /* captures that fill it */
};

struct vgpu_graph *vgpu_graph_new(void);
void vgpu_graph_free(struct vgpu_graph *graph);
/* A deep copy; each node's original is the node it was made from. */
struct vgpu_graph *vgpu_graph_copy(const struct vgpu_graph *graph);
struct vgpu_graph *vgpu_graph_find(cudaGraph_t handle);

/* A node without predecessors; takes over @op. NULL without memory. */
struct vgpu_node *vgpu_node_new(struct vgpu_graph *graph,
                                enum cudaGraphNodeType type, struct vgpu_op *op,
                                uint64_t pc);
void vgpu_node_free(struct vgpu_node *node);
struct vgpu_node *vgpu_node_find(cudaGraphNode_t handle);
/* Return: cudaSuccess, also when the edge exists already. */
cudaError_t vgpu_node_after(struct vgpu_node *node, struct vgpu_node *before);
bool vgpu_node_depends_on(const struct vgpu_node *node,
                          const struct vgpu_node *before);

/* Keep the kernel's @arguments, one pointer for each, as the node's own: the
 * caller's may be gone when they are asked for. @arguments may be those kept
 * until now, or NULL. */
void vgpu_node_keep(struct vgpu_node *node, const void *const *arguments);

/* A fresh operation that does what @pattern says. NULL without memory. */
struct vgpu_op *vgpu_op_copy(const struct vgpu_op *pattern);

/* The node of the executable graph that was made from @node, or NULL; also
 * where it is of another type. */
struct vgpu_node *vgpu_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 enum cudaGraphNodeType type);

/* One pattern operation from parameters. Return: the call's error. */
cudaError_t vgpu_node_kernel_op(const struct cudaKernelNodeParams *params,
                                struct vgpu_op **op, uint64_t pc);
cudaError_t vgpu_node_memset_op(const struct cudaMemsetParams *params,
                                struct vgpu_op **op);
cudaError_t vgpu_node_to_symbol_op(const void *symbol, const void *src,
                                   size_t bytes, size_t offset,
                                   enum cudaMemcpyKind kind,
                                   struct vgpu_op **op);
cudaError_t vgpu_node_from_symbol_op(void *dst, const void *symbol,
                                     size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind,
                                     struct vgpu_op **op);

#endif
