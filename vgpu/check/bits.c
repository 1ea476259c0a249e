/* bits.c: sets of bytes within one page, shared between pages */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

MY_PART(bits);

/*
 * Work on strided chunks leaves the same pattern in page after page, so
 * patterns are kept once. One bit stands for 1, 2, 4 or 8 bytes, whatever
 * the pattern allows.
 */
#define BUCKETS_MIN 1024

/* A coarser grain needs half as many words each time. */
static unsigned words_count(unsigned grain)
{
    return WORDS >> grain;
}

/* Shifts by 64 are undefined in C, so the last word's mask is made only where
 * it has bits. */
void bits_fill(uint64_t *words, unsigned lo, unsigned hi)
{
    unsigned first = lo / 64, last = hi / 64;
    uint64_t head = ~0ULL << (lo % 64);
    uint64_t tail = hi % 64 ? ~0ULL >> (64 - hi % 64) : 0;

    if (lo >= hi)
        return;
    if (first == last) {
        words[first] |= head & tail;
        return;
    }
    words[first] |= head;
    for (unsigned i = first + 1; i < last; i++)
        words[i] = ~0ULL;
    if (tail)
        words[last] |= tail;
}

/* Full and empty words are the usual ones, and cheap; empty ones by four. */
unsigned bits_count(const uint64_t *words)
{
    unsigned count = 0;

    _Static_assert(WORDS % 4 == 0, "by four");
    for (const uint64_t *four = words; four < words + WORDS; four += 4) {
        if (!(four[0] | four[1] | four[2] | four[3]))
            continue;
        for (int i = 0; i < 4; i++)
            count +=
                four[i] == ~0ULL ? 64 : (unsigned)__builtin_popcountll(four[i]);
    }
    return count;
}

/* A set without gaps needs no bitmap: most are so, and bounds compare
 * faster. */
unsigned bits_describe(const uint64_t *words, struct set *set)
{
    unsigned count = bits_count(words), lo = 0, hi = WORDS;

    set->lo = set->hi = 0;
    set->words = NULL;
    if (!count)
        return 0;
    while (!words[lo])
        lo++;
    while (!words[hi - 1])
        hi--;
    set->lo = (uint16_t)(lo * 64 + (unsigned)__builtin_ctzll(words[lo]));
    set->hi = (uint16_t)(hi * 64 - (unsigned)__builtin_clzll(words[hi - 1]));
    if ((unsigned)(set->hi - set->lo) != count)
        set->words = words;
    return count;
}

/* ---- compression ------------------------------------------------------- */

/* Halve @words: one bit per pair. Return: false when some pair differs. */
static bool halve(const uint64_t *words, uint64_t *half, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t even = words[i] & 0x5555555555555555ULL;

        if (even != ((words[i] >> 1) & 0x5555555555555555ULL))
            return false;
        even = (even | even >> 1) & 0x3333333333333333ULL;
        even = (even | even >> 2) & 0x0F0F0F0F0F0F0F0FULL;
        even = (even | even >> 4) & 0x00FF00FF00FF00FFULL;
        even = (even | even >> 8) & 0x0000FFFF0000FFFFULL;
        even = (even | even >> 16) & 0xFFFFFFFFULL;
        if (i % 2)
            half[i / 2] |= even << 32;
        else
            half[i / 2] = even;
    }
    return true;
}

/* Each of the low 32 bits of @half twice. */
static uint64_t spread(uint64_t half)
{
    uint64_t x = half & 0xFFFFFFFFULL;

    x = (x | x << 16) & 0x0000FFFF0000FFFFULL;
    x = (x | x << 8) & 0x00FF00FF00FF00FFULL;
    x = (x | x << 4) & 0x0F0F0F0F0F0F0F0FULL;
    x = (x | x << 2) & 0x3333333333333333ULL;
    x = (x | x << 1) & 0x5555555555555555ULL;
    return x | x << 1;
}

void bitmap_expand(const struct bitmap *bitmap, uint64_t *words)
{
    unsigned count = words_count(bitmap->grain);

    memcpy(words, bitmap->words, count * sizeof *words);
    for (; count < WORDS; count *= 2) {
        for (unsigned i = count; i-- > 0;) {
            uint64_t half = words[i];

            words[2 * i + 1] = spread(half >> 32);
            words[2 * i] = spread(half);
        }
    }
}

/* ---- sharing ----------------------------------------------------------- */

static uint32_t hash_words(const uint64_t *words, unsigned count)
{
    uint64_t hash = count;

    for (unsigned i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Patterns are as many as the program's accesses are irregular; chains stay
 * short at any number. */
static int grow_buckets(void)
{
    size_t count = my->buckets_count ? 2 * my->buckets_count : BUCKETS_MIN;
    struct bitmap **grown = calloc(count, sizeof *grown);

    if (!grown)
        return -1;
    for (size_t i = 0; i < my->buckets_count; i++) {
        while (my->buckets[i]) {
            struct bitmap *bitmap = my->buckets[i];

            my->buckets[i] = bitmap->next;
            bitmap->next = grown[bitmap->hash % count];
            grown[bitmap->hash % count] = bitmap;
        }
    }
    free(my->buckets);
    my->buckets = grown;
    my->buckets_count = count;
    return 0;
}

static size_t size_of(unsigned grain)
{
    return sizeof(struct bitmap) + words_count(grain) * sizeof(uint64_t);
}

static struct bitmap *allocate(unsigned grain)
{
    struct bitmap *bitmap = calloc(1, size_of(grain));

    if (!bitmap)
        return NULL;
    bitmap->grain = (uint8_t)grain;
    bitmap->refs = 1;
    my->used_bytes += size_of(grain);
    return bitmap;
}

static struct bitmap *find(const uint64_t *words, unsigned grain, uint32_t hash)
{
    struct bitmap *bitmap = my->buckets[hash % my->buckets_count];

    for (; bitmap; bitmap = bitmap->next)
        if (bitmap->hash == hash && bitmap->grain == grain &&
            !memcmp(bitmap->words, words, words_count(grain) * sizeof *words))
            return bitmap;
    return NULL;
}

/* At the coarsest grain that says the same: floats in every other place need a
 * bit for four bytes. What cannot be kept is not remembered; see shadow.c. */
struct bitmap *bitmap_intern(const uint64_t *words)
{
    uint64_t halves[3][WORDS / 2];
    unsigned grain = 0;
    struct bitmap *bitmap;
    uint32_t hash;

    while (grain < 3 && halve(words, halves[grain], words_count(grain)))
        words = halves[grain++];
    if (my->interned >= my->buckets_count && grow_buckets() &&
        !my->buckets_count)
        return NULL;
    hash = hash_words(words, words_count(grain));
    bitmap = find(words, grain, hash);
    if (bitmap) {
        bitmap->refs++;
        return bitmap;
    }
    bitmap = allocate(grain);
    if (!bitmap)
        return NULL;
    memcpy(bitmap->words, words, words_count(grain) * sizeof *words);
    bitmap->hash = hash;
    bitmap->next = my->buckets[hash % my->buckets_count];
    my->buckets[hash % my->buckets_count] = bitmap;
    my->interned++;
    return bitmap;
}

/* A private one is in no bucket: it links to itself. */
struct bitmap *bitmap_new(void)
{
    struct bitmap *bitmap = allocate(0);

    if (bitmap)
        bitmap->next = bitmap;
    return bitmap;
}

void bitmap_release(struct bitmap *bitmap)
{
    if (!bitmap || --bitmap->refs)
        return;
    if (bitmap->next != bitmap) {
        struct bitmap **at = &my->buckets[bitmap->hash % my->buckets_count];

        while (*at != bitmap)
            at = &(*at)->next;
        *at = bitmap->next;
        my->interned--;
    }
    my->used_bytes -= size_of(bitmap->grain);
    free(bitmap);
}

size_t bitmap_bytes(void)
{
    return my->used_bytes + my->buckets_count * sizeof *my->buckets;
}

/* ---- both -------------------------------------------------------------- */

/* Bounds first, since most pairs do not meet; bitmaps are unpacked only for
 * those that may. */
struct overlap set_intersect(const struct set *set, const struct layer *layer)
{
    unsigned from = set->lo > layer->lo ? set->lo : layer->lo;
    unsigned to = set->hi < layer->hi ? set->hi : layer->hi;
    uint64_t window[WORDS] = {0}, words[WORDS];
    struct set both;
    unsigned count;

    if (from >= to)
        return (struct overlap){0};
    if (!set->words && !layer->bitmap)
        return (struct overlap){to - from, from, to};
    bits_fill(window, from, to);
    if (set->words)
        for (int i = 0; i < WORDS; i++)
            window[i] &= set->words[i];
    if (layer->bitmap) {
        bitmap_expand(layer->bitmap, words);
        for (int i = 0; i < WORDS; i++)
            window[i] &= words[i];
    }
    count = bits_describe(window, &both);
    return (struct overlap){count, both.lo, both.hi};
}
