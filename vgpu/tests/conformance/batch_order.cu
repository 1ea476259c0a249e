/*
 * batch_order.cu: when a batch reads its sources and whether the host waits for
 * that, by the order that its attributes ask for and the kind of memory. The
 * stream is busy with a slow kernel.
 * Source: Runtime API, cudaMemcpyBatchAsync; that the host waits: observed.
 */
#include "batch.h"

enum { LARGE = 1 << 20 };

static int *device, *other, *pinned, *pageable, *managed;
static cudaStream_t stream;

static const char *const orders[] = {"", "stream", "during_call", "any"};

/* A source that is changed behind the call, where its order allows that. */
static void to_device(const char *memory, int *source, size_t bytes)
{
    for (int order = 1; order <= 3; order++) {
        const size_t last = bytes / sizeof(int) - 1;
        struct batch b = batch_of(device, source, bytes, order);
        char key[64];
        int seen[2];

        source[0] = source[last] = 1;
        snprintf(key, sizeof key, "%s_%zu.%s", memory, bytes, orders[order]);
        const int busy = fact_busy_begin(stream);
        const cudaError_t error = batch_copy(&b, stream);
        const char *waited = fact_is_done(*fact_busy_event());
        if (order == cudaMemcpySrcAccessOrderDuringApiCall)
            source[0] = source[last] = 2;
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(&seen[0], device, sizeof(int), cudaMemcpyDefault));
        MUST(cudaMemcpy(&seen[1], device + last, sizeof(int),
                        cudaMemcpyDefault));
        fact("%s=%d waits %s, value %d %d", key, (int)error,
             busy ? waited : "unclear", seen[0], seen[1]);
        cudaGetLastError();
    }
}

static void from_device(const char *memory, int *target)
{
    for (int order = 1; order <= 3; order++) {
        struct batch b = batch_of(target, device, sizeof(int), order);
        char key[64];

        snprintf(key, sizeof key, "device_to_%s.%s", memory, orders[order]);
        FACT_WAITS(key, stream, batch_copy(&b, stream));
    }
}

/* One copy that holds the host holds it for the batch. */
static void mixed(void)
{
    struct batch b =
        batch_of(device, pageable, sizeof(int), cudaMemcpySrcAccessOrderStream);

    b.dsts[1] = other;
    b.srcs[1] = pinned;
    b.sizes[1] = sizeof(int);
    b.count = 2;
    FACT_WAITS("pageable_and_pinned.stream", stream, batch_copy(&b, stream));
    b.attrs[0].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    b.attrs[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    b.first[1] = 1;
    b.num_attrs = 2;
    FACT_WAITS("pageable_during_call_and_pinned_stream", stream,
               batch_copy(&b, stream));
}

int main(void)
{
    MUST(cudaMalloc((void **)&device, LARGE));
    MUST(cudaMalloc((void **)&other, LARGE));
    MUST(cudaMallocHost((void **)&pinned, LARGE));
    MUST(cudaMallocManaged((void **)&managed, LARGE));
    pageable = (int *)malloc(LARGE);
    memset(pageable, 0, LARGE);
    memset(pinned, 0, LARGE);
    MUST(cudaStreamCreate(&stream));
    fact_warm_up();

    to_device("pinned", pinned, sizeof(int));
    to_device("pinned", pinned, LARGE);
    to_device("pageable", pageable, sizeof(int));
    to_device("pageable", pageable, 65536);
    to_device("pageable", pageable, LARGE);
    from_device("pinned", pinned);
    from_device("pageable", pageable);
    from_device("managed", managed);
    from_device("device", other);
    mixed();
    return 0;
}
