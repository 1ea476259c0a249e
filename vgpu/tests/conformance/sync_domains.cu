/*
 * sync_domains.cu: a stream's memory synchronisation domain and the map of
 * domains: their first values, what is refused, what a copy of attributes takes
 * along, and the same as attributes of a launch. Source: programming guide,
 * "Memory Synchronization Domains".
 */
#include "fact.h"

static __global__ void nothing(void)
{
}

static void map(cudaStream_t s, int usual, int remote)
{
    cudaLaunchAttributeValue value, back;
    cudaError_t error;

    memset(&value, 0, sizeof value);
    memset(&back, 0, sizeof back);
    value.memSyncDomainMap.default_ = (unsigned char)usual;
    value.memSyncDomainMap.remote = (unsigned char)remote;
    error =
        cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &value);
    cudaGetLastError();
    MUST(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &back));
    fact("map.%d_%d=%d, then %d %d", usual, remote, (int)error,
         back.memSyncDomainMap.default_, back.memSyncDomainMap.remote);
}

static void domain(cudaStream_t s, int which)
{
    cudaLaunchAttributeValue value, back;
    cudaError_t error;

    memset(&value, 0, sizeof value);
    memset(&back, 0, sizeof back);
    value.memSyncDomain = (cudaLaunchMemSyncDomain)which;
    error = cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomain, &value);
    cudaGetLastError();
    MUST(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomain, &back));
    fact("domain.%d=%d, then %d", which, (int)error, (int)back.memSyncDomain);
}

static void launch(const char *key, cudaLaunchAttributeID id,
                   const cudaLaunchAttributeValue *value)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    attribute.id = id;
    attribute.val = *value;
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    fact_error(key, cudaLaunchKernelEx(&config, nothing));
    cudaGetLastError();
}

int main(void)
{
    cudaLaunchAttributeValue value;
    cudaStream_t a, b;
    int count = -1;

    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaDeviceGetAttribute(&count, cudaDevAttrMemSyncDomainCount, 0));
    fact_int("count", count);
    memset(&value, 0xff, sizeof value);
    MUST(cudaStreamGetAttribute(a, cudaLaunchAttributeMemSyncDomain, &value));
    fact_int("domain_at_first", value.memSyncDomain);
    memset(&value, 0xff, sizeof value);
    MUST(
        cudaStreamGetAttribute(a, cudaLaunchAttributeMemSyncDomainMap, &value));
    fact("map_at_first=%d %d", value.memSyncDomainMap.default_,
         value.memSyncDomainMap.remote);
    domain(a, 1);
    domain(a, 2);
    domain(a, -1);
    map(a, 1, 0);
    map(a, 3, 3);
    map(a, 4, 0);
    map(a, 0, 4);
    map(a, 255, 255);
    MUST(cudaStreamCopyAttributes(b, a));
    MUST(cudaStreamGetAttribute(b, cudaLaunchAttributeMemSyncDomain, &value));
    fact_int("copied.domain", value.memSyncDomain);
    MUST(
        cudaStreamGetAttribute(b, cudaLaunchAttributeMemSyncDomainMap, &value));
    fact("copied.map=%d %d", value.memSyncDomainMap.default_,
         value.memSyncDomainMap.remote);
    memset(&value, 0, sizeof value);
    launch("launch.domain_0.error", cudaLaunchAttributeMemSyncDomain, &value);
    launch("launch.map_0_0.error", cudaLaunchAttributeMemSyncDomainMap, &value);
    value.memSyncDomain = (cudaLaunchMemSyncDomain)2;
    launch("launch.domain_2.error", cudaLaunchAttributeMemSyncDomain, &value);
    memset(&value, 0, sizeof value);
    value.memSyncDomainMap.remote = 4;
    launch("launch.map_0_4.error", cudaLaunchAttributeMemSyncDomainMap, &value);
    MUST(cudaDeviceSynchronize());
    return 0;
}
