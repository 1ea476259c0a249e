/* case_fill.c: input for cases */
#include "case/case.h"

#include <string.h>
#include <sys/random.h>

#include "base/cores.h"
#include "number.h"

enum { FILL_ALONE = 1 << 16 }; /* so few are not worth threads */

/* splitmix64: of any entry without those before it. */
static uint64_t random_at(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct filled {
    uint64_t seed;
    unsigned char *bytes;
    size_t size;
};

static void fill_part(void *work, uint64_t lower, uint64_t upper)
{
    const struct filled *const to = work;

    for (uint64_t i = lower; i < upper; i++) {
        const uint64_t value = random_at(to->seed, i);
        const size_t at = i * sizeof value;

        memcpy(to->bytes + at, &value, min_u64(sizeof value, to->size - at));
    }
}

bool case_fill_random(struct case_run *run, void *input)
{
    struct filled to = {.bytes = input, .size = run->input_bytes};

    /* A seed that is new each time. */
    if (getrandom(&to.seed, sizeof to.seed, 0) != (ssize_t)sizeof to.seed)
        return false;
    cores_share(div_up(to.size, sizeof(uint64_t)), FILL_ALONE, fill_part, &to);
    return true;
}
