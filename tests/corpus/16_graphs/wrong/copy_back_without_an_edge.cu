// expect: edges-missing
// The copy back comes after nothing.
#include "lab.h"

#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

struct receiver {
    struct job job;
    cudaGraph_t graph;
    cudaGraphNode_t *kernels; /* of all channels, layer after layer */
    cudaGraphExec_t exec;
};

/* What is given to a kernel of channel c; points to @data and to the job. */
struct launch {
    uint64_t *data;
    void *arguments[3];
    struct cudaKernelNodeParams params;
};

static void set_launch(struct launch *launch, struct job *job, uint64_t c)
{
    launch->data = job->frame_device + c * job->channel_entries;
    launch->arguments[0] = &launch->data;
    launch->arguments[1] = &job->channel_entries;
    launch->arguments[2] = &job->num_iters;
    launch->params = {};
    launch->params.func = (void *)decrypt_gpu;
    launch->params.gridDim = dim3(decrypt_blocks(job->channel_entries));
    launch->params.blockDim = dim3(DECRYPT_THREADS);
    launch->params.kernelParams = launch->arguments;
}

static void add_channel(struct receiver *receiver, uint64_t c)
{
    struct job *job = &receiver->job;
    const uint64_t lower = c * job->channel_entries;
    const size_t bytes = job->channel_entries * sizeof(uint64_t);
    cudaGraphNode_t *kernels = receiver->kernels + c * job->num_layers;
    cudaGraphNode_t last;
    struct launch launch;

    set_launch(&launch, job, c);
    CHECK(cudaGraphAddMemcpyNode1D(
        &last, receiver->graph, NULL, 0, job->frame_device + lower,
        job->frame_host + lower, bytes, cudaMemcpyHostToDevice));
    for (uint64_t layer = 0; layer < job->num_layers; layer++) {
        CHECK(cudaGraphAddKernelNode(&kernels[layer], receiver->graph, &last, 1,
                                     &launch.params));
        last = kernels[layer];
    }
    CHECK(cudaGraphAddMemcpyNode1D(
        &last, receiver->graph, NULL, 0, job->frame_host + lower,
        job->frame_device + lower, bytes, cudaMemcpyDeviceToHost));
}

struct receiver *receiver_create(const struct job *job)
{
    struct receiver *receiver =
        (struct receiver *)host_array(1, sizeof *receiver);

    receiver->job = *job;
    receiver->kernels = (cudaGraphNode_t *)host_array(
        job->num_channels * job->num_layers, sizeof *receiver->kernels);
    CHECK(cudaGraphCreate(&receiver->graph, 0));
    for (uint64_t c = 0; c < job->num_channels; c++)
        add_channel(receiver, c);
    CHECK(cudaGraphInstantiate(&receiver->exec, receiver->graph, 0));
    return receiver;
}

void receiver_decrypt(struct receiver *receiver)
{
    CHECK(cudaGraphLaunch(receiver->exec, receiver->job.stream));
}

void receiver_set_iters(struct receiver *receiver, uint64_t num_iters)
{
    struct job *job = &receiver->job;
    struct launch launch;

    job->num_iters = num_iters;
    for (uint64_t c = 0; c < job->num_channels; c++) {
        set_launch(&launch, job, c);
        for (uint64_t layer = 0; layer < job->num_layers; layer++)
            CHECK(cudaGraphExecKernelNodeSetParams(
                receiver->exec, receiver->kernels[c * job->num_layers + layer],
                &launch.params));
    }
}

void receiver_destroy(struct receiver *receiver)
{
    CHECK(cudaGraphExecDestroy(receiver->exec));
    CHECK(cudaGraphDestroy(receiver->graph));
    free(receiver->kernels);
    free(receiver);
}
