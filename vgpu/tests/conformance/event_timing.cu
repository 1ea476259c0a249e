/*
 * event_timing.cu: times between events agree with each other and with the
 * length of the work between them.
 * Source: Runtime API, Event Management, cudaEventElapsedTime.
 */
#include "fact.h"

static float between(cudaEvent_t a, cudaEvent_t b)
{
    float ms = 0.0f;

    MUST(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

int main(void)
{
    cudaEvent_t e[4];
    cudaStream_t s;
    float first, second, both, difference;

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    for (int i = 0; i < 4; i++)
        MUST(cudaEventCreate(&e[i]));
    MUST(cudaEventRecord(e[0], s));
    fact_slow_ms(s, 20);
    MUST(cudaEventRecord(e[1], s));
    fact_slow_ms(s, 40);
    MUST(cudaEventRecord(e[2], s));
    MUST(cudaEventRecord(e[3], s));
    MUST(cudaEventSynchronize(e[3]));
    first = between(e[0], e[1]);
    second = between(e[1], e[2]);
    both = between(e[0], e[2]);
    difference = both - first - second;
    fact_yes("first_is_positive", first > 0.0f);
    fact_yes("twice_the_work_takes_about_twice_as_long",
             second > 1.5f * first && second < 2.5f * first);
    fact_yes("parts_add_up", difference > -0.1f && difference < 0.1f);
    fact_yes("nothing_between_takes_below_1_ms",
             between(e[2], e[3]) >= 0.0f && between(e[2], e[3]) < 1.0f);
    fact_yes("reverse_is_the_negative",
             between(e[1], e[0]) <= -0.99f * first &&
                 between(e[1], e[0]) >= -1.01f * first);
    MUST(cudaEventRecord(e[3], s));
    MUST(cudaEventSynchronize(e[3]));
    fact_yes("recorded_again_is_later", between(e[0], e[3]) >= both);
    return 0;
}
