/*
 * programmatic_launch.cu: a kernel launched with programmatic stream
 * serialisation may begin when all blocks of the kernel ahead have said so or
 * have ended, and waits for its end in cudaGridDependencySynchronize. What
 * stands between the two, and a launch without the attribute, orders as ever.
 * Events of a launch's begin. Source: programming guide, "Programmatic
 * Dependent Launch and Synchronization"; Runtime API, cudaLaunchAttributeID.
 */
#include "fact.h"

/* What the kernels tell: times in ns, and whether the first had written. */
struct told {
    unsigned long long first_end, start, passed, end, third_start;
    int written, seen_at_start, seen_after, padding;
};

static __device__ unsigned long long now(void)
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

static __device__ void pass(long long cycles)
{
    const long long begin = clock64();

    for (int i = 0; i < (1 << 28) && clock64() - begin < cycles; i++)
        ;
}

#define MS 2000000ll

enum { NEVER, ALL, FIRST_BLOCK, ONE_THREAD, SOME_WARPS };

static __global__ void first(struct told *t, int who)
{
    pass(MS);
    if (who == ALL || (who == FIRST_BLOCK && !blockIdx.x) ||
        (who == ONE_THREAD && !threadIdx.x) ||
        (who == SOME_WARPS && threadIdx.x >= 32))
        cudaTriggerProgrammaticLaunchCompletion();
    pass(4 * MS);
    if (!threadIdx.x) {
        atomicMax(&t->first_end, now());
        *(volatile int *)&t->written = 1;
    }
}

static __global__ void second(struct told *t, int waits)
{
    t->start = now();
    t->seen_at_start = *(volatile int *)&t->written;
    if (waits)
        cudaGridDependencySynchronize();
    t->passed = now();
    t->seen_after = *(volatile int *)&t->written;
    t->end = now();
}

static __global__ void third(struct told *t)
{
    t->third_start = now();
}

static struct told *told;
static cudaStream_t stream, other;

static cudaError_t launch_second(cudaStream_t s, int waits, int allowed)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = allowed;
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = s;
    config.attrs = &attribute;
    config.numAttrs = allowed < 0 ? 0 : 1;
    return cudaLaunchKernelEx(&config, second, told, waits);
}

static void begin(int who, int blocks)
{
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemset(told, 0, sizeof *told));
    MUST(cudaDeviceSynchronize());
    first<<<blocks, 64, 0, stream>>>(told, who);
}

static void tell(const char *key)
{
    struct told t;

    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&t, told, sizeof t, cudaMemcpyDefault));
    fact("%s.begins_before_the_first_ends=%s", key,
         t.start < t.first_end ? "yes" : "no");
    fact("%s.passes_after_the_first_ended=%s", key,
         t.passed >= t.first_end ? "yes" : "no");
    fact("%s.seen=%d, %d", key, t.seen_at_start, t.seen_after);
}

static void pairs(void)
{
    static const char *const names[] = {"never", "all", "first_block",
                                        "one_thread", "some_warps"};
    char key[64];

    for (int who = NEVER; who <= SOME_WARPS; who++)
        for (int blocks = 1; blocks <= 4; blocks += 3) {
            begin(who, blocks);
            MUST(launch_second(stream, 1, 1));
            snprintf(key, sizeof key, "%s.of_%d_blocks", names[who], blocks);
            tell(key);
        }
    begin(ALL, 1);
    MUST(launch_second(stream, 0, 1));
    tell("does_not_wait");
    begin(ALL, 1);
    MUST(launch_second(stream, 1, 0));
    tell("attribute_0");
    begin(ALL, 1);
    MUST(launch_second(stream, 1, -1));
    tell("no_attribute");
}

static void between(void)
{
    cudaEvent_t event;

    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    begin(ALL, 1);
    MUST(cudaMemsetAsync(&told->padding, 0, sizeof(int), stream));
    MUST(launch_second(stream, 1, 1));
    tell("behind_a_memset");
    begin(ALL, 1);
    MUST(cudaEventRecord(event, stream));
    MUST(cudaStreamWaitEvent(other, event, 0));
    MUST(launch_second(other, 1, 1));
    tell("by_an_event");
    begin(ALL, 1);
    MUST(launch_second(other, 1, 1));
    MUST(cudaDeviceSynchronize());
    MUST(launch_second(stream, 1, 1));
    tell("behind_nothing");
    MUST(cudaEventDestroy(event));
}

static void then_a_third(void)
{
    struct told t;

    for (int waits = 0; waits < 2; waits++) {
        begin(ALL, 1);
        MUST(launch_second(stream, waits, 1));
        third<<<1, 1, 0, stream>>>(told);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(&t, told, sizeof t, cudaMemcpyDefault));
        fact("third.second_waits_%d.begins_after=%s %s", waits,
             t.third_start >= t.first_end ? "first" : "-",
             t.third_start >= t.end ? "second" : "-");
    }
}

static void with_event(const char *name, cudaLaunchAttributeID id, int who,
                       int at_start, cudaEvent_t event, int flags)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    cudaError_t error;

    attribute.id = id;
    if (id == cudaLaunchAttributeProgrammaticEvent) {
        attribute.val.programmaticEvent.event = event;
        attribute.val.programmaticEvent.flags = flags;
        attribute.val.programmaticEvent.triggerAtBlockStart = at_start;
    } else {
        attribute.val.launchCompletionEvent.event = event;
        attribute.val.launchCompletionEvent.flags = flags;
    }
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cudaDeviceSynchronize());
    error = cudaLaunchKernelEx(&config, first, told, who);
    cudaGetLastError();
    fact("%s.error=%d", name, (int)error);
    if (error)
        return;
    fact("%s.wait=%d", name, (int)cudaEventSynchronize(event));
    fact("%s.still_runs=%s", name,
         cudaStreamQuery(stream) == cudaErrorNotReady ? "yes" : "no");
    MUST(cudaDeviceSynchronize());
}

int main(void)
{
    const cudaLaunchAttributeID begun =
        cudaLaunchAttributeLaunchCompletionEvent;
    const cudaLaunchAttributeID said = cudaLaunchAttributeProgrammaticEvent;
    cudaEvent_t plain, timed;

    MUST(cudaMalloc((void **)&told, sizeof *told));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    begin(NEVER, 1);
    MUST(launch_second(stream, 0, 0));
    third<<<1, 1>>>(told);
    pairs();
    between();
    then_a_third();
    MUST(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    MUST(cudaEventCreate(&timed));
    with_event("begun", begun, NEVER, 0, plain, 0);
    with_event("begun.timed", begun, NEVER, 0, timed, 0);
    with_event("begun.no_event", begun, NEVER, 0, NULL, 0);
    with_event("begun.flags_1", begun, NEVER, 0, plain, 1);
    with_event("said", said, ALL, 0, plain, 0);
    with_event("said.never", said, NEVER, 0, plain, 0);
    with_event("said.at_start", said, NEVER, 1, plain, 0);
    with_event("said.timed", said, ALL, 0, timed, 0);
    with_event("said.no_event", said, ALL, 0, NULL, 0);
    return 0;
}
