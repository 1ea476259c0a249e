/* 16.cu: a frame of two channels as a graph, and two launches of it. When is
 * the second frame done? */
#include "check.h"

#define CHANNELS 2
#define WIDTH    256

__global__ void step(int *data)
{
    data[threadIdx.x] += 1;
}

struct frame {
    int *host, *device;
    cudaStream_t stream, streams[CHANNELS];
    cudaEvent_t begun, done[CHANNELS];
};

static void queue_channel(const struct frame *frame, int c)
{
    const size_t bytes = WIDTH * sizeof(int);
    const cudaStream_t stream = frame->streams[c];
    int *host = frame->host + c * WIDTH, *device = frame->device + c * WIDTH;

    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    step<<<1, WIDTH, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    step<<<1, WIDTH, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

static cudaGraphExec_t make_graph(const struct frame *frame)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaStreamBeginCapture(frame->stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(frame->begun, frame->stream));
    for (int c = 0; c < CHANNELS; c++) {
        CHECK(cudaStreamWaitEvent(frame->streams[c], frame->begun, 0));
        queue_channel(frame, c);
        CHECK(cudaEventRecord(frame->done[c], frame->streams[c]));
        CHECK(cudaStreamWaitEvent(frame->stream, frame->done[c], 0));
    }
    CHECK(cudaStreamEndCapture(frame->stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void run(const struct frame *frame)
{
    cudaGraphExec_t exec = make_graph(frame);

    CHECK(cudaGraphLaunch(exec, frame->stream));
    CHECK(cudaGraphLaunch(exec, frame->stream));
    CHECK(cudaStreamSynchronize(frame->stream));
    CHECK(cudaGraphExecDestroy(exec));
}

int main(void)
{
    const size_t bytes = CHANNELS * WIDTH * sizeof(int);
    struct frame frame;

    CHECK(cudaMallocHost(&frame.host, bytes));
    CHECK(cudaMalloc(&frame.device, bytes));
    CHECK(cudaStreamCreate(&frame.stream));
    CHECK(cudaEventCreateWithFlags(&frame.begun, cudaEventDisableTiming));
    for (int c = 0; c < CHANNELS; c++) {
        CHECK(cudaStreamCreate(&frame.streams[c]));
        CHECK(cudaEventCreateWithFlags(&frame.done[c], cudaEventDisableTiming));
    }
    for (int i = 0; i < CHANNELS * WIDTH; i++)
        frame.host[i] = i;
    run(&frame);
    for (int c = 0; c < CHANNELS; c++) {
        CHECK(cudaStreamDestroy(frame.streams[c]));
        CHECK(cudaEventDestroy(frame.done[c]));
    }
    CHECK(cudaStreamDestroy(frame.stream));
    CHECK(cudaEventDestroy(frame.begun));
    CHECK(cudaFree(frame.device));
    CHECK(cudaFreeHost(frame.host));
    return 0;
}
