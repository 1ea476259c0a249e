/*
 * capture_questions.cu: what asking for a captured stream's facts does to its
 * capture, and what calls do that change nothing in any stream: the code, the
 * capture's status afterwards (1: goes on, 2: spoilt), what its end returns.
 * Source: observed.
 */
#include "fact.h"

static cudaStream_t stream;
static cudaMemPool_t pool;
static void *managed;
static unsigned long long number;
static unsigned flags;
static int integer;

static void CUDART_CB nothing(cudaStream_t, cudaError_t, void *)
{
}

static cudaError_t advise(void)
{
    const struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};

    return cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation, host);
}

static cudaError_t set_threshold(void)
{
    number = 0;
    return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                   &number);
}

static const struct question {
    const char *name;
    cudaError_t (*call)(void);
} questions[] = {
    {"flags", [] { return cudaStreamGetFlags(stream, &flags); }},
    {"priority", [] { return cudaStreamGetPriority(stream, &integer); }},
    {"id", [] { return cudaStreamGetId(stream, &number); }},
    {"callback",
     [] { return cudaStreamAddCallback(stream, nothing, NULL, 0); }},
    {"advise", advise},
    {"threshold", set_threshold},
};

static void ask(const struct question *q, int mode)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    cudaError_t error, end;

    MUST(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
    error = q->call();
    MUST(cudaStreamIsCapturing(stream, &status));
    end = cudaStreamEndCapture(stream, &graph);
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError();
    fact("%s.mode%d=%d,%d,%d", q->name, mode, (int)error, (int)status,
         (int)end);
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMallocManaged(&managed, 64));
    for (const struct question &q : questions)
        for (int mode = 0; mode < 3; mode++)
            ask(&q, mode);
    return 0;
}
