/* lab.cu: many small kernels, queued once and launched as one graph. */
#include "lab.h"

#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

struct receiver {
    struct job job;
    cudaEvent_t begun;              /* the frame may begin */
    cudaEvent_t done[MAX_CHANNELS]; /* this channel is back */
    cudaGraphExec_t exec;           /* a frame, ready to be launched */
};

/* Queue all that happens to channel c, in a stream of its own. */
static void queue_channel(const struct job *job, uint64_t c)
{
    const uint64_t lower = c * job->channel_entries;
    const size_t bytes = job->channel_entries * sizeof(uint64_t);
    const unsigned blocks = decrypt_blocks(job->channel_entries);
    const cudaStream_t stream = job->streams[c];

    CHECK(cudaMemcpyAsync(job->frame_device + lower, job->frame_host + lower,
                          bytes, cudaMemcpyHostToDevice, stream));
    for (uint64_t layer = 0; layer < job->num_layers; layer++) {
        decrypt_gpu<<<blocks, DECRYPT_THREADS, 0, stream>>>(
            job->frame_device + lower, job->channel_entries, job->num_iters);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(job->frame_host + lower, job->frame_device + lower,
                          bytes, cudaMemcpyDeviceToHost, stream));
}

/* Queue a frame: between what job->stream has by now and what it gets later. */
static void queue_frame(const struct receiver *receiver)
{
    const struct job *job = &receiver->job;

    // solution>
    CHECK(cudaEventRecord(receiver->begun, job->stream));
    for (uint64_t c = 0; c < job->num_channels; c++) {
        CHECK(cudaStreamWaitEvent(job->streams[c], receiver->begun, 0));
        queue_channel(job, c);
        CHECK(cudaEventRecord(receiver->done[c], job->streams[c]));
        CHECK(cudaStreamWaitEvent(job->stream, receiver->done[c], 0));
    }
    //| // TODO 1: nothing orders the channels after what is in job->stream, and
    //| // the host waits for them. Have events do both: a fork, and a join.
    //| for (uint64_t c = 0; c < job->num_channels; c++)
    //|     queue_channel(job, c);
    //| for (uint64_t c = 0; c < job->num_channels; c++)
    //|     CHECK(cudaStreamSynchronize(job->streams[c]));
    // <solution
}
// solution>

/* A frame as a graph: nothing of it runs. */
static cudaGraph_t capture_frame(const struct receiver *receiver)
{
    const cudaStream_t stream = receiver->job.stream;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    queue_frame(receiver);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}
//|
//| // TODO 2: a function that captures what queue_frame queues, and returns the
//| // graph. receiver_create makes it executable, receiver_destroy destroys it.
// <solution

struct receiver *receiver_create(const struct job *job)
{
    struct receiver *receiver =
        (struct receiver *)host_array(1, sizeof *receiver);
    const unsigned flags = cudaEventDisableTiming;

    receiver->job = *job;
    CHECK(cudaEventCreateWithFlags(&receiver->begun, flags));
    for (uint64_t c = 0; c < job->num_channels; c++)
        CHECK(cudaEventCreateWithFlags(&receiver->done[c], flags));
    // solution>
    // Once, for all frames to come.
    cudaGraph_t graph = capture_frame(receiver);

    CHECK(cudaGraphInstantiate(&receiver->exec, graph, 0));
    CHECK(cudaGraphDestroy(graph)); // exec has all that it needs
    // <solution
    return receiver;
}

void receiver_decrypt(struct receiver *receiver)
{
    // solution>
    CHECK(cudaGraphLaunch(receiver->exec, receiver->job.stream));
    //| // TODO 3: launch the graph instead.
    //| queue_frame(receiver);
    // <solution
}

void receiver_set_iters(struct receiver *receiver, uint64_t num_iters)
{
    receiver->job.num_iters = num_iters;
    // solution>
    // Nodes have the number that was there when they were captured.
    cudaGraph_t graph = capture_frame(receiver);
    cudaGraphExecUpdateResultInfo result;

    CHECK(cudaGraphExecUpdate(receiver->exec, graph, &result));
    CHECK(cudaGraphDestroy(graph));
    //| // TODO 4: the graph that is ready does not know of it. Update it.
    // <solution
}

void receiver_destroy(struct receiver *receiver)
{
    // solution> 2
    CHECK(cudaGraphExecDestroy(receiver->exec));
    // <solution
    CHECK(cudaEventDestroy(receiver->begun));
    for (uint64_t c = 0; c < receiver->job.num_channels; c++)
        CHECK(cudaEventDestroy(receiver->done[c]));
    free(receiver);
}
