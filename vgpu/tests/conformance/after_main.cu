// recorded: not yet
/*
 * after_main.cu: what calls return when main is over: within a destructor or a
 * function of atexit that was there before the program's first call, and in
 * one that came after it.
 * Source: Runtime API, "Data types used by CUDA Runtime",
 * cudaErrorCudartUnloading; observed.
 */
#include "fact.h"

static cudaStream_t stream;
static cudaEvent_t event;
static void *memory, *pinned;

static void ask(const char *when)
{
    void *more;
    int number = 0;
    float ms;

#define ASK(name, call) fact("%s.%s=%d", when, name, (int)(call))
    ASK("cudaPeekAtLastError", cudaPeekAtLastError());
    ASK("cudaGetDeviceCount", cudaGetDeviceCount(&number));
    ASK("cudaGetDevice", cudaGetDevice(&number));
    ASK("cudaSetDevice", cudaSetDevice(0));
    ASK("cudaRuntimeGetVersion", cudaRuntimeGetVersion(&number));
    ASK("cudaDriverGetVersion", cudaDriverGetVersion(&number));
    ASK("cudaStreamQuery", cudaStreamQuery(stream));
    ASK("cudaEventQuery", cudaEventQuery(event));
    ASK("cudaEventElapsedTime", cudaEventElapsedTime(&ms, event, event));
    ASK("cudaMalloc", cudaMalloc(&more, 64));
    ASK("cudaMemsetAsync", cudaMemsetAsync(memory, 0, 64, stream));
    fact_spin<<<1, 1, 0, stream>>>(1, NULL);
    ASK("launch", cudaGetLastError());
    ASK("cudaStreamSynchronize", cudaStreamSynchronize(stream));
    ASK("cudaDeviceSynchronize", cudaDeviceSynchronize());
    ASK("cudaEventDestroy", cudaEventDestroy(event));
    ASK("cudaStreamDestroy", cudaStreamDestroy(stream));
    ASK("cudaFreeHost", cudaFreeHost(pinned));
    ASK("cudaFree", cudaFree(memory));
    ASK("cudaGetLastError", cudaGetLastError());
    ASK("cudaDeviceReset", cudaDeviceReset());
}

static void make(void)
{
    MUST(cudaStreamCreate(&stream));
    MUST(cudaEventCreate(&event));
    MUST(cudaMalloc(&memory, 64));
    MUST(cudaMallocHost(&pinned, 64));
    MUST(cudaEventRecord(event, stream));
    MUST(cudaStreamSynchronize(stream));
}

struct asks {
    const char *when;
    ~asks()
    {
        ask(when);
    }
};

static struct asks early = {"static_object"};

static void at_exit_early(void)
{
    ask("atexit_before");
}

static void at_exit_late(void)
{
    ask("atexit_after");
    make();
}

int main(void)
{
    atexit(at_exit_early);
    fact_warm_up();
    make();
    atexit(at_exit_late);
    static struct asks late = {"object_in_main"};
    (void)late;
    (void)early;
    fact("main=over");
    atexit(make);
    return 0;
}
