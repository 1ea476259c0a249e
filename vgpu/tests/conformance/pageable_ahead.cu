/*
 * pageable_ahead.cu: which asynchronous copies from pageable memory to the
 * device return while their stream is busy: those whose bytes find room in the
 * driver's staging memory. Up to 64 KiB each 63 do, in each stream; larger ones
 * two of up to 1 MiB, or one of up to 2 MiB, on each device; what is larger
 * waits until its stream has come to it. The bytes are those of the call. All
 * of it observed; the manual says of 64 KB only that a call may return before
 * they have arrived.
 */
#include "fact.h"

enum { KIB = 1024, MIB = 1 << 20 };

static cudaStream_t stream, aside;
static cudaEvent_t slow;
static char *device, *pageable;

static void begin(void)
{
    MUST(cudaDeviceSynchronize());
    fact_slow_ms(stream, 100);
    MUST(cudaEventRecord(slow, stream));
}

static void copies(cudaStream_t in, int count, size_t bytes)
{
    for (int i = 0; i < count; i++)
        MUST(cudaMemcpyAsync(device, pageable, bytes, cudaMemcpyHostToDevice,
                             in));
}

static const char *ahead(void)
{
    return cudaEventQuery(slow) == cudaErrorNotReady ? "yes" : "no";
}

/* Do so many copies return while the stream is busy? */
static void many(int count, size_t bytes)
{
    begin();
    copies(stream, count, bytes);
    fact("%d_of_%zu=%s", count, bytes, ahead());
}

/* Does a copy of @later find room behind @count of @bytes? */
static void behind(const char *key, cudaStream_t in, int count, size_t bytes,
                   size_t later)
{
    begin();
    fact_slow_ms(aside, 100);
    copies(stream, count, bytes);
    copies(in, 1, later);
    fact("%s=%s", key, ahead());
}

/* Overwritten after the call has returned: what arrives? */
static void bytes_of_the_call(size_t bytes)
{
    static char back[2 * MIB];
    size_t old = 0;

    memset(pageable, 1, bytes);
    begin();
    copies(stream, 1, bytes);
    memset(pageable, 2, bytes);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes; i++)
        old += back[i] == 1;
    fact("overwritten_%zu.as_at_the_call=%s", bytes,
         old == bytes ? "yes" : "no");
}

static void other_calls(void)
{
    cudaEvent_t event;

    begin();
    MUST(cudaMemcpy2DAsync(device, 4096, pageable, 4096, 2048, 1024,
                           cudaMemcpyHostToDevice, stream));
    fact("rows_of_2_mib=%s", ahead());
    begin();
    MUST(cudaMemcpy2DAsync(device, 4096, pageable, 4096, 2048, 1025,
                           cudaMemcpyHostToDevice, stream));
    fact("rows_of_more=%s", ahead());
    begin();
    MUST(cudaMemcpyAsync(pageable, device, 4, cudaMemcpyDeviceToHost, stream));
    fact("back_4=%s", ahead());
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    begin();
    MUST(cudaEventRecord(event, stream));
    MUST(cudaStreamWaitEvent(aside, event, 0));
    copies(aside, 1, 4 * MIB);
    fact("larger_in_a_stream_that_waits_for_an_event=%s", ahead());
    begin();
    copies(aside, 1, 4 * MIB);
    fact("larger_in_an_idle_stream=%s", ahead());
}

int main(void)
{
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&slow, cudaEventDisableTiming));
    MUST(cudaMalloc(&device, 8 * MIB));
    pageable = (char *)malloc(8 * MIB);
    memset(pageable, 0, 8 * MIB);
    MUST(cudaMemcpy(device, pageable, 8 * MIB, cudaMemcpyHostToDevice));
    fact_warm_up();
    many(1000, 4);
    many(60, 64 * KIB);
    many(70, 64 * KIB);
    many(2, 64 * KIB + 1);
    many(3, 64 * KIB + 1);
    many(2, MIB);
    many(3, MIB);
    many(1, MIB + 1);
    many(2, MIB + 1);
    many(1, 2 * MIB);
    many(1, 2 * MIB + 1);
    behind("large_behind_small", stream, 60, 64 * KIB, MIB);
    behind("small_in_another_stream", aside, 60, 64 * KIB, 64 * KIB);
    behind("large_in_another_stream", aside, 2, MIB, MIB);
    bytes_of_the_call(64 * KIB);
    bytes_of_the_call(MIB);
    bytes_of_the_call(2 * MIB);
    other_calls();
    return 0;
}
