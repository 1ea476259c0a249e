/*
 * race_found.c: collects the races of one kernel, so that one mistake makes one
 * report. What is a race is race.c's question.
 */
#include <stdio.h>
#include <string.h>
#include "race.h"

MY_PART(race);

/* Where it is, in the program's words. */
static void place_fill(struct race *race, uintptr_t address)
{
    struct vgpu_memory *memory = NULL;
    const struct variable *variable = NULL;
    uintptr_t base = 0;
    size_t bytes = 0;
    const char *name;

    if (race_shared(address) && checker.fault.device.shared) {
        name = checker.fault.device.shared((void *)address, &base, &bytes);
        snprintf(race->place, sizeof race->place, "__shared__ %s (%zu bytes)",
                 name, bytes);
    } else {
        memory = memory_find(address);
        variable = variable_in(memory, address, &base);
        if (variable) {
            snprintf(race->place, sizeof race->place,
                     "the variable %s (%zu bytes)", variable->name,
                     variable->bytes);
        } else if (memory) {
            char from[96];

            base = (uintptr_t)memory->base;
            memory->unordered = true; /* what is read there is written */
            snprintf(race->place, sizeof race->place,
                     "buffer %u (%zu bytes, %s, allocated at %s)", memory->id,
                     memory->bytes, memory_kind_name(memory->kind),
                     vgpu_line_format(memory->pc, from, sizeof from));
        }
    }
    race->at = address - base;
}

static bool same_pair(const struct race *a, const struct race *b)
{
    return a->side[0].pc == b->side[0].pc && a->side[1].pc == b->side[1].pc &&
           a->side[0].set == b->side[0].set && a->side[1].set == b->side[1].set;
}

/* Told is where the threads of a pair of lines are the farthest apart: what
 * orders those orders all. */
void race_add(const struct race *found)
{
    struct race *race = my->races;
    uint64_t count = 0;

    while (race < my->races + my->races_count && !same_pair(race, found))
        race++;
    if (race == my->races + RACES)
        return;
    if (race == my->races + my->races_count)
        my->races_count++;
    else
        count = race->count;
    if (!count || found->scope > race->scope) {
        *race = *found;
        place_fill(race, race->lo);
    }
    race->count = count + 1;
}

/* A read that an atomic settles: whether it is of that sort shows only when the
 * kernel has ended. */
static bool is_meant(const struct race *race)
{
    for (int i = 0; i < 2; i++)
        if (race->side[i].set == SET_READ && race->side[!i].set == SET_ATOMIC &&
            race_tries(race->side[i].pc))
            return true;
    return false;
}

static void mark_crowded(struct race *race)
{
    const int write = race->side[0].set != SET_WRITE;

    for (unsigned i = 0; i < my->races_count; i++)
        if (my->races[i].side[0].set == SET_WRITE &&
            my->races[i].side[1].set == SET_WRITE &&
            my->races[i].side[0].pc == race->side[write].pc &&
            my->races[i].side[1].pc == race->side[write].pc)
            race->crowded = true;
}

/* A compiler makes several accesses of a line, and each is a race here: told
 * is, once more, the one whose threads are the farthest apart. */
static void merge_into(struct race *race, struct race *other)
{
    const bool crowded = race->crowded || other->crowded;
    const uint64_t count = race->count + other->count;

    if (!vgpu_line_same(race->side[0].pc, other->side[0].pc) ||
        !vgpu_line_same(race->side[1].pc, other->side[1].pc) || is_meant(other))
        return;
    if (other->scope > race->scope)
        *race = *other;
    race->crowded = crowded;
    race->count = count;
    other->count = 0;
}

void race_report(const struct origin *origin)
{
    for (unsigned i = 0; i < my->races_count; i++)
        mark_crowded(&my->races[i]);
    for (unsigned i = 0; i < my->races_count; i++) {
        if (!my->races[i].count || is_meant(&my->races[i]))
            continue;
        for (unsigned k = i + 1; k < my->races_count; k++)
            if (my->races[k].count)
                merge_into(&my->races[i], &my->races[k]);
        report_race(&my->races[i], origin);
    }
    my->races_count = 0;
}
