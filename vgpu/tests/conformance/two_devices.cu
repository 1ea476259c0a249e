// gpus: 2
// recorded: not yet
/*
 * two_devices.cu: what may be done from one device with what is another's:
 * memory, streams, events, pools; before and after peer access; and what a
 * reset leaves of it. Device 0 is current.
 * Source: guide, Multi-Device System; codes observed.
 */
#include "batch.h"

static int *memory[2], *pinned;
static cudaStream_t stream[2];

static void tell(const char *when, const char *what, cudaError_t error)
{
    fact("%s.%s=%d %s", when, what, (int)error, cudaGetErrorName(error));
    cudaGetLastError();
    MUST(cudaStreamSynchronize(stream[0]));
    MUST(cudaStreamSynchronize(stream[1]));
}

static void batches(const char *when)
{
    struct batch b = batch_of(memory[1], memory[0], sizeof(int), 1);

    tell(when, "batch_from_0_to_1_in_0", batch_copy(&b, stream[0]));
    tell(when, "batch_from_0_to_1_in_1", batch_copy(&b, stream[1]));
    b = batch_of(memory[0], pinned, sizeof(int), 1);
    tell(when, "batch_from_pinned_to_0_in_1", batch_copy(&b, stream[1]));
    b = batch_of(memory[1], pinned, sizeof(int), 1);
    tell(when, "batch_from_pinned_to_1_in_0", batch_copy(&b, stream[0]));
}

static void sets(const char *when)
{
    tell(when, "set_1_in_0", cudaMemsetAsync(memory[1], 1, 4, stream[0]));
    tell(when, "set_0_in_1", cudaMemsetAsync(memory[0], 1, 4, stream[1]));
    tell(when, "set_1", cudaMemset(memory[1], 1, 4));
}

static void pools(const char *when)
{
    cudaMemPool_t pool;
    void *taken = NULL;

    MUST(cudaDeviceGetDefaultMemPool(&pool, 1));
    tell(when, "take_of_1_in_0",
         cudaMallocFromPoolAsync(&taken, 4096, pool, stream[0]));
    if (taken) {
        tell(when, "set_it_in_0", cudaMemsetAsync(taken, 0, 64, stream[0]));
        tell(when, "free_it_in_0", cudaFreeAsync(taken, stream[0]));
    }
    tell(when, "pool_of_1_for_0", cudaDeviceSetMemPool(0, pool));
}

static void links(void)
{
    static const int pairs[][2] = {{0, 1}, {0, 0}, {0, 99}};

    for (int attribute = 0; attribute <= 6; attribute++)
        for (int i = 0; i < 3; i++) {
            int value = -7;
            const cudaError_t error = cudaDeviceGetP2PAttribute(
                &value, (cudaDeviceP2PAttr)attribute, pairs[i][0], pairs[i][1]);

            fact("link.%d.%d_%d=%d %d", attribute, pairs[i][0], pairs[i][1],
                 (int)error, value);
            cudaGetLastError();
        }
}

static void events(void)
{
    cudaEvent_t here, there, never;
    float ms;

    MUST(cudaEventCreate(&here));
    MUST(cudaSetDevice(1));
    MUST(cudaEventCreate(&there));
    MUST(cudaEventCreate(&never));
    MUST(cudaSetDevice(0));
    tell("event", "there_in_0", cudaEventRecord(there, stream[0]));
    tell("event", "there_in_1", cudaEventRecord(there, stream[1]));
    tell("event", "here_in_0", cudaEventRecord(here, stream[0]));
    tell("event", "query", cudaEventQuery(there));
    tell("event", "wait", cudaStreamWaitEvent(stream[0], there, 0));
    tell("event", "elapsed", cudaEventElapsedTime(&ms, here, there));
    tell("event", "elapsed_never", cudaEventElapsedTime(&ms, there, never));
}

int main(void)
{
    fact_need_gpus(2);
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        fact_warm_up();
        MUST(cudaMalloc((void **)&memory[d], 4096));
        MUST(cudaStreamCreate(&stream[d]));
    }
    MUST(cudaMallocHost((void **)&pinned, 4096));
    links();
    batches("apart");
    sets("apart");
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        MUST(cudaDeviceEnablePeerAccess(1 - d, 0));
    }
    batches("peers");
    sets("peers");
    pools("peers");
    events();
    MUST(cudaDeviceReset());
    fact_error("reset.here", cudaDeviceDisablePeerAccess(1));
    MUST(cudaSetDevice(1));
    fact_error("reset.there", cudaDeviceDisablePeerAccess(0));
    return 0;
}
