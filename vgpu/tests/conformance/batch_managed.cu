/*
 * batch_managed.cu: ranges of managed memory that are prefetched, discarded, or
 * both, several at a time: what is refused, and with what.
 * Source: Runtime API, cudaMemPrefetchBatchAsync, cudaMemDiscardBatchAsync and
 * cudaMemDiscardAndPrefetchBatchAsync; codes observed.
 */
#include "fact.h"

enum { PREFETCH, DISCARD, BOTH };

static const char *const names[] = {"prefetch", "discard", "both"};
static const size_t BYTES = 1 << 20, SOME = 65536;

static char *managed, *device, *pinned;
static cudaStream_t stream;

/* What a call is given. */
struct asked {
    int call;
    void *pointer;
    size_t bytes, count;
    cudaMemLocation location;
    size_t first, locations;
    unsigned long long flags;
    cudaStream_t stream;
};

static struct asked plain(int call)
{
    struct asked a;

    memset(&a, 0, sizeof a);
    a.call = call;
    a.pointer = managed;
    a.bytes = SOME;
    a.count = a.locations = 1;
    a.location.type = cudaMemLocationTypeDevice;
    a.stream = stream;
    return a;
}

static void tell(const char *what, struct asked a)
{
    char key[64];
    cudaError_t error;

    snprintf(key, sizeof key, "%s.%s", names[a.call], what);
    if (a.call == PREFETCH)
        error = cudaMemPrefetchBatchAsync(&a.pointer, &a.bytes, a.count,
                                          &a.location, &a.first, a.locations,
                                          a.flags, a.stream);
    else if (a.call == DISCARD)
        error = cudaMemDiscardBatchAsync(&a.pointer, &a.bytes, a.count, a.flags,
                                         a.stream);
    else
        error = cudaMemDiscardAndPrefetchBatchAsync(
            &a.pointer, &a.bytes, a.count, &a.location, &a.first, a.locations,
            a.flags, a.stream);
    fact_error(key, error);
    cudaGetLastError();
}

static void ranges(int call)
{
    struct asked a = plain(call);

    tell("plain", a);
    a.bytes = 0;
    tell("size_0", a);
    a.bytes = BYTES + 1;
    tell("beyond_the_end", a);
    a = plain(call);
    a.pointer = managed + 100;
    a.bytes = 1000;
    tell("part_of_a_page", a);
    a.pointer = NULL;
    tell("null", a);
    a.pointer = device;
    tell("device_memory", a);
    a.pointer = pinned;
    tell("pinned_memory", a);
    a = plain(call);
    a.count = 0;
    tell("count_0", a);
    a = plain(call);
    a.flags = 1;
    tell("flags_1", a);
    a = plain(call);
    a.stream = 0;
    tell("legacy", a);
    a.stream = cudaStreamPerThread;
    tell("per_thread", a);
}

static void locations(int call)
{
    struct asked a = plain(call);

    a.first = 1;
    tell("first_index_1", a);
    a = plain(call);
    a.locations = 0;
    tell("locations_0", a);
    a.locations = 2;
    tell("locations_2_of_1", a);
    a = plain(call);
    a.location.id = 99;
    tell("device_99", a);
    a.location.id = 0;
    a.location.type = cudaMemLocationTypeHost;
    tell("host", a);
    a.location.type = cudaMemLocationTypeInvalid;
    tell("location_0", a);
    a.location.type = (cudaMemLocationType)77;
    tell("location_77", a);
}

static void captured(int call)
{
    cudaGraph_t graph;
    char key[32];

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    tell("captured", plain(call));
    snprintf(key, sizeof key, "%s.captured.end", names[call]);
    fact_error(key, cudaStreamEndCapture(stream, &graph));
    cudaGetLastError();
}

int main(void)
{
    MUST(cudaMallocManaged((void **)&managed, BYTES));
    MUST(cudaMalloc((void **)&device, SOME));
    MUST(cudaMallocHost((void **)&pinned, SOME));
    MUST(cudaStreamCreate(&stream));
    fact_warm_up();
    for (int call = PREFETCH; call <= BOTH; call++) {
        ranges(call);
        if (call != DISCARD)
            locations(call);
        captured(call);
    }
    MUST(cudaDeviceSynchronize());

    /* What is written into a range that was given up is there. */
    {
        void *at = managed;
        size_t bytes = BYTES;

        FACT_WAITS("discard_behind_work", stream,
                   cudaMemDiscardBatchAsync(&at, &bytes, 1, 0, stream));
        managed[5000] = 9;
        fact_int("written_again", managed[5000]);
    }
    return 0;
}
