/* clock.c: vector clocks, shared until one of them is written to */
#include <stddef.h>
#include <stdlib.h>
#include "check_state.h"

/*
 * A clock says, for each slot, up to which epoch its owner knows. It is a tree
 * whose parts clocks share until one of them writes: what differs is what it
 * takes, so that a hundred thousand operations of as many streams stay small.
 */
enum { BITS = 4, WIDTH = 1 << BITS };

/* Of one level: a leaf has epochs, the others have children. NULL: all zero. */
struct node {
    uint32_t refs;
    union {
        uint32_t epoch[WIDTH];
        struct node *child[WIDTH];
    };
};

struct vgpu_clock {
    uint32_t refs;
    uint32_t level; /* of the root; 0: it is a leaf */
    struct node *root;
};

/* A clock is as large as it has to be: what lies beyond is not known, which is
 * 0. */
uint32_t clock_get(const struct vgpu_clock *clock, uint32_t slot)
{
    const struct node *node;

    if (!clock || (uint64_t)slot >> BITS * (clock->level + 1))
        return 0;
    node = clock->root;
    for (uint32_t level = clock->level; node && level; level--)
        node = node->child[slot >> BITS * level & (WIDTH - 1)];
    return node ? node->epoch[slot & (WIDTH - 1)] : 0;
}

/* Clocks are counted and never changed while more than one has them: to keep an
 * operation's clock is to count it. */
struct vgpu_clock *clock_ref(struct vgpu_clock *clock)
{
    if (clock)
        clock->refs++;
    return clock;
}

static void node_release(struct node *node, uint32_t level)
{
    if (!node || --node->refs)
        return;
    for (int i = 0; level && i < WIDTH; i++)
        node_release(node->child[i], level - 1);
    free(node);
}

void clock_release(struct vgpu_clock *clock)
{
    if (!clock || --clock->refs)
        return;
    node_release(clock->root, clock->level);
    free(clock);
}

/* To write to; takes @node over. */
static struct node *node_own(struct node *node, uint32_t level)
{
    struct node *own;

    if (node && node->refs == 1)
        return node;
    own = calloc(1, level ? sizeof *own
                          : offsetof(struct node, epoch) + sizeof own->epoch);
    if (!own)
        abort();
    own->refs = 1;
    if (!node)
        return own;
    for (int i = 0; i < WIDTH; i++) {
        if (!level)
            own->epoch[i] = node->epoch[i];
        else if ((own->child[i] = node->child[i]))
            own->child[i]->refs++;
    }
    node->refs--;
    return own;
}

/* A clock of its own whose root is at least of @level; takes @clock over. */
static struct vgpu_clock *clock_own(struct vgpu_clock *clock, uint32_t level)
{
    struct vgpu_clock *own = clock;

    if (!clock || clock->refs > 1) {
        own = calloc(1, sizeof *own);
        if (!own)
            abort();
        own->refs = 1;
        if (clock && (own->root = clock->root))
            own->root->refs++;
        own->level = clock ? clock->level : 0;
        clock_release(clock);
    }
    for (; own->level < level; own->level++) {
        struct node *const below = own->root;

        if (!below)
            continue;
        own->root = node_own(NULL, own->level + 1);
        own->root->child[0] = below;
    }
    return own;
}

/* Without memory the checker ends the program: a clock that has lost an entry
 * would report hazards that are none. */
struct vgpu_clock *clock_set(struct vgpu_clock *clock, uint32_t slot,
                             uint32_t epoch)
{
    struct node **at;
    uint32_t level = 0;

    while ((uint64_t)slot >> BITS * (level + 1))
        level++;
    clock = clock_own(clock, level);
    at = &clock->root;
    for (level = clock->level; level; level--) {
        *at = node_own(*at, level);
        at = &(*at)->child[slot >> BITS * level & (WIDTH - 1)];
    }
    *at = node_own(*at, 0);
    (*at)->epoch[slot & (WIDTH - 1)] = epoch;
    return clock;
}

static bool leaf_covers(const struct node *a, const struct node *b)
{
    for (int i = 0; i < WIDTH; i++)
        if (b->epoch[i] && (!a || a->epoch[i] < b->epoch[i]))
            return false;
    return true;
}

/* @a, of level @up, knows all that @b, of @level, knows. */
static bool covers(const struct node *a, uint32_t up, const struct node *b,
                   uint32_t level)
{
    if (!b || (a == b && up == level))
        return true;
    if (up > level)
        return covers(a ? a->child[0] : NULL, up - 1, b, level);
    if (!level)
        return leaf_covers(a, b);
    for (int i = 0; i < WIDTH; i++) {
        const bool below = level > up;

        if (b->child[i] &&
            !covers(below ? (i ? NULL : a) : (a ? a->child[i] : NULL),
                    below && !i ? up : level - 1, b->child[i], level - 1))
            return false;
    }
    return true;
}

/* @at learns what @theirs, which it does not cover, knows. */
static void node_join(struct node **at, struct node *theirs, uint32_t level)
{
    struct node *ours = *at;

    if (!ours || covers(theirs, level, ours, level)) {
        theirs->refs++;
        node_release(ours, level);
        *at = theirs;
        return;
    }
    ours = *at = node_own(ours, level);
    for (int i = 0; i < WIDTH; i++) {
        if (!level) {
            if (ours->epoch[i] < theirs->epoch[i])
                ours->epoch[i] = theirs->epoch[i];
        } else if (ours->child[i] != theirs->child[i] &&
                   !covers(ours->child[i], level - 1, theirs->child[i],
                           level - 1)) {
            node_join(&ours->child[i], theirs->child[i], level - 1);
        }
    }
}

/* @into learns what @from knows; takes @into over. */
struct vgpu_clock *clock_join(struct vgpu_clock *into,
                              const struct vgpu_clock *from)
{
    struct node **at;

    if (!from || from == into)
        return into;
    if (!into)
        return clock_ref((struct vgpu_clock *)from);
    if (covers(into->root, into->level, from->root, from->level))
        return into;
    into = clock_own(into, from->level);
    at = &into->root;
    for (uint32_t level = into->level; level > from->level; level--) {
        *at = node_own(*at, level);
        at = &(*at)->child[0];
    }
    node_join(at, from->root, from->level);
    return into;
}

struct vgpu_clock *clock_empty(void)
{
    return clock_own(NULL, 0);
}
