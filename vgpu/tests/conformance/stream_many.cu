/*
 * stream_many.cu: a hundred streams can be used at once; each keeps its own
 * order, and a device sync waits for all of them.
 * Source: programming guide, Streams.
 */
#include "fact.h"

enum { STREAMS = 100 };

static __global__ void step(int *value, int expected)
{
    if (*value == expected)
        *value = expected + 1;
}

int main(void)
{
    static cudaStream_t streams[STREAMS];
    static int back[STREAMS];
    int *device;
    int right = 0;
    int created = 0;
    int destroyed = 0;

    MUST(cudaMalloc((void **)&device, sizeof(back)));
    MUST(cudaMemset(device, 0, sizeof(back)));
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < STREAMS; i++)
        created += cudaStreamCreateWithFlags(
                       &streams[i], cudaStreamNonBlocking) == cudaSuccess;
    fact_int("streams_created", created);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < STREAMS; i++)
            step<<<1, 1, 0, streams[i]>>>(device + i, k);
    fact_error("launches.error", cudaGetLastError());
    fact_error("synchronize.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(back, device, sizeof(back), cudaMemcpyDeviceToHost));
    for (int i = 0; i < STREAMS; i++)
        right += back[i] == 5;
    fact_int("streams_that_kept_their_order", right);
    for (int i = 0; i < STREAMS; i++)
        destroyed += cudaStreamDestroy(streams[i]) == cudaSuccess;
    fact_int("streams_destroyed", destroyed);
    return 0;
}
