/* hazard.c: collects conflicts, so that one mistake makes one report */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

MY_PART(hazard);

/*
 * A loop makes the same conflict page after page: it is collected here until
 * something else happens, and then reported with its whole range. A pair of
 * program counters is collected once.
 */
static bool same_pair(const uint64_t *pc, const uint8_t *kind,
                      const struct hazard *hazard)
{
    return pc[0] == hazard->pc[0] && pc[1] == hazard->pc[1] &&
           kind[0] == hazard->kind[0] && kind[1] == hazard->kind[1];
}

/* Return: whether the pair is new. Open addressing, and no entry is
 * removed but with all others. A full table sees nothing new: by then thousands
 * of pairs have been reported. */
static bool see(const struct hazard *hazard)
{
    uint64_t hash = hazard->pc[0] * 0x9E3779B97F4A7C15ULL;
    size_t at;

    hash = (hash ^ hazard->pc[1]) * 0x9E3779B97F4A7C15ULL;
    hash ^= (uint64_t)(hazard->kind[0] * 8 + hazard->kind[1]) << 40;
    at = (hash >> 40) % SEEN;
    for (; my->seen[at].used; at = (at + 1) % SEEN)
        if (same_pair(my->seen[at].pc, my->seen[at].kind, hazard))
            return false;
    if (my->seen_count > SEEN / 2)
        return false;
    my->seen[at] = (struct seen){{hazard->pc[0], hazard->pc[1]},
                                 {hazard->kind[0], hazard->kind[1]},
                                 true};
    my->seen_count++;
    return true;
}

void hazard_flush(void)
{
    unsigned count = my->collected_count;

    my->collected_count = 0;
    for (unsigned i = 0; i < count; i++) {
        report_hazard(&my->collected[i]);
        origin_release(my->collected[i].origin[0]);
        origin_release(my->collected[i].origin[1]);
    }
}

void vgpu_check_region(void)
{
    check_lock();
    hazard_flush();
    unwritten_tell(NULL);
    if (my->seen_count > 0)
        memset(my->seen, 0, sizeof my->seen);
    my->seen_count = 0;
    check_unlock();
}

/* In bytes from the buffer's beginning, or plain addresses for memory that is
 * nobody's buffer. */
static void describe(struct hazard *hazard, const struct page *page,
                     const struct overlap *overlap)
{
    const struct vgpu_memory *memory = page->memory;
    uintptr_t address = page_address(page);
    const struct variable *variable =
        variable_in(memory, address + overlap->lo, &hazard->base);

    if (variable || (memory && !memory->id)) {
        hazard->variable = variable ? variable->name : "of kernels' heap";
        hazard->memory_bytes = variable ? variable->bytes : memory->bytes;
        hazard->memory_kind = memory->kind;
        if (!variable)
            hazard->base = (uintptr_t)memory->base;
    } else if (memory) {
        hazard->memory = memory->id;
        hazard->memory_kind = memory->kind;
        hazard->memory_device = memory->device;
        hazard->memory_pc = memory->pc;
        hazard->memory_bytes = memory->bytes;
        hazard->base = (uintptr_t)memory->base;
    }
    hazard->lo = address + overlap->lo - hazard->base;
    hazard->hi = address + overlap->hi - hazard->base;
    /* Neighbours are another mistake of the same lines. */
    if (variable && hazard->hi > variable->bytes)
        hazard->hi = variable->bytes;
    if (variable && hazard->bytes > hazard->hi - hazard->lo)
        hazard->bytes = hazard->hi - hazard->lo;
}

/* Does @found belong to one that is being collected? Then it is in it now. */
static bool extend(const struct hazard *found)
{
    for (unsigned i = 0; i < my->collected_count; i++) {
        struct hazard *hazard = &my->collected[i];

        if (hazard->origin[0] != found->origin[0] ||
            hazard->origin[1] != found->origin[1] ||
            hazard->base != found->base ||
            !same_pair(found->pc, found->kind, hazard))
            continue;
        if (found->lo < hazard->lo)
            hazard->lo = found->lo;
        if (found->hi > hazard->hi)
            hazard->hi = found->hi;
        hazard->bytes += found->bytes;
        return true;
    }
    return false;
}

/* Sides are put into the order of the calls, whichever was done first: a report
 * then reads like the program. */
void hazard_add(const struct layer *layer, const struct touch *touch,
                const struct page *page, const struct overlap *overlap)
{
    bool later = touch->origin->seq > layer->origin->seq;
    struct hazard found = {.bytes = overlap->bytes, .flag = touch->flag};

    if (my->observer) {
        uintptr_t base = page_address(page);

        my->observer(layer, touch->pc, touch->kind, base + overlap->lo,
                     base + overlap->hi, overlap->bytes);
        return;
    }
    if (page->memory)
        page->memory->unordered = true;
    found.reader = touch->reads_flag ? later : !later;
    found.origin[later] = touch->origin;
    found.kind[later] = (uint8_t)touch->kind;
    found.pc[later] = touch->pc;
    found.origin[!later] = layer->origin;
    found.kind[!later] = layer->kind;
    found.pc[!later] = layer->pc;
    describe(&found, page, overlap);
    if (extend(&found) || !see(&found))
        return;
    if (my->collected_count == COLLECTED)
        hazard_flush();
    origin_ref(found.origin[0]);
    origin_ref(found.origin[1]);
    my->collected[my->collected_count++] = found;
}
