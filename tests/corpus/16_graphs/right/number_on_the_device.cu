// expect: passed
// The kernels read the number of rounds from the device, where a copy in the
// stream brings it.
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
    uint64_t *num_iters;            /* on the device */
};

static __global__ void decrypt_by(uint64_t *data, uint64_t num_entries,
                                  const uint64_t *num_iters)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], *num_iters);
}

static void send_iters(const struct receiver *receiver)
{
    CHECK(cudaMemcpyAsync(receiver->num_iters, &receiver->job.num_iters,
                          sizeof(uint64_t), cudaMemcpyHostToDevice,
                          receiver->job.stream));
}

/* Queue all that happens to channel c, in a stream of its own. */
static void queue_channel(const struct receiver *receiver, uint64_t c)
{
    const struct job *job = &receiver->job;
    const uint64_t lower = c * job->channel_entries;
    const size_t bytes = job->channel_entries * sizeof(uint64_t);
    const unsigned blocks = decrypt_blocks(job->channel_entries);
    const cudaStream_t stream = job->streams[c];

    CHECK(cudaMemcpyAsync(job->frame_device + lower, job->frame_host + lower,
                          bytes, cudaMemcpyHostToDevice, stream));
    for (uint64_t layer = 0; layer < job->num_layers; layer++) {
        decrypt_by<<<blocks, DECRYPT_THREADS, 0, stream>>>(
            job->frame_device + lower, job->channel_entries,
            receiver->num_iters);
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
        queue_channel(receiver, c);
        CHECK(cudaEventRecord(receiver->done[c], job->streams[c]));
        CHECK(cudaStreamWaitEvent(job->stream, receiver->done[c], 0));
    }
}

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

struct receiver *receiver_create(const struct job *job)
{
    struct receiver *receiver =
        (struct receiver *)host_array(1, sizeof *receiver);
    const unsigned flags = cudaEventDisableTiming;

    receiver->job = *job;
    CHECK(cudaEventCreateWithFlags(&receiver->begun, flags));
    for (uint64_t c = 0; c < job->num_channels; c++)
        CHECK(cudaEventCreateWithFlags(&receiver->done[c], flags));
    CHECK(cudaMalloc(&receiver->num_iters, sizeof(uint64_t)));
    send_iters(receiver);
    // Once, for all frames to come.
    cudaGraph_t graph = capture_frame(receiver);

    CHECK(cudaGraphInstantiate(&receiver->exec, graph, 0));
    CHECK(cudaGraphDestroy(graph)); // exec has all that it needs
    return receiver;
}

void receiver_decrypt(struct receiver *receiver)
{
    CHECK(cudaGraphLaunch(receiver->exec, receiver->job.stream));
}

void receiver_set_iters(struct receiver *receiver, uint64_t num_iters)
{
    receiver->job.num_iters = num_iters;
    send_iters(receiver);
}

void receiver_destroy(struct receiver *receiver)
{
    CHECK(cudaGraphExecDestroy(receiver->exec));
    CHECK(cudaFree(receiver->num_iters));
    CHECK(cudaEventDestroy(receiver->begun));
    for (uint64_t c = 0; c < receiver->job.num_channels; c++)
        CHECK(cudaEventDestroy(receiver->done[c]));
    free(receiver);
}
