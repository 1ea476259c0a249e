/*
 * stream_create_flags.cu: a stream remembers its flags, has an id of its own
 * and a device; unknown flags are refused.
 * Source: Runtime API, Stream Management.
 */
#include "fact.h"

static void with_flags(const char *name, unsigned int flags)
{
    cudaStream_t stream = NULL;
    unsigned int got = 99;

    fact("%s.create=%d", name, (int)cudaStreamCreateWithFlags(&stream, flags));
    fact("%s.get_flags=%d", name, (int)cudaStreamGetFlags(stream, &got));
    fact("%s.flags=%u", name, got);
    fact("%s.query=%d", name, (int)cudaStreamQuery(stream));
    fact("%s.destroy=%d", name, (int)cudaStreamDestroy(stream));
}

static void identity(void)
{
    cudaStream_t a, b;
    unsigned long long id_a = 0;
    unsigned long long id_b = 0;
    unsigned long long again = 0;
    int device = -1;

    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreate(&b));
    fact_yes("handles_differ", a != b);
    fact_error("get_id.error", cudaStreamGetId(a, &id_a));
    MUST(cudaStreamGetId(b, &id_b));
    MUST(cudaStreamGetId(a, &again));
    fact_yes("ids_differ", id_a != id_b);
    fact_yes("id_is_stable", id_a == again);
    MUST(cudaStreamGetId(0, &again));
    fact_yes("default_stream_id_differs", again != id_a && again != id_b);
    fact_error("get_device.error", cudaStreamGetDevice(a, &device));
    fact_int("device", device);
    device = -1;
    fact_error("default_stream_get_device.error",
               cudaStreamGetDevice(0, &device));
    fact_int("default_stream_device", device);
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
}

int main(void)
{
    cudaStream_t stream = NULL;
    unsigned int flags = 99;

    MUST(cudaFree(NULL));
    with_flags("default", cudaStreamDefault);
    with_flags("non_blocking", cudaStreamNonBlocking);
    identity();
    fact_error("unknown_flags.error", cudaStreamCreateWithFlags(&stream, 0x80));
    fact_last("unknown_flags.latched");
    fact_error("create_null_result.error", cudaStreamCreate(NULL));
    fact_last("create_null_result.latched");
    fact_error("default_stream_get_flags.error", cudaStreamGetFlags(0, &flags));
    fact_int("default_stream_flags", flags);
    fact_error("destroy_default_stream.error", cudaStreamDestroy(0));
    fact_last("destroy_default_stream.latched");
    fact_error("destroy_legacy_handle.error",
               cudaStreamDestroy(cudaStreamLegacy));
    fact_last("destroy_legacy_handle.latched");
    fact_error("destroy_per_thread_handle.error",
               cudaStreamDestroy(cudaStreamPerThread));
    fact_last("destroy_per_thread_handle.latched");
    return 0;
}
