/*
 * graph.h: graphs and stream capture, between their files.
 *
 *   graph.c       graphs and their nodes: made, asked about, cloned
 *   graph_edge.c  edges: added, removed, asked about
 *   graph_node.c  nodes with parameters: added, asked about, changed
 *   graph_memory.c  memory that nodes make and free
 *   graph_dot.c   a picture of a graph
 *   graph_exec.c  instantiated, launched
 *   graph_update.c an executable graph is changed to be like another graph
 *   host_side.c   host memory that copies use, and that is gone or changed
 *   user_object.c what is destroyed with the last graph that needs it
 *   condition.c   conditional nodes: handles, values, bodies when their time
 *                 comes
 *   capture.c     calls in a capturing stream become nodes
 */
#ifndef VGPU_GRAPH_H
#define VGPU_GRAPH_H

#include "rt.h"

struct vgpu_graph;

/* A conditional handle. Copied with the graphs and nodes that have it: they may
 * outlive the one that it was made for. */
struct vgpu_condition {
    cudaGraphConditionalHandle handle;
    unsigned first; /* with cudaGraphCondAssignDefault in @flags */
    unsigned flags;
};

struct vgpu_node {
    enum cudaGraphNodeType type;
    struct vgpu_graph *graph;
    size_t index;              /* place in the graph's array */
    struct vgpu_op *op;        /* what it does: a pattern, never
                                  enqueued itself; or NULL */
    cudaEvent_t event;         /* event nodes */
    struct vgpu_graph **inner; /* owned: the child graph, or the
                                  bodies of a conditional node */
    unsigned inner_count;
    struct vgpu_condition condition; /* conditional nodes */
    enum cudaGraphConditionalNodeType branch;
    size_t seat, end_seat;              /* see vgpu_graph_seats */
    const struct vgpu_node *original;   /* what it was cloned from */
    struct cudaKernelNodeParams params; /* kernels */
    struct vgpu_node_kept {             /* to be asked for */
        struct cudaAccessPolicyWindow window;
        cudaLaunchMemSyncDomainMap domain_map;
        cudaLaunchMemSyncDomain domain;
        enum cudaClusterSchedulingPolicy scheduling;
        unsigned carveout;
        int cooperative;
        struct {
            int deviceUpdatable;
            cudaGraphDeviceNode_t devNode;
        } updatable;
    } kept;
    int priority;
    void **arguments; /* its params', or NULL */
    uint64_t pc;
    int device; /* where it runs, whichever stream the
                   graph is launched in */
    bool disabled;
    struct vgpu_host_side *host_side; /* of a copy, or NULL */
    struct vgpu_page *page;           /* of what was captured, or NULL */
    struct vgpu_node **deps;
    cudaGraphEdgeData *edges; /* of each of @deps */
    size_t dep_count;
};

struct vgpu_graph {
    struct vgpu_node **nodes; /* in the order they were added */
    size_t count;
    size_t room;
    unsigned refs;                 /* 0: nobody's but the owner's */
    const struct vgpu_node *owner; /* whose child or body it is, or NULL */
    struct vgpu_held *held;        /* references to user objects */
    size_t held_count;
    struct vgpu_condition *conditions;
    size_t condition_count;
    struct vgpu_seat *seats; /* of a graph that is launched: for what is
                                within bodies */
    size_t seat_count;
    size_t seat;       /* of its end */
    bool capturing;    /* a capture fills it */
    bool instantiated; /* there is an executable graph of it */
};

struct vgpu_graph *vgpu_graph_new(void);
/* Unless somebody else holds it still. */
void vgpu_graph_free(struct vgpu_graph *graph);
/* Make room for @count graphs within @node. False without memory. */
bool vgpu_node_hold(struct vgpu_node *node, unsigned count);
/* A copy of @graph becomes @node's number @i. False without memory. */
bool vgpu_node_put(struct vgpu_node *node, unsigned i,
                   const struct vgpu_graph *graph);
/* A deep copy; each node's original is the node it was made from. */
struct vgpu_graph *vgpu_graph_copy(const struct vgpu_graph *graph);
struct vgpu_graph *vgpu_graph_find(cudaGraph_t handle);

/* A node without predecessors; takes over @op. NULL without memory. */
struct vgpu_node *vgpu_node_new(struct vgpu_graph *graph,
                                enum cudaGraphNodeType type, struct vgpu_op *op,
                                uint64_t pc);
void vgpu_node_free(struct vgpu_node *node);
struct vgpu_node *vgpu_node_find(cudaGraphNode_t handle);
/* Return: cudaErrorInvalidValue, because @node, or NULL, is of another type. */
cudaError_t vgpu_node_other(const struct vgpu_node *node);

/* ---- edges (graph_edge.c) ------------------------------------------------
 */

/* Can an edge between these be like @edge? NULL is an ordinary one. */
cudaError_t vgpu_edge_check(const struct vgpu_node *node,
                            const struct vgpu_node *before,
                            const cudaGraphEdgeData *edge);
/* Return: cudaSuccess, also when the edge exists already. */
cudaError_t vgpu_node_after(struct vgpu_node *node, struct vgpu_node *before,
                            const cudaGraphEdgeData *edge);
/* Remove the edge; @edge: only one like it, or NULL: whatever it is like.
 * Return: there was one. */
bool vgpu_node_part(struct vgpu_node *node, const struct vgpu_node *before,
                    const cudaGraphEdgeData *edge);
bool vgpu_node_depends_on(const struct vgpu_node *node,
                          const struct vgpu_node *before);
/* Edges as @from has them, between the nodes of @to's graph in the same places.
 * False without memory. */
bool vgpu_edges_copy(struct vgpu_node *to, const struct vgpu_node *from);
/* The handle of a list's place @at, where the caller's array has room. */
void vgpu_hand_out(cudaGraphNode_t *out, const size_t *count, size_t at,
                   struct vgpu_node *node);
/* Where more was asked for than there is, the rest is NULL and the count says
 * how many there are (manual, cudaGraphGetNodes). */
void vgpu_close_list(cudaGraphNode_t *out, size_t *count, size_t total);
/* Is there room for nodes, or only their number asked for? Room for none is no
 * room, and what edges are like is told with their nodes (observed). Return:
 * the call's error. */
cudaError_t vgpu_check_room(const void *nodes, const cudaGraphEdgeData *edges,
                            const size_t *count);

/* Keep the kernel's @arguments, one pointer for each, as the node's own: the
 * caller's may be gone when they are asked for. @arguments may be those kept
 * until now, or NULL. */
void vgpu_node_keep(struct vgpu_node *node, const void *const *arguments);

/* A fresh operation that does what @pattern says. NULL without memory. */
struct vgpu_op *vgpu_op_copy(const struct vgpu_op *pattern);

/* Can a node of an executable graph that does what @old says do what @fresh
 * says, of the same kind? */
bool vgpu_op_may_become(const struct vgpu_op *old, const struct vgpu_op *fresh);
/* Where an executable graph has what it launches; NULL: it is none. */
struct vgpu_graph **vgpu_exec_graph(cudaGraphExec_t exec);
/* The node of the executable graph that was made from @node, or NULL; also
 * where it is of another type. */
struct vgpu_node *vgpu_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 enum cudaGraphNodeType type);

/* ---- user_object.c -------------------------------------------------------
 */

/* References of its own to what @from has some to. False without memory. */
bool vgpu_graph_hold_same(struct vgpu_graph *to, const struct vgpu_graph *from);
void vgpu_graph_let_go(struct vgpu_graph *graph);

/* ---- host_side.c --------------------------------------------------------- */

/* The node is made, by the program; it may be a copy that uses the host's
 * memory. */
void vgpu_host_side_begin(struct vgpu_node *node);
struct vgpu_host_side *vgpu_host_side_ref(struct vgpu_host_side *side);
void vgpu_host_side_unref(struct vgpu_host_side *side);
/* @op of @node has been launched: tell what has become of that memory. */
void vgpu_host_side_look(const struct vgpu_node *node,
                         const struct vgpu_op *op);

/* ---- graph_memory.c ------------------------------------------------------
 */

/* Has it, or a graph within it, nodes that make memory or free it? */
bool vgpu_graph_has_memory(const struct vgpu_graph *graph);
/* Is the last of its nodes for @memory one that frees it? */
bool vgpu_graph_memory_freed(const struct vgpu_graph *graph,
                             const struct vgpu_memory *memory);
/* Memory that a node of @graph frees, for one that comes after @deps; or NULL.
 */
struct vgpu_memory *vgpu_graph_memory_again(const struct vgpu_graph *graph,
                                            struct vgpu_node *const *deps,
                                            size_t count, int device,
                                            size_t bytes);
/* A launch of @exec needs memory under all its addresses; and has been made, up
 * to @end. @frees: what its last one left is free by it. */
cudaError_t vgpu_graph_memory_begin(const struct vgpu_graph *graph,
                                    const void *exec,
                                    const struct vgpu_stream *stream,
                                    bool frees);
void vgpu_graph_memory_end(const struct vgpu_graph *graph, const void *exec,
                           struct vgpu_op *end);
/* @exec is destroyed. */
void vgpu_graph_memory_forget(const void *exec);

/* ---- launching (graph_exec.c) --------------------------------------------
 */

struct vgpu_graph_run;

/* With VGPU_CHECK=1: all captures that one line begins (diary.c). */
struct vgpu_page {
    uint64_t pc;
    bool ended; /* one of them, with a graph, */
    bool ran;   /* and one was launched, or a copy of it */
    struct vgpu_page *next;
};

/* What one launch hands down to the graphs within the graph. */
struct vgpu_launching {
    struct vgpu_graph_exec *exec; /* NULL within a body */
    struct vgpu_graph_run *run;   /* where there are conditions, or NULL */
    struct vgpu_call *call;       /* NULL within a body */
    const int *priority;   /* of the stream; NULL: each kernel has its own */
    size_t next_stream;    /* streams are taken one after the other over all */
    struct vgpu_op **held; /* what the launch waits for, referenced */
    size_t held_count;
};

/*
 * All nodes of @graph after @begin.
 * @device  where its end is
 * @end     out, referenced: a mark after all of them, not enqueued unless the
 *          graph is within another one. In: what takes its place, or NULL
 */
cudaError_t vgpu_launch_graph(struct vgpu_launching *l,
                              struct vgpu_graph *graph, int device,
                              struct vgpu_op *begin, struct vgpu_op **end);
struct vgpu_stream *vgpu_launch_stream(struct vgpu_launching *l, int device);

/* ---- condition.c ---------------------------------------------------------
 */

/* Who is ordered after whom is fixed when a graph is launched, also for what is
 * within bodies, of which nobody knows then whether it will be: each node there
 * has a seat. It is in the stream with its number, and comes after what it
 * comes after for as often as it runs. */
struct vgpu_seat {
    struct vgpu_stream *stream;
    struct vgpu_actor actor;
    uint64_t pc;
};

/* Give all seats of a graph that is to be launched: a node's own, and behind
 * those of its bodies one for their end. False without memory. */
bool vgpu_graph_seats(struct vgpu_graph *graph);
/* Values for one launch; *@run is NULL where no node asks for any. */
cudaError_t vgpu_run_new(const struct vgpu_launching *l,
                         struct vgpu_graph *graph, struct vgpu_graph_run **run);
/* @op, which is not enqueued yet, is of the launch; @run may be NULL. */
void vgpu_run_give(struct vgpu_graph_run *run, struct vgpu_op *op);
/* A conditional node of a launch: where it is decided goes after @begin, and
 * what has to wait for its bodies goes after @end, referenced. */
cudaError_t vgpu_launch_branch(struct vgpu_launching *l, struct vgpu_node *node,
                               struct vgpu_op *branch, struct vgpu_op **end);
/* Enqueue what is within a body. */
cudaError_t vgpu_run_enqueue(struct vgpu_graph_run *run, size_t seat,
                             struct vgpu_op *op);
const char *vgpu_node_name(const struct vgpu_node *node);
enum vgpu_does vgpu_node_does(const struct vgpu_node *node);
/* Has @graph, or a graph within it, the node of this handle? */
bool vgpu_graph_uses(const struct vgpu_graph *graph,
                     cudaGraphConditionalHandle handle);
/* Can @graph have a conditional node like @p? Return: the call's error. */
cudaError_t vgpu_condition_check(const struct vgpu_graph *graph,
                                 const struct cudaConditionalNodeParams *p);
/* It has one, @node: its condition, and its bodies. */
cudaError_t vgpu_condition_take(struct vgpu_node *node,
                                const struct cudaConditionalNodeParams *p);
/* Has it conditional nodes? Then it cannot be copied. */
bool vgpu_graph_branches(const struct vgpu_graph *graph);
/* Why it cannot be instantiated, as far as its conditions go, and that kernels
 * shall launch it (@from_device). @failed  out: the node, where it is one */
cudaError_t vgpu_graph_check(const struct vgpu_graph *graph, bool from_device,
                             cudaGraphInstantiateResult *result,
                             cudaGraphNode_t *failed);

#endif
