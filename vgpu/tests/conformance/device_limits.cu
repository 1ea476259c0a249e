/*
 * device_limits.cu: limits can be read, raised and read back; the runtime
 * may round a request up; an unknown limit is refused.
 * Source: Runtime API, Device Management, cudaDeviceSetLimit.
 */
#include "fact.h"

static void raise_limit(const char *name, enum cudaLimit limit)
{
    size_t before = 0;
    size_t after = 0;
    size_t wanted;

    fact("%s.get=%d", name, (int)cudaDeviceGetLimit(&before, limit));
    wanted = before + 1024;
    fact("%s.set=%d", name, (int)cudaDeviceSetLimit(limit, wanted));
    MUST(cudaDeviceGetLimit(&after, limit));
    fact("%s.read_back_at_least=%s", name, after >= wanted ? "yes" : "no");
}

int main(void)
{
    size_t value = 0;

    MUST(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    fact_int("default_stack_bytes", (long long)value);
    MUST(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    fact_int("default_heap_bytes", (long long)value);
    raise_limit("stack", cudaLimitStackSize);
    raise_limit("printf_fifo", cudaLimitPrintfFifoSize);
    raise_limit("malloc_heap", cudaLimitMallocHeapSize);
    fact_error("get_unknown.error",
               cudaDeviceGetLimit(&value, (enum cudaLimit)999));
    fact_last("get_unknown.latched");
    fact_error("set_unknown.error", cudaDeviceSetLimit((enum cudaLimit)999, 1));
    fact_last("set_unknown.latched");
    return 0;
}
