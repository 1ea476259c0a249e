/*
 * cluster.c: thread block clusters: blocks that are on the device at once, wait
 * for each other, and reach each other's shared memory.
 *
 * Each block has a state of its own as long as any of the cluster needs its
 * memory. They begin one after the other; one that comes to the cluster's
 * barrier waits there as at a grid's (grid.c), and goes on when all have come.
 * What a block declares as __shared__ lies at the same place in all of them.
 *
 * Source: guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX ISA,
 * barrier.cluster.
 * Differs: barrier_arrive does nothing, and barrier_wait waits for all.
 */
#include "block.h"

#include <stdlib.h>

#include "vgpu_check.h"

uint32_t vgpu_cluster_size(const struct vgpu_exec *exec)
{
    const uint32_t *c = exec->cluster;

    return c[0] ? c[0] * c[1] * c[2] : 1;
}

struct vgpu_cluster *vgpu_cluster_take(const struct vgpu_exec *exec,
                                       struct vgpu_exec_result *result,
                                       uint64_t random, uint64_t launch)
{
    struct vgpu_cluster *cluster = calloc(1, sizeof *cluster);
    const uint32_t wanted = vgpu_cluster_size(exec);

    if (!cluster)
        return NULL;
    for (; cluster->count < wanted; cluster->count++) {
        struct vgpu_block *block =
            vgpu_block_take(exec, result, random, launch);

        if (!block)
            break;
        block->cluster = cluster;
        block->rank = cluster->count;
        cluster->blocks[block->rank] = block;
        cluster->shared[block->rank] = (uintptr_t)block->shared.base;
    }
    if (cluster->count == wanted)
        return cluster;
    while (cluster->count)
        vgpu_block_give(cluster->blocks[--cluster->count]);
    free(cluster);
    return NULL;
}

uint64_t vgpu_cluster_place(const struct vgpu_exec *exec, uint64_t at,
                            uint32_t rank)
{
    const uint32_t *c = exec->cluster, *g = exec->grid;
    uint64_t place[3], of = at;

    if (vgpu_cluster_size(exec) == 1)
        return at;
    for (int i = 0; i < 3; i++) {
        const uint32_t along = g[i] / c[i];

        place[i] = of % along * c[i] + rank % c[i];
        of /= along;
        rank /= c[i];
    }
    return (place[2] * g[1] + place[1]) * g[0] + place[0];
}

void vgpu_cluster_leave(struct vgpu_block *block)
{
    struct vgpu_cluster *const cluster = block->cluster;

    block->left = true;
    if (++cluster->left < cluster->count)
        return;
    for (uint32_t i = 0; i < cluster->count; i++)
        vgpu_block_give(cluster->blocks[i]);
    free(cluster);
}

bool vgpu_cluster_meets(struct vgpu_block *block)
{
    struct vgpu_cluster *const cluster = block->cluster;
    uint32_t come = cluster->left;

    if (block->meets)
        return true;
    for (uint32_t i = 0; i < cluster->count; i++)
        come += cluster->blocks[i]->at_cluster && !cluster->blocks[i]->meets;
    if (come < cluster->count)
        return false;
    for (uint32_t i = 0; i < cluster->count; i++) {
        struct vgpu_block *const other = cluster->blocks[i];

        other->meets = other->at_cluster;
        if (other->meets && other->watched)
            vgpu_race_cluster(other->race);
    }
    return true;
}

struct vgpu_block *vgpu_cluster_owner(const struct vgpu_block *block,
                                      const void *address)
{
    struct vgpu_cluster *const cluster = block->cluster;

    if (vgpu_shared_contains(&block->shared, address, NULL))
        return (struct vgpu_block *)(uintptr_t)block;
    for (uint32_t i = 0; cluster && i < cluster->count; i++)
        if (vgpu_shared_contains(&cluster->blocks[i]->shared, address, NULL))
            return cluster->blocks[i];
    return NULL;
}

/* ---- what device code asks ------------------------------------------------
 */

/* Every function here that is not static is for programs. */
#pragma GCC visibility push(default)

void vgpu_cluster_sync(const void *pc);
void *vgpu_cluster_map(const void *address, unsigned int rank);
unsigned int vgpu_cluster_whose(const void *address);

/* Without a cluster a block is one by itself. */
void vgpu_cluster_sync(const void *pc)
{
    const struct vgpu_block *block = vgpu_block_required("cluster.sync()");

    vgpu_barrier_wait(block->cluster ? VGPU_BARRIER_CLUSTER
                                     : VGPU_BARRIER_PLAIN,
                      0, (uint64_t)(uintptr_t)pc);
}

struct uint3 vgpu_cluster_extent(void)
{
    const uint32_t *c = vgpu_block_required("cluster")->exec->cluster;

    return c[0] ? (struct uint3){c[0], c[1], c[2]} : (struct uint3){1, 1, 1};
}

/* The block's place in its cluster. */
struct uint3 vgpu_cluster_at(void)
{
    const struct uint3 *at =
        &vgpu_block_required("cluster")->geometry.block_index;
    const struct uint3 of = vgpu_cluster_extent();

    return (struct uint3){at->x % of.x, at->y % of.y, at->z % of.z};
}

unsigned int vgpu_cluster_rank(void)
{
    return vgpu_block_required("cluster")->rank;
}

/* Did the launch or the kernel name a cluster? */
int vgpu_cluster_explicit(void)
{
    return vgpu_block_required("cluster")->exec->cluster[0] != 0;
}

/* The same variable in the shared memory of another block, which must be there
 * (codes: observed). */
void *vgpu_cluster_map(const void *address, unsigned int rank)
{
    const struct vgpu_block *block = vgpu_block_required("map_shared_rank");
    const struct vgpu_block *owner = vgpu_cluster_owner(block, address);
    const struct vgpu_block *to = block;

    if (!owner)
        vgpu_exec_abort(VGPU_EXEC_ILLEGAL_ADDRESS,
                        "map_shared_rank of what is no shared memory");
    if (block->cluster ? rank >= block->cluster->count : rank > 0)
        vgpu_exec_abort(block->cluster ? VGPU_EXEC_TRAP
                                       : VGPU_EXEC_NO_INSTRUCTION,
                        "map_shared_rank to a block that its cluster has not");
    if (block->cluster)
        to = block->cluster->blocks[rank];
    if (to->left)
        vgpu_exec_abort(VGPU_EXEC_TRAP,
                        "map_shared_rank to a block that has ended");
    return to->shared.base + ((const char *)address - owner->shared.base);
}

unsigned int vgpu_cluster_whose(const void *address)
{
    const struct vgpu_block *owner =
        vgpu_cluster_owner(vgpu_block_required("query_shared_rank"), address);

    return owner ? owner->rank : ~0u;
}

#pragma GCC visibility pop
