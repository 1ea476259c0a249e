/*
 * reference.h: what a run is given and what must come out of it. Made in the
 * grader from fresh random numbers; the lab program sees only the input.
 */
#ifndef GRADER_REFERENCE_H
#define GRADER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCE_MAX_GPUS = 8 };

/* The part of the entries that a GPU has: whole chunks, as many as it has
 * streams, but for the last ones. */
struct part {
    uint64_t lower, entries;
};
struct part reference_part(uint64_t entries, uint64_t gpus, uint64_t streams,
                           uint64_t gpu);

/*
 * Buffers of @entries entries, each followed by @guard guard entries. With
 * several GPUs @device holds the parts one after the other, then the guards:
 * reference_write() and reference_gather() know where each has its place.
 */
struct reference {
    uint64_t entries, guard, iters;
    uint64_t gpus, streams; /* 1 and 1 after reference_make() */
    uint64_t *plain;        /* expected */
    uint64_t *cipher;       /* the host buffer at first */
    uint64_t *host_guard;   /* what follows it */
    uint64_t *device;       /* the device buffer, with guard */
};

/*
 * Random plaintext, encrypted on all cores. Beyond a million entries the
 * same million repeats, each time rotated by another random amount, so that
 * an entry of another place is still a wrong one.
 * Return: false without memory or random numbers.
 */
bool reference_make(struct reference *reference, uint64_t entries,
                    uint64_t guard, uint64_t iters);
/* The same, for @gpus GPUs with @streams streams each. */
bool reference_make_gpus(struct reference *reference, uint64_t entries,
                         uint64_t guard, uint64_t iters, uint64_t gpus,
                         uint64_t streams);
/* Rotate anew: other data at hardly any cost. */
bool reference_shuffle(struct reference *reference);
void reference_free(struct reference *reference);

/* Lay it out as the driver reads it: host, its guard, device, its guard. */
void reference_write(const struct reference *reference, uint64_t *input);

/* The GPUs' buffers of the output, parts first, then guards: into @device,
 * with room for entries + gpus * guard. */
void reference_gather(const struct reference *reference, const uint64_t *output,
                      uint64_t *device);

/* What an entry is found to be. */
enum cell {
    CELL_RIGHT,
    CELL_CIPHER,        /* as it was: still encrypted */
    CELL_UNTOUCHED,     /* what the device held before */
    CELL_UNTOUCHED_RUN, /* that, decrypted */
    CELL_AGAIN,         /* decrypted twice or more often */
    CELL_ROUNDS,        /* decrypted with other rounds */
    CELL_MOVED,         /* right, for another entry */
    CELL_MOVED_CIPHER,  /* another entry, still encrypted */
    CELL_UNKNOWN,
    CELL_KINDS,
};

/* What a buffer holds after a run. */
struct cells {
    uint64_t count[CELL_KINDS];
    uint64_t first[CELL_KINDS], last[CELL_KINDS];
    uint64_t wrong, first_wrong, last_wrong;
    int64_t moved_by;    /* of the first one that is MOVED */
    enum cell around[3]; /* first wrong one in the middle */
};

void reference_compare(const struct reference *reference,
                       const uint64_t *values, struct cells *cells);

/* Only whether all of it is right, with all cores. Return: wrong entries. */
uint64_t reference_count_wrong(const struct reference *reference,
                               const uint64_t *values);

/* Decrypt @count entries with all cores; @plain and @cipher may be one. */
void reference_decrypt(uint64_t *plain, const uint64_t *cipher, uint64_t count,
                       uint64_t iters);

/* Which operations went beyond the end of the buffers. */
struct overrun {
    bool any, copy_in, kernel, copy_back;
};

/* @host_guard, @device_guard: what is there after the run; of all GPUs. */
void reference_find_overrun(const struct reference *reference,
                            const uint64_t *host_guard,
                            const uint64_t *device_guard,
                            struct overrun *overrun);

#endif
