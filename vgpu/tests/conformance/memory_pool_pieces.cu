/*
 * memory_pool_pieces.cu: a pool takes memory from its device in pieces of 32
 * MiB, and gives whole pieces back; blocks lie 512 bytes apart, and what counts
 * as used is what was asked for. So a release threshold or a trim to less than
 * a piece keeps nothing. All sizes in MiB, unless they say bytes.
 * Source: observed; the manual names no sizes.
 */
#include "fact.h"

#define MIB ((size_t)1 << 20)

static cudaMemPool_t pool;
static cudaStream_t s;

static unsigned long long get(enum cudaMemPoolAttr which)
{
    unsigned long long value = 0;

    MUST(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

static long long held(void)
{
    return (long long)(get(cudaMemPoolAttrReservedMemCurrent) / MIB);
}

static void keep(unsigned long long bytes)
{
    MUST(
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
}

static char *take(size_t bytes)
{
    void *memory = NULL;

    MUST(cudaMallocAsync(&memory, bytes, s));
    return (char *)memory;
}

static void give(void *memory)
{
    MUST(cudaFreeAsync(memory, s));
}

static void empty(void)
{
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolTrimTo(pool, 0));
}

/* Each behind the one before: how far apart do they begin? */
static void distances(void)
{
    static const size_t sizes[] = {1, 512, 513, 1000, 4097, 65536, 1};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    char *memory[COUNT];
    size_t asked = 0;

    for (int i = 0; i < COUNT; i++) {
        memory[i] = take(sizes[i]);
        asked += sizes[i];
    }
    for (int i = 1; i < COUNT; i++)
        fact("bytes_from_%zu_to_the_next=%lld", sizes[i - 1],
             (long long)(memory[i] - memory[i - 1]));
    fact_yes("used_is_what_was_asked_for",
             get(cudaMemPoolAttrUsedMemCurrent) == asked);
    fact_int("held", held());
    for (int i = 0; i < COUNT; i++)
        give(memory[i]);
    fact_int("used_right_after_the_frees",
             (long long)get(cudaMemPoolAttrUsedMemCurrent));
    empty();
}

static void one_block(void)
{
    static const int sizes[] = {1, 32, 33, 64, 65, 100};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *memory = take((size_t)sizes[i] * MIB);

        fact("one_of_%d.held=%lld", sizes[i], held());
        give(memory);
        empty();
    }
}

static void several_blocks(void)
{
    char *a = take(16 * MIB), *b = take(17 * MIB), *c = NULL;

    fact_int("16_and_17.held", held());
    c = take(15 * MIB);
    fact_int("and_15.held", held());
    give(a);
    give(b);
    give(c);
    empty();
    a = take(33 * MIB);
    b = take(20 * MIB);
    fact_int("33_and_20.held", held());
    give(a);
    give(b);
    empty();
}

/* Freed, waited for, and trimmed to so much. */
static void trims(void)
{
    static const int sizes[] = {1, 31, 32, 40, 63, 64};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        keep(~0ull);
        give(take(33 * MIB));
        MUST(cudaStreamSynchronize(s));
        MUST(cudaMemPoolTrimTo(pool, (size_t)sizes[i] * MIB));
        fact("64_trimmed_to_%d.held=%lld", sizes[i], held());
        empty();
    }
}

static void thresholds(void)
{
    static const int sizes[] = {1, 20, 32, 40, 64, 70};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *memory[3];

        keep((size_t)sizes[i] * MIB);
        for (int k = 0; k < 3; k++)
            memory[k] = take(32 * MIB);
        for (int k = 0; k < 3; k++)
            give(memory[k]);
        MUST(cudaStreamSynchronize(s));
        fact("threshold_%d_of_3_pieces.held=%lld", sizes[i], held());
        empty();
        give(take(96 * MIB));
        MUST(cudaStreamSynchronize(s));
        fact("threshold_%d_of_one_block_of_96.held=%lld", sizes[i], held());
        empty();
    }
    keep(~0ull);
}

static void half_used(void)
{
    char *a = take(8 * MIB), *b = take(8 * MIB);

    give(a);
    empty();
    fact_int("half_used_piece_trimmed.held", held());
    give(b);
    empty();
    fact_int("then_all_freed.held", held());
}

static void high_marks(void)
{
    unsigned long long zero = 0, five = 5;

    fact_yes("reserved_high_is_whole_pieces",
             get(cudaMemPoolAttrReservedMemHigh) % (32 * MIB) == 0);
    fact_error(
        "set_used_high_to_5",
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &five));
    fact_error(
        "set_reserved_high_to_5",
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &five));
    fact_error(
        "set_used_high_to_0",
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    fact_error(
        "set_reserved_high_to_0",
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    fact_int("used_high", (long long)get(cudaMemPoolAttrUsedMemHigh));
    fact_int("reserved_high", (long long)get(cudaMemPoolAttrReservedMemHigh));
    fact_error(
        "set_used_current",
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero));
    fact_error("set_reserved_current",
               cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent,
                                       &zero));
    cudaGetLastError();
}

/* How much has a pool that may have @most? In blocks of 1. */
static void most(size_t bytes, const char *key)
{
    struct cudaMemPoolProps properties;
    cudaMemPool_t own;
    void *memory = NULL;
    int count = 0;

    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.maxSize = bytes;
    MUST(cudaMemPoolCreate(&own, &properties));
    while (count < 100 && !cudaMallocFromPoolAsync(&memory, MIB, own, s))
        count++;
    cudaGetLastError();
    fact_int(key, count);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolDestroy(own));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    keep(~0ull);
    distances();
    one_block();
    several_blocks();
    trims();
    thresholds();
    half_used();
    high_marks();
    most(1, "max_size_1_byte.blocks");
    most(3 * MIB, "max_size_3.blocks");
    most(32 * MIB, "max_size_32.blocks");
    most(33 * MIB, "max_size_33.blocks");
    return 0;
}
