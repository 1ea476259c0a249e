/* What is told of captures: each kind of mistake, and what is none. */
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__global__ void add(int *p)
{
    atomicAdd(p, 1);
}

__global__ void busy(int *p)
{
    for (int i = 0; i < 20000; i++)
        *p = *p * 3 + i;
}

static int *a, *b;
static cudaStream_t s, t, apart;
static cudaEvent_t e, f;
static cudaGraph_t graph;

static void must(cudaError_t got, cudaError_t wanted)
{
    if (got != wanted)
        exit(1);
}

static void begin(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    must(cudaStreamBeginCapture(stream, mode), cudaSuccess);
}

static void end(cudaStream_t stream)
{
    must(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    must(cudaGraphDestroy(graph), cudaSuccess);
}

/* A stream joins and is joined; others work before it, behind it, and in a
 * thread of their own. */
static void right(void)
{
    add<<<1, 1>>>(a);
    add<<<1, 1, 0, apart>>>(b);
    begin(s, cudaStreamCaptureModeThreadLocal);
    must(cudaEventRecord(e, s), cudaSuccess);
    must(cudaStreamWaitEvent(t, e, 0), cudaSuccess);
    add<<<1, 1, 0, s>>>(a);
    add<<<1, 1, 0, t>>>(b);
    must(cudaEventRecord(f, t), cudaSuccess);
    must(cudaStreamWaitEvent(s, f, 0), cudaSuccess);
    std::thread([] {
        must(cudaMemsetAsync(b, 0, 4, apart), cudaSuccess);
        must(cudaStreamSynchronize(apart), cudaSuccess);
    }).join();
    end(s);
    must(cudaMemset(b, 0, 4), cudaSuccess);
    must(cudaDeviceSynchronize(), cudaSuccess);
}

static void missed(void)
{
    begin(apart, cudaStreamCaptureModeRelaxed);
    add<<<1, 1>>>(a); // says: kernel add, in the default stream .* not in the
    must(cudaEventRecord(e, s), cudaSuccess); // says: event record, in stream
    end(apart);
    must(cudaDeviceSynchronize(), cudaSuccess);
}

static void spoiled(void)
{
    void *more;

    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaMalloc(&more, 4), // says: 900.* before, or begin in .*Relaxed
         cudaErrorStreamCaptureUnsupported);
    must(cudaStreamEndCapture(s, &graph), // says: 901.* where cudaMalloc failed
         cudaErrorStreamCaptureInvalidated);
    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaStreamSynchronize(s), // says: 900.* only written down and nothing
         cudaErrorStreamCaptureUnsupported);
    must(cudaStreamEndCapture(s, &graph), // says: 901.* cudaStreamSynchronize
         cudaErrorStreamCaptureInvalidated);
    begin(s, cudaStreamCaptureModeThreadLocal);
    std::thread([] {
        must(cudaDeviceSynchronize(), // says: 900.* by the host thread
             cudaErrorStreamCaptureUnsupported);
    }).join();
    must(cudaStreamEndCapture(s, &graph), // says: cudaDeviceSync.* in host thr
         cudaErrorStreamCaptureInvalidated);
    begin(s, cudaStreamCaptureModeRelaxed);
    must(cudaMemset(a, 0, 4), // says: 906.* create that one with cudaStreamNon
         cudaErrorStreamCaptureImplicit);
    must(cudaStreamEndCapture(s, &graph), // says: 901.* cudaMemset failed with
         cudaErrorStreamCaptureInvalidated);
}

static void unjoined(void)
{
    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(e, s), cudaSuccess);
    must(cudaStreamWaitEvent(t, e, 0), cudaSuccess);
    add<<<1, 1, 0, s>>>(a);
    add<<<1, 1, 0, t>>>(b);
    must(cudaStreamEndCapture(s, &graph), // says: 904.*stream 2 .*not joined
         cudaErrorStreamCaptureUnjoined);
}

static void events(void)
{
    must(cudaEventRecord(f, apart), cudaSuccess);
    must(cudaEventSynchronize(f), cudaSuccess);
    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(e, s), cudaSuccess);
    must(cudaEventQuery(e), // says: 907.* a place in the graph
         cudaErrorCapturedEvent);
    must(cudaStreamEndCapture(s, &graph), // says: 901.* cudaEventQuery failed
         cudaErrorStreamCaptureInvalidated);
    must(cudaEventSynchronize(e), // says: (1).* which is spoiled: .* nothing
         cudaErrorInvalidValue);
    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaStreamWaitEvent(s, f, 0), // says: 905.* outside of it, at
         cudaErrorStreamCaptureIsolation);
    must(cudaStreamEndCapture(s, &graph), // says: 901.* cudaStreamWaitEvent
         cudaErrorStreamCaptureInvalidated);
}

static void unlaunched(void)
{
    must(cudaStreamBeginCapture(s, // says: has not run: its graph is never
                                cudaStreamCaptureModeGlobal),
         cudaSuccess);
    add<<<1, 1, 0, s>>>(a);
    end(s);
}

static void misplaced(void)
{
    must(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), // says: 900
         cudaErrorStreamCaptureUnsupported);
    must(cudaStreamEndCapture(s, &graph), // says: 401.* none has begun there
         cudaErrorIllegalState);
    begin(s, cudaStreamCaptureModeGlobal);
    std::thread([] {
        must(cudaStreamEndCapture(s, &graph), // says: 908.* by the host thread
             cudaErrorStreamCaptureWrongThread);
    }).join();
    must(cudaStreamBeginCapture(apart, // says: is never ended
                                cudaStreamCaptureModeThreadLocal),
         cudaSuccess);
}

/* The same executable graph in two streams; then it is to become another. */
static void again(void)
{
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo result;

    begin(s, cudaStreamCaptureModeGlobal);
    busy<<<1, 1, 0, s>>>(a);
    must(cudaStreamEndCapture(s, &graph), cudaSuccess);
    must(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    must(cudaGraphLaunch(exec, s), cudaSuccess);
    must(cudaGraphLaunch(exec, s), cudaSuccess);
    must(cudaGraphLaunch(exec, t), cudaSuccess); // says: stream 2 .* that at
    must(cudaStreamSynchronize(t), cudaSuccess);
    must(cudaGraphLaunch(exec, s), cudaSuccess);
    must(cudaEventRecord(e, s), cudaSuccess);
    must(cudaStreamWaitEvent(t, e, 0), cudaSuccess);
    must(cudaGraphLaunch(exec, t), cudaSuccess);
    must(cudaDeviceSynchronize(), cudaSuccess);
    must(cudaGraphDestroy(graph), cudaSuccess);
    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaMemsetAsync(a, 0, 4, s), cudaSuccess); // another node
    must(cudaStreamEndCapture(s, &graph), cudaSuccess);
    must(cudaGraphExecUpdate(exec, graph, &result), // says: 910.*another type
         cudaErrorGraphExecUpdateFailure);
    add<<<1, 1>>>(a);
    must(cudaGraphDestroy(graph), cudaSuccess);
    must(cudaGraphExecDestroy(exec), cudaSuccess);
    must(cudaGraphLaunch(exec, s), // says: no executable graph
         cudaErrorInvalidValue);
    must(cudaDeviceSynchronize(), cudaSuccess);
}

__attribute__((noinline)) static void from_stack(void)
{
    int local = 3;

    must(cudaMemcpyAsync(a, &local, 4, // says: reads 4 bytes on the stack
                         cudaMemcpyHostToDevice, s),
         cudaSuccess);
}

/* Host memory of copies: the same at each launch, other bytes, gone. */
static void host_side(void)
{
    cudaGraphExec_t exec;
    static int same = 5, other = 6;
    int here = 7;
    std::vector<int> *const gone = new std::vector<int>(1000, 8);

    begin(s, cudaStreamCaptureModeGlobal);
    must(cudaMemcpyAsync(a, &same, 4, cudaMemcpyHostToDevice, s), cudaSuccess);
    must(cudaMemcpyAsync(a, &here, 4, cudaMemcpyHostToDevice, s), cudaSuccess);
    must(cudaMemcpyAsync(a, &other, 4, // says: reads its host memory anew
                         cudaMemcpyHostToDevice, s),
         cudaSuccess);
    must(cudaMemcpyAsync(a, gone->data(), 4, // says: after it was freed
                         cudaMemcpyHostToDevice, s),
         cudaSuccess);
    from_stack();
    must(cudaStreamEndCapture(s, &graph), cudaSuccess);
    must(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    must(cudaGraphDestroy(graph), cudaSuccess);
    for (int i = 0; i < 3; i++) {
        must(cudaGraphLaunch(exec, s), cudaSuccess);
        must(cudaStreamSynchronize(s), cudaSuccess);
        other = 9;
        if (i == 1)
            delete gone;
    }
    must(cudaGraphExecDestroy(exec), cudaSuccess);
}

int main()
{
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMemset(a, 0, 4);
    cudaMemset(b, 0, 4);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaEventCreate(&f);
    cudaDeviceSynchronize();
    right();
    missed();
    spoiled();
    unjoined();
    events();
    again();
    host_side();
    unlaunched();
    misplaced();
    std::thread([] { // frees them while the main thread's capture goes on
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

        must(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
        must(cudaFree(a), cudaSuccess);
        must(cudaFree(b), cudaSuccess);
        cudaEventDestroy(e);
        cudaEventDestroy(f);
        cudaStreamDestroy(s);
        cudaStreamDestroy(t);
        cudaStreamDestroy(apart);
    })
        .join();
    return 0;
}
