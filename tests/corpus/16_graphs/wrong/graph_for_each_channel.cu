// expect: graph-per-channel
// Each channel is a graph of its own, launched in its own stream.
#include "lab.h"

#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

struct receiver {
    struct job job;
    cudaEvent_t begun;              /* the frame may begin */
    cudaEvent_t done[MAX_CHANNELS]; /* this channel is back */
    cudaGraphExec_t exec[MAX_CHANNELS];
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

    CHECK(cudaEventRecord(receiver->begun, job->stream));
    for (uint64_t c = 0; c < job->num_channels; c++) {
        CHECK(cudaStreamWaitEvent(job->streams[c], receiver->begun, 0));
        CHECK(cudaGraphLaunch(receiver->exec[c], job->streams[c]));
        CHECK(cudaEventRecord(receiver->done[c], job->streams[c]));
        CHECK(cudaStreamWaitEvent(job->stream, receiver->done[c], 0));
    }
}

static cudaGraph_t capture_channel(const struct job *job, uint64_t c)
{
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(job->streams[c], cudaStreamCaptureModeGlobal));
    queue_channel(job, c);
    CHECK(cudaStreamEndCapture(job->streams[c], &graph));
    return graph;
}

struct receiver *receiver_create(const struct job *job)
{
    struct receiver *receiver =
        (struct receiver *)host_array(1, sizeof *receiver);
    const unsigned flags = cudaEventDisableTiming;

    receiver->job = *job;
    CHECK(cudaEventCreateWithFlags(&receiver->begun, flags));
    for (uint64_t c = 0; c < job->num_channels; c++)
        CHECK(cudaEventCreateWithFlags(&receiver->done[c], flags));
    for (uint64_t c = 0; c < job->num_channels; c++) {
        cudaGraph_t graph = capture_channel(job, c);

        CHECK(cudaGraphInstantiate(&receiver->exec[c], graph, 0));
        CHECK(cudaGraphDestroy(graph));
    }
    return receiver;
}

void receiver_decrypt(struct receiver *receiver)
{
    queue_frame(receiver);
}

void receiver_set_iters(struct receiver *receiver, uint64_t num_iters)
{
    receiver->job.num_iters = num_iters;
    for (uint64_t c = 0; c < receiver->job.num_channels; c++) {
        cudaGraph_t graph = capture_channel(&receiver->job, c);
        cudaGraphExecUpdateResultInfo result;

        CHECK(cudaGraphExecUpdate(receiver->exec[c], graph, &result));
        CHECK(cudaGraphDestroy(graph));
    }
}

void receiver_destroy(struct receiver *receiver)
{
    for (uint64_t c = 0; c < receiver->job.num_channels; c++)
        CHECK(cudaGraphExecDestroy(receiver->exec[c]));
    CHECK(cudaEventDestroy(receiver->begun));
    for (uint64_t c = 0; c < receiver->job.num_channels; c++)
        CHECK(cudaEventDestroy(receiver->done[c]));
    free(receiver);
}
