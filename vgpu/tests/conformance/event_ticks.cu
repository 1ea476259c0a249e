/*
 * event_ticks.cu: times between events are whole multiples of 32 ns on an
 * H200, and what two events are apart between which a stream did no work.
 * Source: observed.
 */
#include "fact.h"

enum { EVENTS = 100 };

static cudaStream_t stream, other;

static long ns_between(cudaEvent_t a, cudaEvent_t b)
{
    float ms = 0;

    MUST(cudaEventElapsedTime(&ms, a, b));
    return (long)(ms * 1e6 + (ms < 0 ? -0.5 : 0.5));
}

static void ticks(void)
{
    cudaEvent_t events[EVENTS];
    int odd = 0, longer = 0, backwards = 0;

    for (int i = 0; i < EVENTS; i++)
        MUST(cudaEventCreate(&events[i]));
    for (int i = 0; i < EVENTS; i++) {
        fact_spin<<<1, 1, 0, stream>>>(1, NULL);
        MUST(cudaEventRecord(events[i], stream));
    }
    MUST(cudaStreamSynchronize(stream));
    for (int i = 1; i < EVENTS; i++) {
        const long ns = ns_between(events[i - 1], events[i]);

        odd += ns % 32 != 0;
        longer += ns % 64 != 0;
        backwards += ns <= 0;
    }
    fact_yes("multiples_of_32_ns", !odd);
    fact_yes("multiples_of_64_ns", !longer);
    fact_int("backwards", backwards);
}

static void below(const char *key, cudaEvent_t a, cudaEvent_t b, long ns)
{
    const long found = ns_between(a, b);

    fact("%s=%s", key, found < 0 ? "less than 0" : found < ns ? "yes" : "no");
}

static void nothing_between(void)
{
    cudaEvent_t a, b;

    MUST(cudaEventCreate(&a));
    MUST(cudaEventCreate(&b));
    MUST(cudaEventRecord(a, stream));
    MUST(cudaEventRecord(b, stream));
    MUST(cudaStreamSynchronize(stream));
    below("idle_stream_below_20_us", a, b, 20000);
    MUST(cudaEventRecord(a, stream));
    usleep(5000);
    MUST(cudaEventRecord(b, stream));
    MUST(cudaStreamSynchronize(stream));
    below("idle_stream_host_sleeps_5_ms_below_1_ms", a, b, 1000000);
    fact_slow(stream);
    MUST(cudaEventRecord(a, stream));
    usleep(5000);
    MUST(cudaEventRecord(b, stream));
    MUST(cudaStreamSynchronize(stream));
    below("busy_stream_host_sleeps_5_ms_below_1_ms", a, b, 1000000);
    MUST(cudaEventRecord(a, stream));
    fact_slow(other);
    MUST(cudaEventRecord(b, stream));
    MUST(cudaDeviceSynchronize());
    below("work_in_another_stream_below_1_ms", a, b, 1000000);
    MUST(cudaEventRecord(a, 0));
    fact_slow(other);
    MUST(cudaEventRecord(b, 0));
    MUST(cudaDeviceSynchronize());
    below("default_stream_beside_non_blocking_below_1_ms", a, b, 1000000);
    fact_slow(other);
    MUST(cudaEventRecord(a, other));
    MUST(cudaStreamWaitEvent(stream, a, 0));
    MUST(cudaEventRecord(b, stream));
    MUST(cudaDeviceSynchronize());
    below("behind_the_wait_for_it_below_100_us", a, b, 100000);
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    ticks();
    nothing_between();
    return 0;
}
