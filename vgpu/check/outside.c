/*
 * outside.c: watched host memory that does not come from the arena
 *
 * Pageable memory that an asynchronous copy reads or writes late, the argument
 * of a host function, registered memory: of all the program's own memory only
 * such ranges matter, and only while work that may touch them is outstanding.
 */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

MY_PART(outside);

/*
 * Ranges by address, not overlapping within their kind. Pages are made when
 * something is recorded there. A filter by megabyte turns everything else
 * away, the stack above all, before any lock is taken.
 */
struct range {
    uintptr_t lo, hi;
};

#define BUCKETS_MIN 256

/* ---- ranges ------------------------------------------------------------ */

/* First range that ends after @address. */
static size_t ranges_after(const struct ranges *ranges, uintptr_t address)
{
    size_t lo = 0, hi = ranges->count;

    while (lo < hi) {
        size_t middle = (lo + hi) / 2;

        if (ranges->at[middle].hi <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool ranges_meet(const struct ranges *ranges, uintptr_t lo, uintptr_t hi)
{
    size_t at = ranges_after(ranges, lo);

    return at < ranges->count && ranges->at[at].lo < hi;
}

/* Add [lo, hi), swallowing what it touches. */
static int ranges_add(struct ranges *ranges, uintptr_t lo, uintptr_t hi)
{
    size_t first = ranges_after(ranges, lo), last = first;

    if (!VGPU_GROW(ranges->at, ranges->count, &ranges->room))
        return -1;
    while (last < ranges->count && ranges->at[last].lo <= hi) {
        if (ranges->at[last].lo < lo)
            lo = ranges->at[last].lo;
        if (ranges->at[last].hi > hi)
            hi = ranges->at[last].hi;
        last++;
    }
    memmove(ranges->at + first + 1, ranges->at + last,
            (ranges->count - last) * sizeof *ranges->at);
    ranges->count = ranges->count - (last - first) + 1;
    ranges->at[first] = (struct range){lo, hi};
    return 0;
}

/* Of a range that was merged from several only the part goes. */
static void ranges_remove(struct ranges *ranges, uintptr_t lo, uintptr_t hi)
{
    size_t at = ranges_after(ranges, lo);
    struct range old;

    if (at == ranges->count || ranges->at[at].lo >= hi)
        return;
    old = ranges->at[at];
    ranges->count--;
    memmove(ranges->at + at, ranges->at + at + 1,
            (ranges->count - at) * sizeof *ranges->at);
    if (old.lo < lo)
        ranges_add(ranges, old.lo, lo);
    if (hi < old.hi)
        ranges_add(ranges, hi, old.hi);
}

/* Megabytes share entries: a false alarm costs a look at the ranges, no
 * more. */
static void filter_add(const struct range *range)
{
    uintptr_t last = (range->hi - 1) >> OUTSIDE_SHIFT;
    uintptr_t first = range->lo >> OUTSIDE_SHIFT;

    if (last - first >= OUTSIDE_FILTER) {
        memset(my->filter, 1, sizeof my->filter);
        return;
    }
    for (uintptr_t i = first; i <= last; i++)
        my->filter[i % OUTSIDE_FILTER] = 1;
}

static void filter_rebuild(void)
{
    memset(my->filter, 0, sizeof my->filter);
    for (size_t i = 0; i < my->watched.count; i++)
        filter_add(&my->watched.at[i]);
    for (size_t i = 0; i < my->registered.count; i++)
        filter_add(&my->registered.at[i]);
}

bool outside_watched(uintptr_t address, size_t bytes)
{
    return ranges_meet(&my->watched, address, address + bytes) ||
           ranges_meet(&my->registered, address, address + bytes);
}

/* ---- pages ------------------------------------------------------------- */

static size_t bucket_of(uintptr_t number)
{
    return (number * 0x9E3779B97F4A7C15ULL >> 20) % my->buckets_count;
}

static int grow_buckets(void)
{
    struct outside_page **old = my->buckets;
    size_t old_count = my->buckets_count;

    my->buckets_count = old_count ? 4 * old_count : BUCKETS_MIN;
    my->buckets = calloc(my->buckets_count, sizeof *my->buckets);
    if (!my->buckets) {
        my->buckets = old;
        my->buckets_count = old_count;
        return -1;
    }
    for (size_t i = 0; i < old_count; i++) {
        while (old[i]) {
            struct outside_page *page = old[i];
            size_t at = bucket_of(page->number);

            old[i] = page->next;
            page->next = my->buckets[at];
            my->buckets[at] = page;
        }
    }
    free(old);
    return 0;
}

static struct outside_page *page_new(uintptr_t number)
{
    struct outside_page *page;
    size_t at;

    if (my->pages_count >= my->buckets_count && grow_buckets() &&
        !my->buckets_count)
        return NULL;
    page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->page.valid = PAGE_BYTES;
    page->page.state = PAGE_OUTSIDE;
    page->page.host = true;
    page->page.written = WRITTEN_ALL;
    page->number = number;
    at = bucket_of(number);
    page->next = my->buckets[at];
    my->buckets[at] = page;
    my->pages_count++;
    return page;
}

/* A page is made at the first recorded access; pages here are few, so they hang
 * in buckets and not in a table by address. */
struct page *outside_page_find(uintptr_t address, size_t bytes)
{
    uintptr_t number = address >> PAGE_SHIFT;
    struct outside_page *page = NULL;

    if (!outside_watched(address, bytes))
        return NULL;
    if (my->buckets_count)
        for (page = my->buckets[bucket_of(number)]; page; page = page->next)
            if (page->number == number)
                return &page->page;
    page = page_new(number);
    if (!page)
        return NULL;
    if (ranges_meet(&my->registered, address, address + bytes))
        page->page.memory = memory_find(address);
    return &page->page;
}

uint64_t *outside_bits(struct page *page, enum set_index set)
{
    struct outside_page *outside = outside_of(page);

    if (!outside->bits[set])
        outside->bits[set] = calloc(WORDS, sizeof(uint64_t));
    return outside->bits[set];
}

static void page_free(struct outside_page *page)
{
    page_forget(&page->page);
    for (int i = 0; i < SETS; i++)
        free(page->bits[i]);
    free(page);
    my->pages_count--;
}

/* Free the pages that nothing watches any more. */
static void sweep_pages(void)
{
    for (size_t i = 0; my->pages_count && i < my->buckets_count; i++) {
        struct outside_page **at = &my->buckets[i];

        while (*at) {
            struct outside_page *page = *at;

            if (page->page.memory) {
                at = &page->next;
                continue;
            }
            *at = page->next;
            page_free(page);
        }
    }
}

/* ---- watching ---------------------------------------------------------- */

/* Copies of a loop name the same range again and again: one that is watched
 * already is not added. */
void outside_watch(uintptr_t base, size_t bytes, bool is_registered)
{
    struct range range = {base, base + bytes};
    struct ranges *ranges = is_registered ? &my->registered : &my->watched;
    size_t at;

    if (!bytes)
        return;
    at = ranges_after(ranges, base);
    if (at < ranges->count && ranges->at[at].lo <= range.lo &&
        range.hi <= ranges->at[at].hi)
        return;
    if (!ranges_add(ranges, range.lo, range.hi))
        filter_add(&range);
}

void outside_unregister(uintptr_t base, size_t bytes)
{
    uintptr_t first = base >> PAGE_SHIFT;
    uintptr_t last = (base + bytes - 1) >> PAGE_SHIFT;

    ranges_remove(&my->registered, base, base + bytes);
    for (size_t i = 0; bytes && i < my->buckets_count; i++)
        for (struct outside_page *page = my->buckets[i]; page;
             page = page->next)
            if (page->number >= first && page->number <= last)
                page->page.memory = NULL;
    filter_rebuild();
}

/* Everything is waited for, so no access to come can conflict with any of
 * these. Registered memory is watched until it is unregistered. */
void outside_quiet(void)
{
    if (!my->watched.count && !my->pages_count)
        return;
    shadow_settle();
    sweep_pages();
    my->watched.count = 0;
    filter_rebuild();
}
