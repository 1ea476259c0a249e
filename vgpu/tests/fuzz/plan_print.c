/* plan_print.c: a plan as a CUDA-like listing */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kind_names[] = {"device", "pinned", "managed",
                                         "registered", "pageable"};
static const char *const stream_names[] = {"legacy", "per-thread", "blocking",
                                           "non-blocking"};

static void print_span(const struct plan *plan, const struct span *s)
{
    if (s->buffer < 0) {
        printf("-");
        return;
    }
    printf("%c%d[%d", kind_names[plan->buffers[s->buffer].kind][0], s->buffer,
           s->at);
    if (s->count > 1 && s->stride == s->width)
        printf(" .. %d)", s->at + s->width * s->count);
    else if (s->count > 1)
        printf(" + i * %d, %d), i < %d", s->stride, s->width, s->count);
    else
        printf(" .. %d)", s->at + s->width);
}

static void print_work(const struct plan *plan, const struct op *op,
                       const char *name)
{
    printf("%s(", name);
    print_span(plan, &op->dst);
    for (int i = 0; i < 2; i++)
        if (op->src[i].buffer >= 0) {
            printf(", ");
            print_span(plan, &op->src[i]);
        }
    if (op->kind == OP_SET)
        printf(", %d", op->value);
    printf(")");
}

static const char *name_of(const struct op *op)
{
    switch (op->kind) {
    case OP_KERNEL:
        return op->atomic ? "atomic_add" : "kernel";
    case OP_COPY:
        return op->dst.count > 1
                   ? op->async ? "cudaMemcpy2DAsync" : "cudaMemcpy2D"
               : op->async ? "cudaMemcpyAsync"
                           : "cudaMemcpy";
    case OP_PEER_COPY:
        return op->async ? "cudaMemcpyPeerAsync" : "cudaMemcpyPeer";
    case OP_SET:
        return op->async ? "cudaMemsetAsync" : "cudaMemset";
    case OP_HOST_FUNCTION:
        return "cudaLaunchHostFunc";
    case OP_HOST:
        return "host";
    case OP_ALLOC:
        return op->async ? "cudaMallocAsync" : "cudaMalloc";
    default:
        return op->async ? "cudaFreeAsync" : "cudaFree";
    }
}

/* As CUDA, so that a failure can be read and written down as a program. */
static void print_op(const struct plan *plan, const struct op *op)
{
    static const char *const names[OP_KINDS] = {
        [OP_RECORD] = "cudaEventRecord",
        [OP_WAIT] = "cudaStreamWaitEvent",
        [OP_EVENT_SYNC] = "cudaEventSynchronize",
        [OP_EVENT_SPIN] = "while (cudaEventQuery)",
        [OP_EVENT_QUERY] = "cudaEventQuery",
        [OP_STREAM_SYNC] = "cudaStreamSynchronize",
        [OP_STREAM_SPIN] = "while (cudaStreamQuery)",
        [OP_STREAM_QUERY] = "cudaStreamQuery",
        [OP_DEVICE_SYNC] = "cudaDeviceSynchronize",
        [OP_STREAM_DESTROY] = "cudaStreamDestroy",
        [OP_CAPTURE] = "cudaStreamBeginCapture",
        [OP_CAPTURE_END] = "cudaStreamEndCapture",
        [OP_GRAPH_LAUNCH] = "cudaGraphLaunch",
    };

    if (!names[op->kind])
        print_work(plan, op, name_of(op));
    else if (op->kind == OP_DEVICE_SYNC)
        printf("%s()", names[op->kind]);
    else if (op->event >= 0)
        printf("%s(e%d)", names[op->kind], op->event);
    else if (op->child >= 0)
        printf("cudaGraphAddChildGraphNode(g%d)", op->child);
    else if (op->graph >= 0)
        printf("%s(g%d)", names[op->kind], op->graph);
    else
        printf("%s", names[op->kind]);
    if (op->kind != OP_HOST && op->kind != OP_DEVICE_SYNC &&
        op->kind != OP_EVENT_SYNC && op->kind != OP_EVENT_SPIN &&
        op->kind != OP_EVENT_QUERY)
        printf(" in s%d", op->stream);
    printf("%s\n", op->captured ? " (captured)" : "");
}

void plan_print(const struct plan *plan)
{
    printf("seed %" PRIu64 ": %d devices%s%s\n", plan->seed, plan->devices,
           plan->peers ? ", peers enabled" : "",
           plan->threads ? ", two threads" : "");
    for (int i = 0; i < plan->stream_count; i++)
        printf("  s%d: %s, device %d\n", i, stream_names[plan->streams[i].kind],
               plan->streams[i].device);
    for (int i = 0; i < plan->buffer_count; i++)
        printf("  %c%d: %s, device %d, %d bytes%s\n",
               kind_names[plan->buffers[i].kind][0], i,
               kind_names[plan->buffers[i].kind], plan->buffers[i].device,
               plan->buffers[i].bytes,
               plan->buffers[i].late ? ", made later" : "");
    for (int i = 0; i < plan->op_count; i++) {
        if (plan->ops[i].skip)
            continue;
        printf("%4d  [%d] ", i, plan->ops[i].device);
        if (plan->ops[i].thread)
            printf("thread 1: ");
        print_op(plan, &plan->ops[i]);
    }
}
