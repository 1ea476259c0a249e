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

#endif
