// gpus: 2
/*
 * peer_fault.cu: without peer access a kernel that uses another device's
 * memory ends with error 700; access in one direction gives none in the
 * other. One process per case.
 * Source: programming guide, Peer-to-Peer Memory Access; observed.
 */
#include "fact.h"

static int *memory_of_0;

static void prepare(void)
{
    MUST(cudaSetDevice(1));
    fact_warm_up();
    MUST(cudaSetDevice(0));
    MUST(cudaMalloc((void **)&memory_of_0, 64));
    MUST(cudaMemset(memory_of_0, 0, 64));
    MUST(cudaDeviceSynchronize());
}

static void no_access(void)
{
    prepare();
    MUST(cudaSetDevice(1));
    fact_store<<<1, 1>>>(memory_of_0, 1);
    fact_error("no_access.launch", cudaGetLastError());
    fact_error("no_access.illegal_address", cudaDeviceSynchronize());
    fact_last("no_access.latched");
    MUST(cudaSetDevice(0));
    fact_error("no_access.other_device_synchronize", cudaDeviceSynchronize());
    fact_error("no_access.other_device_memset", cudaMemset(memory_of_0, 0, 4));
}

static void wrong_direction(void)
{
    prepare();
    MUST(cudaSetDevice(0));
    MUST(cudaDeviceEnablePeerAccess(1, 0));
    MUST(cudaSetDevice(1));
    fact_store<<<1, 1>>>(memory_of_0, 1);
    fact_error("wrong_direction.illegal_address", cudaDeviceSynchronize());
}

static void not_current(void)
{
    cudaStream_t stream_of_1;

    prepare();
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreate(&stream_of_1));
    MUST(cudaSetDevice(0));
    fact_store<<<1, 1, 0, stream_of_1>>>(memory_of_0, 1);
    fact_error("in_stream_of_1.launch", cudaGetLastError());
    fact_error("in_stream_of_1.synchronize_0", cudaDeviceSynchronize());
    fact_error("in_stream_of_1.synchronize_stream",
               cudaStreamSynchronize(stream_of_1));
}

/* The parent must not touch CUDA before it forks. */
static void count(void)
{
    int gpus = 0;

    _exit(cudaGetDeviceCount(&gpus) == cudaSuccess ? gpus : 0);
}

int main(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        count();
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return 1;
    if (WEXITSTATUS(status) < 2) {
        printf("skipped: needs 2 GPUs, found %d\n", WEXITSTATUS(status));
        return FACT_SKIP;
    }
    fact_in_child("no_access", no_access);
    fact_in_child("wrong_direction", wrong_direction);
    fact_in_child("in_stream_of_1", not_current);
    return 0;
}
