/* reference.c: random input, and the expected output made from it */
#include "case/reference.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cipher_entry.h"
#include "number.h"

/* ALONE: so little work, in rounds of the cipher, is not worth threads. */
enum { BLOCK = 1 << 20, MAX_THREADS = 32, ALONE = 1 << 14 };

/* ---- all cores ----------------------------------------------------------- */

struct slice;
typedef void slice_fn(struct slice *slice);

struct slice {
    pthread_t thread;
    slice_fn *fn;
    const struct reference *reference;
    const uint64_t *values;
    uint64_t *made;
    uint64_t lower, upper, iters, wrong;
};

static void *slice_run(void *arg)
{
    struct slice *slice = arg;

    slice->fn(slice);
    return NULL;
}

/* Share out @count entries; @what: the slices' common part. An entry takes
 * @iters rounds. Return: the sum of what the slices found wrong. */
static uint64_t run_slices(const struct slice *what, uint64_t count,
                           uint64_t iters, slice_fn *fn)
{
    struct slice slices[MAX_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t chunk, wrong = 0;
    int started[MAX_THREADS] = {0};

    if (cores > MAX_THREADS)
        cores = MAX_THREADS;
    if (cores < 1 || count * (iters + 1) < ALONE)
        cores = 1;
    chunk = (count + (uint64_t)cores - 1) / (uint64_t)cores;
    for (long i = 0; i < cores; i++) {
        struct slice *slice = &slices[i];

        *slice = *what;
        slice->fn = fn;
        slice->iters = iters;
        slice->lower = min_u64((uint64_t)i * chunk, count);
        slice->upper = min_u64(slice->lower + chunk, count);
        started[i] = i < cores - 1 && pthread_create(&slice->thread, NULL,
                                                     slice_run, slice) == 0;
        if (!started[i])
            slice->fn(slice);
    }
    for (long i = 0; i < cores; i++) {
        if (started[i])
            pthread_join(slices[i].thread, NULL);
        wrong += slices[i].wrong;
    }
    return wrong;
}

/* ---- input --------------------------------------------------------------- */

static bool fill_random(uint64_t *data, uint64_t count)
{
    unsigned char *at = (unsigned char *)data;
    size_t left = count * sizeof *data;

    while (left > 0) {
        const size_t part = left < 65536 ? left : 65536;
        const ssize_t got = getrandom(at, part, 0);

        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0) {
            at += got;
            left -= (size_t)got;
        }
    }
    return true;
}

static void encrypt_slice(struct slice *slice)
{
    const struct reference *ref = slice->reference;

    for (uint64_t i = slice->lower; i < slice->upper; i++)
        ref->cipher[i] = encrypt_entry(ref->plain[i], ref->iters);
}

/* Turn the first @width entries at @to so that entry 0 is what was @by. */
static void copy_rotated(uint64_t *to, const uint64_t *from, uint64_t width,
                         uint64_t by)
{
    const uint64_t head = min_u64(width, BLOCK - by);

    memcpy(to, from + by, head * sizeof *to);
    memcpy(to + head, from, (width - head) * sizeof *to);
}

/* The first block stays in place: the others are made from it. */
static bool repeat_block(struct reference *ref)
{
    for (uint64_t lower = BLOCK; lower < ref->entries; lower += BLOCK) {
        const uint64_t width = min_u64(BLOCK, ref->entries - lower);
        uint64_t by;

        if (!fill_random(&by, 1))
            return false;
        by %= BLOCK;
        copy_rotated(ref->plain + lower, ref->plain, width, by);
        copy_rotated(ref->cipher + lower, ref->cipher, width, by);
    }
    return true;
}

struct part reference_part(uint64_t entries, uint64_t gpus, uint64_t streams,
                           uint64_t gpu)
{
    const uint64_t chunks = gpus * streams;
    const uint64_t part =
        (entries / chunks + (entries % chunks != 0)) * streams;
    const uint64_t lower = min_u64(gpu * part, entries);

    return (struct part){lower, min_u64(part, entries - lower)};
}

bool reference_make(struct reference *ref, uint64_t entries, uint64_t guard,
                    uint64_t iters)
{
    return reference_make_gpus(ref, entries, guard, iters, 1, 1);
}

bool reference_make_gpus(struct reference *ref, uint64_t entries,
                         uint64_t guard, uint64_t iters, uint64_t gpus,
                         uint64_t streams)
{
    const uint64_t block = min_u64(entries, BLOCK);
    const uint64_t device = entries + gpus * guard;

    memset(ref, 0, sizeof *ref);
    ref->entries = entries;
    ref->guard = guard;
    ref->iters = iters;
    ref->gpus = gpus;
    ref->streams = streams;
    ref->plain = malloc((entries + 1) * sizeof(uint64_t));
    ref->cipher = malloc((entries + 1) * sizeof(uint64_t));
    ref->host_guard = malloc((guard + 1) * sizeof(uint64_t));
    ref->device = guard ? malloc(device * sizeof(uint64_t)) : NULL;
    if (!ref->plain || !ref->cipher || !ref->host_guard ||
        (guard && !ref->device) || !fill_random(ref->plain, block) ||
        !fill_random(ref->host_guard, guard) ||
        (guard && !fill_random(ref->device, device))) {
        reference_free(ref);
        return false;
    }
    run_slices(&(struct slice){.reference = ref}, block, iters, encrypt_slice);
    return repeat_block(ref);
}

bool reference_shuffle(struct reference *ref)
{
    const uint64_t block = min_u64(ref->entries, BLOCK);
    uint64_t by, swap;

    if (!fill_random(&by, 1))
        return false;
    /* A stride that moves every entry of the first block. */
    for (uint64_t i = 0; block > 1 && i < block / 2; i++) {
        const uint64_t j = block / 2 + (i + by) % (block / 2);

        swap = ref->plain[i];
        ref->plain[i] = ref->plain[j];
        ref->plain[j] = swap;
        swap = ref->cipher[i];
        ref->cipher[i] = ref->cipher[j];
        ref->cipher[j] = swap;
    }
    return repeat_block(ref);
}

void reference_free(struct reference *ref)
{
    free(ref->plain);
    free(ref->cipher);
    free(ref->host_guard);
    free(ref->device);
    memset(ref, 0, sizeof *ref);
}

static void copy_entries(uint64_t *to, const uint64_t *from, uint64_t count)
{
    if (count > 0)
        memcpy(to, from, count * sizeof *to);
}

void reference_write(const struct reference *ref, uint64_t *input)
{
    copy_entries(input, ref->cipher, ref->entries);
    copy_entries(input + ref->entries, ref->host_guard, ref->guard);
    input += ref->entries + ref->guard;
    for (uint64_t g = 0; ref->device && g < ref->gpus; g++) {
        const struct part part =
            reference_part(ref->entries, ref->gpus, ref->streams, g);

        copy_entries(input, ref->device + part.lower, part.entries);
        input += part.entries;
        copy_entries(input, ref->device + ref->entries + g * ref->guard,
                     ref->guard);
        input += ref->guard;
    }
}

void reference_gather(const struct reference *ref, const uint64_t *output,
                      uint64_t *device)
{
    for (uint64_t g = 0; g < ref->gpus; g++) {
        const struct part part =
            reference_part(ref->entries, ref->gpus, ref->streams, g);

        copy_entries(device + part.lower, output, part.entries);
        output += part.entries;
        copy_entries(device + ref->entries + g * ref->guard, output,
                     ref->guard);
        output += ref->guard;
    }
}

/* ---- comparison ---------------------------------------------------------- */

static void count_slice(struct slice *slice)
{
    for (uint64_t i = slice->lower; i < slice->upper; i++)
        slice->wrong += slice->values[i] != slice->reference->plain[i];
}

uint64_t reference_count_wrong(const struct reference *ref,
                               const uint64_t *values)
{
    const struct slice what = {.reference = ref, .values = values};

    return run_slices(&what, ref->entries, 0, count_slice);
}

static void decrypt_slice(struct slice *slice)
{
    for (uint64_t i = slice->lower; i < slice->upper; i++)
        slice->made[i] = decrypt_entry(slice->values[i], slice->iters);
}

void reference_decrypt(uint64_t *plain, const uint64_t *cipher, uint64_t count,
                       uint64_t iters)
{
    const struct slice what = {.values = cipher, .made = plain};

    run_slices(&what, count, iters, decrypt_slice);
}

static bool decrypted_again(const struct reference *ref, uint64_t i,
                            uint64_t value)
{
    uint64_t again = ref->plain[i];

    for (int times = 0; times < 32; times++) {
        again = decrypt_entry(again, ref->iters);
        if (again == value)
            return true;
    }
    return false;
}

static bool other_rounds(const struct reference *ref, uint64_t i,
                         uint64_t value)
{
    const uint64_t iters = ref->iters;

    for (uint64_t rounds = 1; rounds <= 2 * iters + 2; rounds++)
        if (decrypt_entry(ref->cipher[i], rounds) == value ||
            decrypt_entry(ref->plain[i], rounds) == value)
            return true;
    return false;
}

static bool find_moved(const struct reference *ref, const uint64_t *from,
                       uint64_t i, uint64_t value, int64_t *by)
{
    for (uint64_t j = 0; j < min_u64(ref->entries, BLOCK); j++)
        if (from[j] == value) {
            *by = (int64_t)j - (int64_t)i;
            return true;
        }
    return false;
}

/* The slow questions are asked for the first few wrong entries only. */
static enum cell classify(const struct reference *ref, uint64_t i,
                          uint64_t value, uint64_t asked, int64_t *by)
{
    if (value == ref->cipher[i])
        return CELL_CIPHER;
    if (ref->device && value == ref->device[i])
        return CELL_UNTOUCHED;
    if (ref->device && value == decrypt_entry(ref->device[i], ref->iters))
        return CELL_UNTOUCHED_RUN;
    if (value == decrypt_entry(ref->plain[i], ref->iters))
        return CELL_AGAIN;
    if (asked >= 256)
        return CELL_UNKNOWN;
    if (decrypted_again(ref, i, value))
        return CELL_AGAIN;
    if (find_moved(ref, ref->plain, i, value, by))
        return CELL_MOVED;
    if (find_moved(ref, ref->cipher, i, value, by))
        return CELL_MOVED_CIPHER;
    return asked < 64 && other_rounds(ref, i, value) ? CELL_ROUNDS
                                                     : CELL_UNKNOWN;
}

static enum cell classify_any(const struct reference *ref, uint64_t i,
                              uint64_t value, uint64_t *asked, int64_t *by)
{
    enum cell kind;

    if (value == ref->plain[i])
        return CELL_RIGHT;
    kind = classify(ref, i, value, *asked, by);
    *asked += kind >= CELL_AGAIN;
    return kind;
}

static void look_around(const struct reference *ref, const uint64_t *values,
                        struct cells *cells)
{
    uint64_t asked = 0;
    int64_t by;

    for (int k = -1; k <= 1; k++) {
        const uint64_t i = cells->first_wrong + (uint64_t)k;

        cells->around[k + 1] =
            i < ref->entries ? classify_any(ref, i, values[i], &asked, &by)
                             : CELL_KINDS;
    }
}

void reference_compare(const struct reference *ref, const uint64_t *values,
                       struct cells *cells)
{
    uint64_t asked = 0;

    memset(cells, 0, sizeof *cells);
    for (uint64_t i = 0; i < ref->entries; i++) {
        int64_t by = 0;
        const enum cell kind = classify_any(ref, i, values[i], &asked, &by);

        if (kind != CELL_RIGHT) {
            if (cells->wrong++ == 0)
                cells->first_wrong = i;
            cells->last_wrong = i;
        }
        if (cells->count[kind]++ == 0) {
            cells->first[kind] = i;
            if (kind == CELL_MOVED)
                cells->moved_by = by;
        }
        cells->last[kind] = i;
    }
    if (cells->wrong > 0)
        look_around(ref, values, cells);
}

/* What stands in the host's buffer @i entries behind a GPU's part. */
static uint64_t host_behind(const struct reference *ref, uint64_t gpu,
                            uint64_t i)
{
    const struct part part =
        reference_part(ref->entries, ref->gpus, ref->streams, gpu);
    const uint64_t at = part.lower + part.entries + i;

    if (at < ref->entries)
        return ref->cipher[at];
    return ref->host_guard[at - ref->entries];
}

static void look_behind(const struct reference *ref, uint64_t gpu,
                        const uint64_t *device_guard, struct overrun *overrun)
{
    const uint64_t *const before = ref->device + ref->entries;

    for (uint64_t i = 0; i < ref->guard; i++) {
        const uint64_t at = gpu * ref->guard + i, now = device_guard[at];
        const uint64_t host = host_behind(ref, gpu, i), device = before[at];
        const uint64_t host_run = decrypt_entry(host, ref->iters);

        overrun->any |= now != device;
        overrun->copy_in |= now == host || now == host_run;
        overrun->kernel |=
            now == decrypt_entry(device, ref->iters) || now == host_run;
    }
}

void reference_find_overrun(const struct reference *ref,
                            const uint64_t *host_guard,
                            const uint64_t *device_guard,
                            struct overrun *overrun)
{
    memset(overrun, 0, sizeof *overrun);
    for (uint64_t i = 0; i < ref->guard; i++)
        overrun->copy_back |= host_guard[i] != ref->host_guard[i];
    overrun->any = overrun->copy_back;
    for (uint64_t g = 0; g < ref->gpus; g++)
        look_behind(ref, g, device_guard, overrun);
}
