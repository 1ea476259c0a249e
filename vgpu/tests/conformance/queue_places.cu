/*
 * queue_places.cu: what takes a place in a stream's queue, and what the host
 * does where none is left: launches, sets and timed event records take one of
 * about 1,021, copies of the host's memory one of as many of their own, and the
 * next one holds the host until one has begun; records of events without
 * timing, waits and host functions always fit. CUDA_SCALE_LAUNCH_QUEUES makes
 * queues longer or shorter; what it does not know changes nothing. Observed;
 * the variable: manual, "CUDA Environment Variables".
 */
#include "fact.h"

__global__ void tiny()
{
}

static void CUDART_CB nothing(void *)
{
}

static cudaStream_t stream, aside;
static cudaEvent_t event, timed, other, slow;
static char *device, *pinned;

enum what { LAUNCHES, COPIES, SETS, TIMED, RECORDS, WAITS, FUNCTIONS };

static void call(enum what what)
{
    if (what == LAUNCHES)
        tiny<<<1, 1, 0, stream>>>();
    if (what == COPIES)
        MUST(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice,
                             stream));
    if (what == SETS)
        MUST(cudaMemsetAsync(device, 0, 4096, stream));
    if (what == TIMED)
        MUST(cudaEventRecord(timed, stream));
    if (what == RECORDS)
        MUST(cudaEventRecord(event, stream));
    if (what == WAITS)
        MUST(cudaStreamWaitEvent(stream, other, 0));
    if (what == FUNCTIONS)
        MUST(cudaLaunchHostFunc(stream, nothing, NULL));
}

/* Do so many fit behind a slow kernel? */
static bool fit(enum what what, int count)
{
    bool held;

    MUST(cudaEventRecord(other, aside));
    fact_slow_ms(stream, 100);
    MUST(cudaEventRecord(slow, stream));
    for (int i = 0; i < count; i++)
        call(what);
    held = cudaEventQuery(slow) == cudaSuccess;
    MUST(cudaDeviceSynchronize());
    return !held;
}

/* So many launches, each followed by another call? */
static bool fit_both(enum what what, int count)
{
    bool held;

    fact_slow_ms(stream, 100);
    MUST(cudaEventRecord(slow, stream));
    for (int i = 0; i < count; i++) {
        call(LAUNCHES);
        call(what);
    }
    held = cudaEventQuery(slow) == cudaSuccess;
    MUST(cudaDeviceSynchronize());
    return !held;
}

static void prepare(void)
{
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    MUST(cudaEventCreate(&timed));
    MUST(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&slow, cudaEventDisableTiming));
    MUST(cudaMalloc(&device, 4096));
    MUST(cudaMallocHost(&pinned, 4096));
    for (int what = LAUNCHES; what <= FUNCTIONS; what++)
        call((enum what)what);
    fact_rounds_per_ms();
    MUST(cudaDeviceSynchronize());
}

static void unset(void)
{
    unsetenv("CUDA_SCALE_LAUNCH_QUEUES");
    prepare();
    fact_yes("launches.1000_fit", fit(LAUNCHES, 1000));
    fact_yes("launches.1040_fit", fit(LAUNCHES, 1040));
    fact_yes("copies.1000_fit", fit(COPIES, 1000));
    fact_yes("copies.1040_fit", fit(COPIES, 1040));
    fact_yes("sets.1000_fit", fit(SETS, 1000));
    fact_yes("sets.1040_fit", fit(SETS, 1040));
    fact_yes("timed_records.1000_fit", fit(TIMED, 1000));
    fact_yes("timed_records.1040_fit", fit(TIMED, 1040));
    fact_yes("launches_and_copies.2000_fit", fit_both(COPIES, 1000));
    fact_yes("launches_and_timed_records.1040_fit", fit_both(TIMED, 520));
    fact_yes("launches_and_records.2000_fit", fit_both(RECORDS, 1000));
    fact_yes("records.5000_fit", fit(RECORDS, 5000));
    fact_yes("waits.5000_fit", fit(WAITS, 5000));
    fact_yes("functions.5000_fit", fit(FUNCTIONS, 5000));
}

static void scaled(const char *scale, int most)
{
    MUST(setenv("CUDA_SCALE_LAUNCH_QUEUES", scale, 1) ? cudaErrorUnknown
                                                      : cudaSuccess);
    prepare();
    fact("%s.%d_fit=%s", scale, most - 20,
         fit(LAUNCHES, most - 20) ? "yes" : "no");
    fact("%s.%d_fit=%s", scale, most + 20,
         fit(LAUNCHES, most + 20) ? "yes" : "no");
}

static void quarter(void)
{
    scaled("0.25x", 253);
}

static void half(void)
{
    scaled("0.5x", 509);
}

static void twice(void)
{
    scaled("2x", 2045);
}

static void four_times(void)
{
    scaled("4x", 4093);
}

static void eight_times(void)
{
    scaled("8x", 1021); /* as if it were not set */
}

int main(void)
{
    fact_in_child("unset", unset);
    fact_in_child("quarter", quarter);
    fact_in_child("half", half);
    fact_in_child("twice", twice);
    fact_in_child("four_times", four_times);
    fact_in_child("eight_times", eight_times);
    return 0;
}
