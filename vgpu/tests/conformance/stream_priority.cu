/*
 * stream_priority.cu: lower numbers are higher priorities; a request out of
 * range is clamped, not refused.
 * Source: Runtime API, Stream Management, cudaStreamCreateWithPriority.
 */
#include "fact.h"

static void create(const char *name, int wanted, int expected)
{
    cudaStream_t stream = NULL;
    int got = 99;

    fact("%s.create=%d", name,
         (int)cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                           wanted));
    fact("%s.get=%d", name, (int)cudaStreamGetPriority(stream, &got));
    fact("%s.as_expected=%s", name, got == expected ? "yes" : "no");
    MUST(cudaStreamDestroy(stream));
}

int main(void)
{
    cudaStream_t stream = NULL;
    unsigned int flags = 99;
    int least = 99;
    int greatest = 99;
    int got = 99;

    fact_error("range.error",
               cudaDeviceGetStreamPriorityRange(&least, &greatest));
    fact_int("least", least);
    fact_yes("greatest_is_below_least", greatest < least);
    create("least", least, least);
    create("greatest", greatest, greatest);
    create("between", greatest + 1, greatest + 1);
    create("above_range", least + 10, least);
    create("below_range", greatest - 10, greatest);
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamGetPriority(stream, &got));
    fact_int("plain_stream_priority", got);
    MUST(cudaStreamDestroy(stream));
    fact_error("default_stream.error", cudaStreamGetPriority(0, &got));
    fact_int("default_stream_priority", got);
    MUST(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, greatest));
    MUST(cudaStreamGetFlags(stream, &flags));
    fact_int("flags_are_kept", flags);
    MUST(cudaStreamDestroy(stream));
    fact_error("unknown_flags.error",
               cudaStreamCreateWithPriority(&stream, 0x80, 0));
    fact_last("unknown_flags.latched");
    fact_error("range_null_results.error",
               cudaDeviceGetStreamPriorityRange(NULL, NULL));
    return 0;
}
