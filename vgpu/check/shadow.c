/*
 * shadow.c: who touched which bytes of a page, and who may not have
 *
 * A page has layers, one for each operation, kind of access and line of source
 * that touched it and may still matter. A new access meets every layer: it
 * conflicts with one that nothing orders it after, and takes the bytes of those
 * that it replaces: what comes later and conflicts with them conflicts with it,
 * too. Layers of operations that everything to come is ordered after are
 * dropped. So a page in ordinary use has one to three.
 */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

MY_PART(shadow);

/*
 * Layers stop growing beyond this share of the program's data: what would
 * need more is not remembered, so that it may be missed but never makes a
 * program fail.
 */
#define LAYERS_SLACK ((size_t)40 << 20)

size_t shadow_bytes(void)
{
    return my->layers_bytes + bitmap_bytes();
}

size_t shadow_dropped(void)
{
    return my->dropped;
}

bool vgpu_check_saw_all(void)
{
    return !my->dropped;
}

static bool over_budget(void)
{
    return shadow_bytes() > memory_live_bytes() / 5 + LAYERS_SLACK;
}

/* ---- the layers of a page ---------------------------------------------- */

/* One layer needs one allocation, and most pages have one. */
static struct layer *layers_append(struct page *page)
{
    struct layers *layers = page->layers;

    if (!layers || layers->count == layers->capacity) {
        uint32_t old = layers ? layers->capacity : 0;
        uint32_t capacity = old ? 2 * old : 1;

        layers =
            realloc(layers, sizeof *layers + capacity * sizeof(struct layer));
        if (!layers)
            return NULL;
        if (!old)
            layers->count = 0;
        my->layers_bytes += (capacity - old) * sizeof(struct layer) +
                            (old ? 0 : sizeof *layers + 16);
        layers->capacity = capacity;
        page->layers = layers;
    }
    return &layers->at[layers->count++];
}

static void layer_clear(struct layer *layer)
{
    origin_release(layer->origin);
    bitmap_release(layer->bitmap);
}

static void layers_free(struct page *page)
{
    struct layers *layers = page->layers;

    if (!layers)
        return;
    my->layers_bytes -=
        layers->capacity * sizeof(struct layer) + sizeof *layers + 16;
    free(layers);
    page->layers = NULL;
}

/* The page's memory is freed or given out anew: what was done to it before has
 * no say any more. */
void page_forget(struct page *page)
{
    struct layers *layers = page->layers;

    for (uint32_t i = 0; layers && i < layers->count; i++)
        layer_clear(&layers->at[i]);
    layers_free(page);
}

/* Two reads do not, nor do two atomics; a read and an atomic do. */
static bool conflicts(unsigned a, unsigned b)
{
    return a != b || a == VGPU_WRITE;
}

/* Whatever conflicts with @old conflicts with @new too. */
static bool replaces(unsigned new, unsigned old)
{
    return new == old || new == VGPU_WRITE;
}

static bool unordered(const struct page *page, const struct origin *a,
                      const struct origin *b)
{
    if (page->state == PAGE_OUTSIDE && !page->memory)
        return !origin_ordered_by_any(a, b);
    return !origin_before(a, b) && !origin_before(b, a);
}

/* Take the bytes of @set from @layer. Return: whether none is left. */
static bool layer_subtract(struct layer *layer, const struct set *set)
{
    uint64_t words[WORDS], gone[WORDS] = {0};
    struct set left;

    if (set->hi <= layer->lo || layer->hi <= set->lo)
        return false;
    if (!set->words && set->lo <= layer->lo && layer->hi <= set->hi)
        return true;
    if (!set->words && !layer->bitmap) {
        if (set->lo <= layer->lo)
            layer->lo = set->hi;
        else if (layer->hi <= set->hi)
            layer->hi = set->lo;
        return false;
    }
    if (!layer->bitmap || layer->private)
        return false;
    bitmap_expand(layer->bitmap, words);
    if (set->words)
        memcpy(gone, set->words, sizeof gone);
    else
        bits_fill(gone, set->lo, set->hi);
    for (int i = 0; i < WORDS; i++)
        words[i] &= ~gone[i];
    if (!bits_describe(words, &left))
        return true;
    layer->lo = left.lo;
    layer->hi = left.hi;
    if (!left.words) {
        bitmap_release(layer->bitmap);
        layer->bitmap = NULL;
    }
    return false;
}

/* ---- adding ------------------------------------------------------------ */

/* Without memory a bitmap stays private: that costs room, not truth. */
static void remember_growing(struct page *page)
{
    if (VGPU_GROW(my->growing, my->growing_count, &my->growing_room))
        my->growing[my->growing_count++] = page;
}

/* While a stretch of host code goes on its layers grow byte by byte in bitmaps
 * of their own. When it ends, equal ones are kept once. */
void shadow_settle(void)
{
    for (size_t i = 0; i < my->growing_count; i++) {
        struct layers *layers = my->growing[i]->layers;

        for (uint32_t j = 0; layers && j < layers->count; j++) {
            struct layer *layer = &layers->at[j];
            struct bitmap *shared;
            struct set set;

            if (!layer->private)
                continue;
            bits_describe(layer->bitmap->words, &set);
            shared = set.words ? bitmap_intern(set.words) : NULL;
            if (set.words && !shared)
                continue;
            bitmap_release(layer->bitmap);
            layer->bitmap = shared;
            layer->private = false;
        }
    }
    my->growing_count = 0;
}

/* Add @set to a layer of the same origin and line. Return: 0, or -1. */
static int layer_extend(struct page *page, struct layer *layer,
                        const struct set *set)
{
    bool touching = set->lo <= layer->hi && layer->lo <= set->hi;

    if (!layer->bitmap && !set->words && touching)
        goto out_bounds;
    if (!layer->private) {
        struct bitmap *own = bitmap_new();

        if (!own)
            return -1;
        if (layer->bitmap)
            bitmap_expand(layer->bitmap, own->words);
        else
            bits_fill(own->words, layer->lo, layer->hi);
        bitmap_release(layer->bitmap);
        layer->bitmap = own;
        layer->private = true;
        remember_growing(page);
    }
    if (set->words)
        for (int i = 0; i < WORDS; i++)
            layer->bitmap->words[i] |= set->words[i];
    else
        bits_fill(layer->bitmap->words, set->lo, set->hi);
out_bounds:
    if (set->lo < layer->lo)
        layer->lo = set->lo;
    if (set->hi > layer->hi)
        layer->hi = set->hi;
    return 0;
}

/* What does not fit into the budget is counted, and the summary says so: then a
 * hazard may be missed, but none is invented. */
static void layer_add(struct page *page, struct origin *origin, unsigned kind,
                      const struct set *set, uint64_t pc)
{
    struct bitmap *bitmap = NULL;
    struct layer *layer;

    if (over_budget()) {
        my->dropped++;
        return;
    }
    if (set->words && !(bitmap = bitmap_intern(set->words)))
        return;
    layer = layers_append(page);
    if (!layer) {
        bitmap_release(bitmap);
        return;
    }
    *layer = (struct layer){origin_ref(origin), pc,   bitmap, set->lo, set->hi,
                            (uint8_t)kind,      false};
}

/* Two atomics in one place need no order, but what they return may tell it. */
static void tell_use(const struct layer *layer, struct origin *origin,
                     unsigned kind, const struct set *set)
{
    const uint32_t number = layer->origin->number;

    if (!number || !origin->number || number == origin->used ||
        (kind == VGPU_READ && layer->kind == VGPU_READ) ||
        layer->hi <= set->lo || set->hi <= layer->lo ||
        !set_intersect(set, layer).bytes)
        return;
    origin->used = number;
    my->use(number, origin->number);
}

void vgpu_check_set_use(void (*fn)(uint32_t from, uint32_t to))
{
    my->use = fn;
}

/* Look at one earlier layer. Return: whether it is of no use any more. */
static bool layer_meet(const struct page *page, struct layer *layer,
                       struct origin *origin, unsigned kind,
                       const struct set *set, uint64_t pc)
{
    struct overlap overlap;
    enum flag_sort flag;
    unsigned reader = 0;

    if (my->use)
        tell_use(layer, origin, kind, set);
    if (origin_settled(layer->origin))
        return true;
    if (origin_before(layer->origin, origin))
        return replaces(kind, layer->kind) && layer_subtract(layer, set);
    if ((kind == VGPU_READ && layer->kind == VGPU_READ) ||
        !unordered(page, layer->origin, origin))
        return false;
    overlap = set_intersect(set, layer);
    if (!overlap.bytes)
        return false;
    flag = flag_find(
        (struct flag_side[]){{layer->origin, layer->pc, layer->kind,
                              (unsigned)(layer->hi - layer->lo)},
                             {origin, pc, kind, (unsigned)(set->hi - set->lo)}},
        &overlap, &reader);
    if (conflicts(layer->kind, kind) && flag != FLAG_FINE)
        hazard_add(layer, &(struct touch){origin, kind, pc, flag, reader == 1},
                   page, &overlap);
    return false;
}

/* Memory that was freed in the order of a stream, by one behind that. One use
 * is enough to tell. */
static void left_used(struct vgpu_memory *memory, const struct origin *origin,
                      unsigned kind)
{
    report_freed(memory, origin, kind);
    origin_release(memory->left);
    memory->left = NULL;
}

/* Layers that are of no use any more are dropped on the way, and the others
 * move up: no other pass ever cleans a page. */
void page_touch(struct page *page, struct origin *origin, unsigned kind,
                const struct set *set, uint64_t pc)
{
    struct layers *layers = page->layers;
    struct layer *same = NULL;
    uint32_t kept = 0;

    variable_watch(page, origin, kind, set, pc);
    if (UNLIKELY(page->memory && page->memory->left) &&
        origin_before(page->memory->left, origin))
        left_used(page->memory, origin, kind);
    if (kind != VGPU_READ)
        written_add(page, set);
    for (uint32_t i = 0; layers && i < layers->count; i++) {
        struct layer *layer = &layers->at[i];

        if (layer->origin != origin &&
            layer_meet(page, layer, origin, kind, set, pc)) {
            layer_clear(layer);
            continue;
        }
        if (kept != i)
            layers->at[kept] = *layer;
        layer = &layers->at[kept++];
        if (layer->origin == origin && layer->kind == kind && layer->pc == pc)
            same = layer;
    }
    if (layers)
        layers->count = kept;
    if (same)
        layer_extend(page, same, set);
    else
        layer_add(page, origin, kind, set, pc);
}
