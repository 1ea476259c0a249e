/* cores.c: a loop over many elements on all cores */
#include "base/cores.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "number.h"

/* ALONE: so few bytes are not worth threads. */
enum { MAX_THREADS = 32, ALONE = 1 << 20 };

struct share {
    pthread_t thread;
    cores_part *part;
    void *work;
    uint64_t lower, upper;
    bool started;
};

static void *share_run(void *arg)
{
    const struct share *const share = arg;

    if (share->lower < share->upper)
        share->part(share->work, share->lower, share->upper);
    return NULL;
}

void cores_share(uint64_t count, uint64_t alone, cores_part *part, void *work)
{
    struct share shares[MAX_THREADS];
    const long there = count > alone ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    const int cores =
        there < 1 ? 1 : (int)min_u64((uint64_t)there, MAX_THREADS);
    const uint64_t width = div_up(count, (uint64_t)cores);

    for (int i = 0; i < cores; i++) {
        const uint64_t lower = min_u64((uint64_t)i * width, count);
        struct share *const share = &shares[i];

        *share = (struct share){.part = part,
                                .work = work,
                                .lower = lower,
                                .upper = min_u64(lower + width, count)};
        /* The last share is this thread's own, like all that get none. */
        share->started = i < cores - 1 && pthread_create(&share->thread, NULL,
                                                         share_run, share) == 0;
        if (!share->started)
            share_run(share);
    }
    for (int i = 0; i < cores; i++)
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
}

struct bytes {
    char *to;
    const char *from, *other;
    bool differ; /* set by whoever sees it */
};

static void copy_part(void *work, uint64_t lower, uint64_t upper)
{
    const struct bytes *const bytes = work;

    if (bytes->from)
        memcpy(bytes->to + lower, bytes->from + lower, upper - lower);
    else
        memset(bytes->to + lower, 0, upper - lower);
}

static void compare_part(void *work, uint64_t lower, uint64_t upper)
{
    struct bytes *const bytes = work;

    if (memcmp(bytes->other + lower, bytes->from + lower, upper - lower) != 0)
        __atomic_store_n(&bytes->differ, true, __ATOMIC_RELAXED);
}

void cores_copy(void *to, const void *from, size_t bytes)
{
    cores_share(bytes, ALONE, copy_part,
                &(struct bytes){.to = to, .from = from});
}

bool cores_same(const void *one, const void *other, size_t bytes)
{
    struct bytes work = {.from = one, .other = other};

    cores_share(bytes, ALONE, compare_part, &work);
    return !work.differ;
}
