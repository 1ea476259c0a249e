/*
 * memory_pool_host.cu: pools of the host's memory and of one of its nodes';
 * what their memory is, who may use it, and what cannot be made. Source:
 * reference, cudaMemPoolCreate, cudaMemPoolSetAccess; observed.
 */
#include "fact.h"

static cudaStream_t s;

static cudaError_t make(cudaMemPool_t *pool, int type, int id, int handles)
{
    struct cudaMemPoolProps properties;
    cudaError_t error;

    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = (enum cudaMemLocationType)type;
    properties.location.id = id;
    properties.handleTypes = (enum cudaMemAllocationHandleType)handles;
    error = cudaMemPoolCreate(pool, &properties);
    cudaGetLastError();
    return error;
}

static void places(void)
{
    static const int ids[] = {0, 99, -1};
    cudaMemPool_t pool;

    for (int type = 0; type <= 5; type++)
        for (int i = 0; i < 3; i++)
            fact("location_type_%d.id_%d=%d", type, ids[i],
                 (int)make(&pool, type, ids[i], 0));
    for (int handles = 1; handles <= 4; handles *= 2) {
        fact("device.handle_type_%d=%d", handles,
             (int)make(&pool, cudaMemLocationTypeDevice, 0, handles));
        fact("host.handle_type_%d=%d", handles,
             (int)make(&pool, cudaMemLocationTypeHost, 0, handles));
    }
}

static void say_access(const char *key, cudaMemPool_t pool)
{
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    enum cudaMemAccessFlags flags = (enum cudaMemAccessFlags)9;
    cudaError_t error = cudaMemPoolGetAccess(&flags, pool, &device);

    fact("%s.access_of_device=%d,%d", key, (int)error, (int)flags);
    flags = (enum cudaMemAccessFlags)9;
    error = cudaMemPoolGetAccess(&flags, pool, &host);
    fact("%s.access_of_host=%d,%d", key, (int)error, (int)flags);
    cudaGetLastError();
}

static void say_pointer(const char *key, void *memory)
{
    struct cudaPointerAttributes a;

    memset(&a, 0, sizeof a);
    MUST(cudaPointerGetAttributes(&a, memory));
    fact("%s.type=%d", key, (int)a.type);
    fact("%s.device_pointer=%s", key,
         a.devicePointer == memory ? "same"
         : a.devicePointer         ? "other"
                                   : "none");
    fact("%s.host_pointer=%s", key,
         a.hostPointer == memory ? "same"
         : a.hostPointer         ? "other"
                                 : "none");
}

static void use(const char *key, int type)
{
    struct cudaMemAccessDesc access;
    cudaMemPool_t pool;
    unsigned long long used = 0;
    int *memory = NULL, back = 0;
    void *device = NULL;

    MUST(make(&pool, type, 0, 0));
    MUST(cudaMallocFromPoolAsync((void **)&memory, 4096, pool, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    fact("%s.used=%llu", key, used);
    say_pointer(key, memory);
    say_access(key, pool);
    memory[0] = 7;
    MUST(cudaMalloc(&device, 4096));
    fact("%s.copy_to_device=%d", key,
         (int)cudaMemcpyAsync(device, memory, 4, cudaMemcpyHostToDevice, s));
    fact("%s.copy_back=%d", key,
         (int)cudaMemcpyAsync(&back, device, 4, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    fact("%s.seen=%d", key, back);
    memset(&access, 0, sizeof access);
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    fact("%s.give_device_access=%d", key,
         (int)cudaMemPoolSetAccess(pool, &access, 1));
    cudaGetLastError();
    fact("%s.current_pool=%d", key, (int)cudaDeviceSetMemPool(0, pool));
    cudaGetLastError();
    fact("%s.free=%d", key, (int)cudaFreeAsync(memory, s));
    fact("%s.free_again=%d", key, (int)cudaFreeAsync(memory, s));
    cudaGetLastError();
    MUST(cudaStreamSynchronize(s));
    fact("%s.destroy=%d", key, (int)cudaMemPoolDestroy(pool));
    MUST(cudaFree(device));
}

/* After access was given. */
static void kernel(void)
{
    struct cudaMemAccessDesc access;
    cudaMemPool_t pool;
    int *memory = NULL;

    memset(&access, 0, sizeof access);
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    MUST(make(&pool, cudaMemLocationTypeHost, 0, 0));
    MUST(cudaMemPoolSetAccess(pool, &access, 1));
    MUST(cudaMallocFromPoolAsync((void **)&memory, 4096, pool, s));
    say_pointer("with_access", memory);
    say_access("with_access", pool);
    fact_store<<<1, 1, 0, s>>>(memory, 5);
    fact_error("with_access.kernel", cudaStreamSynchronize(s));
    fact_int("with_access.written", memory[0]);
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    places();
    use("host", cudaMemLocationTypeHost);
    use("node", cudaMemLocationTypeHostNuma);
    kernel();
    return 0;
}
