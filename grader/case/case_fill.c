/* case_fill.c: input for cases */
#include "case/case.h"

#include <string.h>
#include <sys/random.h>

#include "number.h"

/* splitmix64, from a seed that is new each time. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

bool case_fill_random(struct case_run *run, void *input)
{
    unsigned char *const bytes = input;
    uint64_t state, value;

    if (getrandom(&state, sizeof state, 0) != (ssize_t)sizeof state)
        return false;
    for (size_t at = 0; at < run->input_bytes; at += sizeof value) {
        value = next_random(&state);
        memcpy(bytes + at, &value,
               min_u64(sizeof value, run->input_bytes - at));
    }
    return true;
}
