/*
 * reference.h: what must come out of entries of the cipher, and what an entry
 * is that is not that. All of it in the grader: the lab program sees only the
 * input.
 */
#ifndef GRADER_REFERENCE_H
#define GRADER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Decrypt @count entries with all cores; @plain and @cipher may be one. */
void reference_decrypt(uint64_t *plain, const uint64_t *cipher, uint64_t count,
                       uint64_t iters);

/*
 * What a run was given, and what is expected of it. Buffers of @entries
 * entries; those of the host and of the device may be followed by @guard guard
 * entries each, which nobody may touch.
 */
struct reference {
    uint64_t entries, guard, iters;
    const uint64_t *plain;      /* expected */
    const uint64_t *cipher;     /* the host's buffer at first */
    const uint64_t *host_guard; /* what follows it */
    const uint64_t *device;     /* the device's buffer at first, with its guard;
                                   NULL: not known */
};

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

/* "still encrypted"; NULL for CELL_KINDS. */
const char *reference_cell_words(enum cell cell);

/* What a buffer holds after a run. */
struct cells {
    uint64_t count[CELL_KINDS];
    uint64_t first[CELL_KINDS], last[CELL_KINDS];
    uint64_t wrong, first_wrong, last_wrong;
    enum cell around[3]; /* first wrong one in the middle; CELL_KINDS: none */
};

void reference_compare(const struct reference *reference,
                       const uint64_t *values, struct cells *cells);

#endif
