/*
 * fact.h: how a conformance program states its facts
 *
 * A fact is one line `key=value` on stdout. It must be the same on every run
 * of the same device: error codes, orders, whether the host waited, relations
 * between values; never a raw time, an address or an undefined result.
 *
 * A slow kernel is a counted loop whose speed is measured with events, so it
 * lasts about as long on every device, a virtual one included.
 */
#ifndef FACT_H
#define FACT_H

#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a "slow" kernel lasts: far above any call's own time. */
#define FACT_SLOW_MS 40

/* Exit status of a program that needs more GPUs than there are. */
#define FACT_SKIP 77

/* Print one fact: `key=value`, the key being part of the format. */
static inline void fact(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static inline void fact(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

static inline void fact_yes(const char *key, int condition)
{
    fact("%s=%s", key, condition ? "yes" : "no");
}

static inline void fact_int(const char *key, long long value)
{
    fact("%s=%lld", key, value);
}

/* An error as number and name: `key=600 cudaErrorNotReady`. */
static inline void fact_error(const char *key, cudaError_t error)
{
    fact("%s=%d %s", key, (int)error, cudaGetErrorName(error));
}

/* What cudaGetLastError returns now; clears it. */
static inline void fact_last(const char *key)
{
    fact_error(key, cudaGetLastError());
}

/* A step that is not under test: stop when it fails. */
#define MUST(call) fact_must((call), #call, __FILE__, __LINE__)

static inline void fact_must(cudaError_t error, const char *call,
                             const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
            cudaGetErrorString(error));
    exit(1);
}

/* Leave with FACT_SKIP when there are fewer than @needed GPUs. */
static inline void fact_need_gpus(int needed)
{
    int count = 0;

    if (cudaGetDeviceCount(&count) == cudaSuccess && count >= needed)
        return;
    printf("skipped: needs %d GPUs, found %d\n", needed, count);
    exit(FACT_SKIP);
}

/* One thread that takes @rounds dependent steps. @sink may be NULL. */
static __global__ void fact_spin(unsigned long long rounds,
                                 unsigned long long *sink)
{
    unsigned long long x = rounds;

    for (unsigned long long i = 0; i < rounds; i++)
        x = x * 6364136223846793005ull + 1442695040888963407ull;
    if (sink)
        *sink = x;
}

/* Writes one value, at its place in the stream's order. */
static __global__ void fact_store(int *place, int value)
{
    *place = value;
}

/* Rounds of fact_spin in one millisecond, measured once per process. */
static inline unsigned long long fact_rounds_per_ms(void)
{
    static unsigned long long per_ms = 0;
    unsigned long long rounds = 1000;
    cudaEvent_t start, end;
    float ms = 0.0f;

    if (per_ms)
        return per_ms;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&end));
    while (ms < 4.0f) {
        rounds *= 2;
        MUST(cudaEventRecord(start, 0));
        fact_spin<<<1, 1>>>(rounds, NULL);
        MUST(cudaEventRecord(end, 0));
        MUST(cudaEventSynchronize(end));
        MUST(cudaEventElapsedTime(&ms, start, end));
    }
    per_ms = (unsigned long long)((double)rounds / (double)ms);
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(end));
    return per_ms;
}

/* Keep @stream busy for about @ms milliseconds; the host does not wait. */
static inline void fact_slow_ms(cudaStream_t stream, unsigned int ms)
{
    unsigned long long rounds = fact_rounds_per_ms() * ms;

    fact_spin<<<1, 1, 0, stream>>>(rounds, NULL);
    MUST(cudaGetLastError());
}

static inline void fact_slow(cudaStream_t stream)
{
    fact_slow_ms(stream, FACT_SLOW_MS);
}

/*
 * Use, on the current and idle device, all that the facts use: what a driver
 * loads at its first use may wait for running kernels.
 */
static inline void fact_warm_up(void)
{
    int host[2] = {0, 0};
    int *place;

    MUST(cudaMalloc((void **)&place, 4 * sizeof(int)));
    fact_store<<<1, 1>>>(place, 1);
    fact_spin<<<1, 1>>>(1, NULL);
    MUST(cudaGetLastError());
    MUST(cudaMemset(place, 0, sizeof(host)));
    MUST(cudaMemcpy(place + 2, place, sizeof(host), cudaMemcpyDefault));
    MUST(cudaMemcpy(host, place, sizeof(host), cudaMemcpyDefault));
    MUST(cudaMemcpy(place, host, sizeof(host), cudaMemcpyDefault));
    MUST(cudaDeviceSynchronize());
    MUST(cudaFree(place));
    fact_rounds_per_ms();
    MUST(cudaDeviceSynchronize());
}

/* "yes" when @event is complete, "no" when not, else the error's name. */
static inline const char *fact_is_done(cudaEvent_t event)
{
    cudaError_t error = cudaEventQuery(event);

    if (error == cudaSuccess)
        return "yes";
    return error == cudaErrorNotReady ? "no" : cudaGetErrorName(error);
}

static inline void fact_done(const char *key, cudaEvent_t event)
{
    fact("%s=%s", key, fact_is_done(event));
}

/* The event behind the slow kernel of FACT_WAITS. */
static inline cudaEvent_t *fact_busy_event(void)
{
    static cudaEvent_t event = NULL;

    if (!event)
        MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return &event;
}

/* Start a slow kernel. Return: 1 when it is running afterwards. */
static inline int fact_busy_begin(cudaStream_t stream)
{
    fact_rounds_per_ms();
    fact_busy_event();
    MUST(cudaDeviceSynchronize());
    fact_slow(stream);
    MUST(cudaEventRecord(*fact_busy_event(), stream));
    return cudaEventQuery(*fact_busy_event()) == cudaErrorNotReady;
}

/* State whether the host waited for the slow kernel, and the error. */
static inline void fact_busy_end(const char *key, int was_busy,
                                 cudaError_t error)
{
    const char *waited = fact_is_done(*fact_busy_event());

    fact("%s.waits=%s", key, was_busy ? waited : "unclear");
    fact("%s.error=%d %s", key, (int)error, cudaGetErrorName(error));
    cudaGetLastError();
    MUST(cudaDeviceSynchronize());
}

/*
 * Two facts about @call made while @stream is busy: whether the host waited
 * until the stream was idle (KEY.waits), and what it returned (KEY.error).
 */
#define FACT_WAITS(key, stream, call)                                          \
    do {                                                                       \
        int fact_was_busy_ = fact_busy_begin(stream);                          \
        cudaError_t fact_error_ = (call);                                      \
        fact_busy_end(key, fact_was_busy_, fact_error_);                       \
    } while (0)

/*
 * Run @body in a child process, for what may crash. Only before the parent's
 * first CUDA call. States how the child ended.
 */
static inline void fact_in_child(const char *key, void (*body)(void))
{
    int status = 0;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        body();
        fflush(stdout);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        exit(1);
    if (WIFEXITED(status))
        fact("%s.ended=status %d", key, WEXITSTATUS(status));
    else
        fact("%s.ended=signal %d", key, WTERMSIG(status));
}

#endif
