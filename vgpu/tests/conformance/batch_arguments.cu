/*
 * batch_arguments.cu: what cudaMemcpyBatchAsync refuses, and with what.
 * Source: Runtime API, cudaMemcpyBatchAsync; codes observed.
 */
#include "batch.h"

enum { BYTES = 4096 };

static int *device, *pinned;
static cudaStream_t stream;

static struct batch plain(void)
{
    return batch_of(device, pinned, 64, cudaMemcpySrcAccessOrderStream);
}

static struct batch two(size_t first, size_t second)
{
    struct batch b = plain();

    b.dsts[1] = device + 64;
    b.srcs[1] = pinned + 64;
    b.sizes[1] = 64;
    b.attrs[1] = b.attrs[0];
    b.first[0] = first;
    b.first[1] = second;
    b.count = b.num_attrs = 2;
    return b;
}

static void tell(const char *key, struct batch b)
{
    fact_error(key, batch_copy(&b, stream));
    cudaGetLastError();
}

static void copies(void)
{
    struct batch b = plain();

    tell("plain", b);
    b.count = 0;
    tell("count_0", b);
    b = plain();
    b.sizes[0] = 0;
    tell("size_0", b);
    b = plain();
    b.dsts[0] = NULL;
    tell("no_destination", b);
    b = plain();
    b.srcs[0] = NULL;
    tell("no_source", b);
    b = plain();
    b.sizes[0] = 1 << 30;
    tell("beyond_the_end", b);
    b = two(0, 1);
    b.sizes[1] = 0;
    tell("second_size_0", b);
}

static void attributes(void)
{
    struct batch b = plain();

    b.num_attrs = 0;
    tell("attributes_0", b);
    b = plain();
    b.num_attrs = 2;
    b.first[1] = 1;
    tell("attributes_2_of_1", b);
    b = plain();
    b.first[0] = 1;
    tell("first_index_1", b);
    tell("indices_0_1", two(0, 1));
    tell("indices_0_0", two(0, 0));
    tell("indices_0_2", two(0, 2));
    for (int order = 0; order <= 4; order++) {
        char key[32];

        snprintf(key, sizeof key, "order_%d", order);
        tell(key, batch_of(device, pinned, 64, order));
    }
    for (unsigned flags = 1; flags <= 2; flags++) {
        char key[32];

        b = plain();
        b.attrs[0].flags = flags;
        snprintf(key, sizeof key, "flags_%u", flags);
        tell(key, b);
    }
}

static void pointers(void)
{
    struct batch b = plain();

    fact_error("no_destinations",
               cudaMemcpyBatchAsync((void **)NULL, b.srcs, b.sizes, 1, b.attrs,
                                    b.first, 1, stream));
    fact_error("no_sources",
               cudaMemcpyBatchAsync(b.dsts, (const void **)NULL, b.sizes, 1,
                                    b.attrs, b.first, 1, stream));
    fact_error("no_sizes", cudaMemcpyBatchAsync(b.dsts, b.srcs, NULL, 1,
                                                b.attrs, b.first, 1, stream));
    fact_error("no_attributes",
               cudaMemcpyBatchAsync(b.dsts, b.srcs, b.sizes, 1,
                                    (cudaMemcpyAttributes *)NULL, b.first, 1,
                                    stream));
    fact_error("no_indices",
               cudaMemcpyBatchAsync(b.dsts, b.srcs, b.sizes, 1, b.attrs,
                                    (size_t *)NULL, 1, stream));
    cudaGetLastError();
}

static void streams(void)
{
    struct batch b = plain();

    fact_error("legacy", batch_copy(&b, 0));
    fact_error("legacy_handle", batch_copy(&b, cudaStreamLegacy));
    fact_last("legacy.latched");
    fact_error("per_thread", batch_copy(&b, cudaStreamPerThread));
    MUST(cudaDeviceSynchronize());
}

/* A batch in a capturing stream is refused, and the capture goes on. */
static void captures(void)
{
    cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL;
    size_t nodes = 0;
    struct batch b = plain();

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fact_error("captured", batch_copy(&b, stream));
    b.sizes[0] = 0;
    fact_error("captured.size_0", batch_copy(&b, stream));
    cudaGetLastError();
    MUST(cudaStreamIsCapturing(stream, &status));
    fact_int("captured.status", status);
    fact_error("captured.end", cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    fact_int("captured.nodes", (long long)nodes);
    MUST(cudaGraphDestroy(graph));
}

int main(void)
{
    MUST(cudaMalloc((void **)&device, BYTES));
    MUST(cudaMallocHost((void **)&pinned, BYTES));
    MUST(cudaStreamCreate(&stream));
    copies();
    attributes();
    pointers();
    streams();
    captures();
    fact_error("end", cudaDeviceSynchronize());
    return 0;
}
