/*
 * copy_2d_rows.cu: each row of a 2D copy is fetched for itself, also where
 * there is nothing between the rows: narrow ones take many times as long as the
 * same bytes in wide ones. Observed.
 */
#include "fact.h"

#define BYTES (4 << 20)

static cudaEvent_t begin, end;

static float rows_ms(void *to, const void *from, size_t width,
                     cudaMemcpyKind kind)
{
    float ms;

    MUST(cudaEventRecord(begin));
    MUST(cudaMemcpy2DAsync(to, width, from, width, width, BYTES / width, kind));
    MUST(cudaEventRecord(end));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

static void compare(const char *key, void *to, const void *from,
                    cudaMemcpyKind kind)
{
    char name[64];
    float wide;

    rows_ms(to, from, 4, kind); /* the first of its kind takes longer */
    wide = rows_ms(to, from, 1 << 14, kind);
    snprintf(name, sizeof name, "%s.rows_of_4_bytes_3_times_as_long", key);
    fact_yes(name, rows_ms(to, from, 4, kind) > 3 * wide);
    snprintf(name, sizeof name, "%s.rows_of_1024_bytes_3_times_as_long", key);
    fact_yes(name, rows_ms(to, from, 1024, kind) > 3 * wide);
}

int main(void)
{
    char *host, *device;

    MUST(cudaMallocHost(&host, BYTES));
    MUST(cudaMalloc(&device, 2 * BYTES));
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    compare("to_device", device, host, cudaMemcpyHostToDevice);
    compare("to_host", host, device, cudaMemcpyDeviceToHost);
    compare("within", device + BYTES, device, cudaMemcpyDeviceToDevice);
    MUST(cudaFreeHost(host));
    MUST(cudaFree(device));
    return 0;
}
