// gpus: 2
/*
 * peer_copy.cu: copies between two devices work with and without peer
 * access, by cudaMemcpyPeer or by cudaMemcpy, from any current device.
 * Source: Runtime API, Memory Management, cudaMemcpyPeer.
 */
#include "fact.h"

enum { N = 1 << 16 };

static int *memory[2];
static int host[N];

/* Set device 0's memory to @value + i and clear device 1's. */
static void prepare(int value)
{
    for (int i = 0; i < N; i++)
        host[i] = value + i;
    MUST(cudaMemcpy(memory[0], host, sizeof(host), cudaMemcpyDefault));
    memset(host, 0, sizeof(host));
    MUST(cudaSetDevice(1)); /* a memset is for the current device's memory */
    MUST(cudaMemset(memory[1], 0, sizeof(host)));
    MUST(cudaDeviceSynchronize());
    MUST(cudaSetDevice(0));
    MUST(cudaDeviceSynchronize());
}

static void check(const char *key, int value)
{
    int right = 0;

    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, memory[1], sizeof(host), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        right += host[i] == value + i;
    fact("%s.all_right=%s", key, right == N ? "yes" : "no");
}

static void copies(const char *when, cudaStream_t s)
{
    char key[80];

    prepare(1);
    snprintf(key, sizeof(key), "%s.peer", when);
    fact("%s.error=%d", key,
         (int)cudaMemcpyPeer(memory[1], 1, memory[0], 0, sizeof(host)));
    check(key, 1);
    prepare(2);
    snprintf(key, sizeof(key), "%s.peer_async", when);
    fact("%s.error=%d", key,
         (int)cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, sizeof(host), s));
    check(key, 2);
    prepare(3);
    snprintf(key, sizeof(key), "%s.plain_default_kind", when);
    fact(
        "%s.error=%d", key,
        (int)cudaMemcpy(memory[1], memory[0], sizeof(host), cudaMemcpyDefault));
    check(key, 3);
    prepare(4);
    snprintf(key, sizeof(key), "%s.plain_device_to_device_async", when);
    fact("%s.error=%d", key,
         (int)cudaMemcpyAsync(memory[1], memory[0], sizeof(host),
                              cudaMemcpyDeviceToDevice, s));
    check(key, 4);
}

int main(void)
{
    cudaStream_t s;

    fact_need_gpus(2);
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        MUST(cudaMalloc((void **)&memory[d], sizeof(host)));
    }
    MUST(cudaStreamCreate(&s));
    copies("without_access", s);
    MUST(cudaDeviceEnablePeerAccess(1, 0));
    copies("with_access", s);
    fact_error("device_99.error",
               cudaMemcpyPeer(memory[1], 99, memory[0], 0, 4));
    fact_last("device_99.latched");
    fact_error("same_device.error",
               cudaMemcpyPeer(memory[0] + 8, 0, memory[0], 0, 4));
    fact_error("count_0.error", cudaMemcpyPeer(memory[1], 1, memory[0], 0, 0));
    return 0;
}
