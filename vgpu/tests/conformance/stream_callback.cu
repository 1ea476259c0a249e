/*
 * stream_callback.cu: a callback gets its stream, the stream's status and
 * its data, and runs in stream order like a host function.
 * Source: Runtime API, Stream Management, cudaStreamAddCallback.
 */
#include "fact.h"
#include <pthread.h>

struct call {
    cudaStream_t stream;
    cudaError_t status;
    int order;
    int same_thread;
};

static int calls;
static pthread_t host;

static void CUDART_CB note(cudaStream_t stream, cudaError_t status, void *data)
{
    struct call *call = (struct call *)data;

    call->stream = stream;
    call->status = status;
    call->order = ++calls;
    call->same_thread = pthread_equal(pthread_self(), host) != 0;
}

static void CUDART_CB mark(void *data)
{
    *(int *)data = ++calls;
}

int main(void)
{
    struct call first = {}, second = {}, third = {};
    cudaStream_t s;
    int marked = 0;

    host = pthread_self();
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    fact_slow(s);
    fact_error("add.error", cudaStreamAddCallback(s, note, &first, 0));
    fact_int("calls_when_add_returned", calls);
    MUST(cudaStreamAddCallback(s, note, &second, 0));
    MUST(cudaLaunchHostFunc(s, mark, &marked));
    MUST(cudaStreamAddCallback(s, note, &third, 0));
    fact_error("synchronize.error", cudaStreamSynchronize(s));
    fact("order=%d %d %d %d", first.order, second.order, marked, third.order);
    fact_yes("gets_its_stream", first.stream == s);
    fact_error("status", first.status);
    fact_yes("runs_in_calling_thread", first.same_thread);
    fact_error("flags_1.error", cudaStreamAddCallback(s, note, &first, 1));
    fact_last("flags_1.latched");
    fact_error("null_callback.error", cudaStreamAddCallback(s, NULL, NULL, 0));
    fact_last("null_callback.latched");
    return 0;
}
