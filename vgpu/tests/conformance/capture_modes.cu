/*
 * capture_modes.cu: potentially unsafe calls such as cudaMalloc are refused
 * in the global and the thread-local mode and allowed in the relaxed one.
 * Source: Runtime API, Stream Management, cudaStreamBeginCapture,
 * cudaThreadExchangeStreamCaptureMode.
 */
#include "fact.h"
#include <pthread.h>

static cudaStream_t s;

static void *malloc_elsewhere(void *data)
{
    void *memory = NULL;

    *(cudaError_t *)data = cudaMalloc(&memory, 64);
    return NULL;
}

static void *end_elsewhere(void *data)
{
    cudaGraph_t graph = NULL;

    *(cudaError_t *)data = cudaStreamEndCapture(s, &graph);
    return NULL;
}

static cudaError_t in_thread(void *(*body)(void *))
{
    cudaError_t error = cudaErrorUnknown;
    pthread_t thread;

    pthread_create(&thread, NULL, body, &error);
    pthread_join(thread, NULL);
    return error;
}

static void end(const char *name)
{
    cudaGraph_t graph = NULL;

    fact("%s.end=%d", name, (int)cudaStreamEndCapture(s, &graph));
    cudaGetLastError();
}

static void mode(const char *name, enum cudaStreamCaptureMode mode)
{
    void *memory = NULL;

    MUST(cudaStreamBeginCapture(s, mode));
    fact("%s.malloc=%d", name, (int)cudaMalloc(&memory, 64));
    cudaGetLastError();
    end(name);
    MUST(cudaStreamBeginCapture(s, mode));
    fact("%s.malloc_in_other_thread=%d", name,
         (int)in_thread(malloc_elsewhere));
    end(name[0] == 'g'   ? "global_after_other_thread"
        : name[0] == 't' ? "thread_local_after_other_thread"
                         : "relaxed_after_other_thread");
}

static void exchange(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *memory = NULL;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("exchange.error", cudaThreadExchangeStreamCaptureMode(&mode));
    fact_int("exchange.previous_mode", mode);
    fact_error("exchange.malloc", cudaMalloc(&memory, 64));
    MUST(cudaThreadExchangeStreamCaptureMode(&mode));
    fact_int("exchange.mode_given_back", mode);
    end("exchange");
}

int main(void)
{
    void *memory = NULL;

    MUST(cudaMalloc(&memory, 64));
    MUST(cudaStreamCreate(&s));
    mode("global", cudaStreamCaptureModeGlobal);
    mode("thread_local", cudaStreamCaptureModeThreadLocal);
    mode("relaxed", cudaStreamCaptureModeRelaxed);
    exchange();
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("end_in_other_thread.wrong_thread", in_thread(end_elsewhere));
    end("end_after_wrong_thread");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    fact_error("relaxed_end_in_other_thread.error", in_thread(end_elsewhere));
    return 0;
}
