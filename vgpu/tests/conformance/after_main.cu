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

/* @over  the runtime has ended */
static void ask(const char *when, int over)
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
    if (!over) { /* a real runtime has forgotten its kernels then */
        fact_spin<<<1, 1, 0, stream>>>(1, NULL);
        ASK("launch", cudaGetLastError());
    }
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
    int over;
    ~asks()
    {
        ask(when, over);
    }
};

static struct asks early = {"static_object", 1};

static void at_exit_early(void)
{
    ask("atexit_before", 1);
}

/* What the one before has destroyed is made anew: a driver follows the handle
 * of a stream that is gone. */
static void at_exit_late(void)
{
    make();
    ask("atexit_after", 0);
    make();
}

int main(void)
{
    atexit(at_exit_early);
    fact_warm_up();
    make();
    atexit(at_exit_late);
    static struct asks late = {"object_in_main", 0};
    (void)late;
    (void)early;
    fact("main=over");
    atexit(make);
    return 0;
}
