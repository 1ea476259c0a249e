/*
 * cipher_entry.h: encrypt and decrypt one 64-bit entry. For C11 and for CUDA,
 * host and device: the grader, the drivers and the kernel share these lines.
 *
 * A Feistel network. The entry is cut into two halves; each round mixes one
 * half, adds the result (xor) to the other, and swaps them. Undoing a round
 * needs no inverse of the mixing, so encrypting and decrypting cost the same,
 * and the number of rounds sets the work per entry at will.
 *
 * A teaching load. There is no secret key: it protects nothing.
 */
#ifndef CIPHER_ENTRY_H
#define CIPHER_ENTRY_H

#include <stdint.h>

#ifdef __CUDACC__
#define CIPHER_INLINE static inline __host__ __device__
#else
#define CIPHER_INLINE static inline
#endif

/* Mix one half with the number of the round. Need not be invertible. */
CIPHER_INLINE uint32_t cipher_mix(uint32_t half, uint64_t round)
{
    uint32_t x = (half + (uint32_t)round) * 0x9E3779B1u;

    return x ^ (x >> 15);
}

CIPHER_INLINE uint64_t encrypt_entry(uint64_t entry, uint64_t num_iters)
{
    uint32_t left = (uint32_t)(entry >> 32);
    uint32_t right = (uint32_t)entry;

    for (uint64_t round = 0; round < num_iters; round++) {
        const uint32_t swap = left ^ cipher_mix(right, round);

        left = right;
        right = swap;
    }
    return (uint64_t)left << 32 | right;
}

CIPHER_INLINE uint64_t decrypt_entry(uint64_t entry, uint64_t num_iters)
{
    uint32_t left = (uint32_t)(entry >> 32);
    uint32_t right = (uint32_t)entry;

    /* The same rounds, last one first. */
    for (uint64_t round = num_iters; round > 0; round--) {
        const uint32_t swap = right ^ cipher_mix(left, round - 1);

        right = left;
        left = swap;
    }
    return (uint64_t)left << 32 | right;
}

#ifndef __CUDACC__
/* decrypt_entry of @count entries: of several at once, in the processor's
 * vectors, as a GPU has it. For the grader's host alone. */
CIPHER_INLINE void decrypt_entries(uint64_t *to, const uint64_t *from,
                                   uint64_t count, uint64_t num_iters)
{
    enum { LANES = 16 };
    uint32_t left[LANES] = {0}, right[LANES] = {0};

    for (uint64_t at = 0; at < count; at += LANES) {
        const uint64_t n = count - at < LANES ? count - at : LANES;

        for (uint64_t i = 0; i < n; i++) {
            left[i] = (uint32_t)(from[at + i] >> 32);
            right[i] = (uint32_t)from[at + i];
        }
        for (uint64_t round = num_iters; round > 0; round--)
            for (int i = 0; i < LANES; i++) {
                const uint32_t swap = right[i] ^ cipher_mix(left[i], round - 1);

                right[i] = left[i];
                left[i] = swap;
            }
        for (uint64_t i = 0; i < n; i++)
            to[at + i] = (uint64_t)left[i] << 32 | right[i];
    }
}
#endif

#endif
