/*
 * cooperative_groups.h: groups of threads as objects: the grid, the block,
 * tiles of a warp, the threads that have come together.
 *
 * Source: CUDA C++ Programming Guide, "Cooperative Groups". Each is a few
 * words about the barriers, votes and shuffles of vgpu/device.h.
 *
 * Differs: tiles of more than 32 threads do not compile. A grid's
 * and a cluster's barrier_arrive does nothing: all threads wait for all in
 * barrier_wait.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include <string.h>

#include "cuda_runtime.h"

#define VGPU_GROUP __attribute__((always_inline)) inline

/* Reports name the program's line: who calls this has a caller of its own. */
#define VGPU_GRID_SYNC __attribute__((noinline)) inline
int vgpu_grid_valid() VGPU_BOUND(grid_valid);
void vgpu_grid_sync(const void *pc) VGPU_BOUND(grid_sync);
void vgpu_cluster_sync(const void *pc) VGPU_BOUND(cluster_sync);
void *vgpu_cluster_map(const void *at, unsigned int rank)
    VGPU_BOUND(cluster_map);
unsigned int vgpu_cluster_whose(const void *at) VGPU_BOUND(cluster_whose);

namespace cooperative_groups
{

namespace details
{

VGPU_GROUP unsigned int volume(dim3 extent)
{
    return extent.x * extent.y * extent.z;
}

VGPU_GROUP unsigned int block_rank()
{
    return ::vgpu_thread_rank();
}

VGPU_GROUP unsigned int block_size()
{
    return volume(::vgpu_block_extent());
}

VGPU_GROUP unsigned int lane()
{
    return block_rank() % 32;
}

/* The lanes of @mask below the caller's. */
VGPU_GROUP unsigned int rank_of(unsigned int mask)
{
    return (unsigned int)__popc(mask & ((1u << lane()) - 1));
}

/* The lane of a member, by its rank. */
VGPU_GROUP int lane_of(unsigned int mask, unsigned int rank)
{
    for (; rank; rank--)
        mask &= mask - 1;
    return __ffs((int)mask) - 1;
}

/* The bits of @lanes that are @mask's, moved together. */
VGPU_GROUP unsigned int gather(unsigned int mask, unsigned int lanes)
{
    unsigned int bits = 0;

    for (unsigned int i = 0; mask; i++, mask &= mask - 1)
        bits |= (lanes & mask & (0u - mask) ? 1u : 0u) << i;
    return bits;
}

/* What __shfl_sync takes goes as it is, everything else word by word. */
template <class T>
struct is_word {
    static const bool value = false;
};
#define VGPU_WORD(type)                                                        \
    template <>                                                                \
    struct is_word<type> {                                                     \
        static const bool value = true;                                        \
    };
VGPU_WORD(int)
VGPU_WORD(unsigned int)
VGPU_WORD(long)
VGPU_WORD(unsigned long)
VGPU_WORD(long long)
VGPU_WORD(unsigned long long)
VGPU_WORD(float)
VGPU_WORD(double)
#undef VGPU_WORD

/* @value of lane @source. */
template <class T>
VGPU_GROUP T from_lane(unsigned int mask, T value, int source)
{
    if constexpr (is_word<T>::value) {
        return __shfl_sync(mask, value, source);
    } else {
        static_assert(sizeof(T) <= 32, "a shuffle moves 32 bytes at most");
        unsigned int words[(sizeof(T) + 3) / 4] = {};

        __builtin_memcpy(words, &value, sizeof value);
        for (unsigned int &word : words)
            word = __shfl_sync(mask, word, source);
        __builtin_memcpy(&value, words, sizeof value);
        return value;
    }
}

} // namespace details

/* ---- any group ----------------------------------------------------------- */

/* What a function takes that does not care which kind of group it gets. */
struct thread_group {
    VGPU_GROUP void sync() const
    {
        if (is_block)
            __syncthreads();
        else
            __syncwarp(mask);
    }
    VGPU_GROUP unsigned int size() const
    {
        return is_block ? details::block_size() : (unsigned int)__popc(mask);
    }
    VGPU_GROUP unsigned int num_threads() const
    {
        return size();
    }
    VGPU_GROUP unsigned int thread_rank() const
    {
        return is_block ? details::block_rank() : details::rank_of(mask);
    }
    VGPU_GROUP bool is_valid() const
    {
        return true;
    }

  protected:
    VGPU_GROUP thread_group(bool block, unsigned int lanes)
        : is_block(block), mask(lanes)
    {
    }
    bool is_block;
    unsigned int mask; /* unless it is the block */

    friend thread_group tiled_partition(const thread_group &, unsigned int);
};

/* ---- the block ----------------------------------------------------------- */

struct thread_block : public thread_group {
    static VGPU_GROUP void sync()
    {
        __syncthreads();
    }
    static VGPU_GROUP unsigned int size()
    {
        return details::block_size();
    }
    static VGPU_GROUP unsigned int num_threads()
    {
        return details::block_size();
    }
    static VGPU_GROUP unsigned int thread_rank()
    {
        return details::block_rank();
    }
    static VGPU_GROUP dim3 group_index()
    {
        return ::vgpu_block_index();
    }
    static VGPU_GROUP dim3 thread_index()
    {
        return ::vgpu_thread_index();
    }
    static VGPU_GROUP dim3 group_dim()
    {
        return ::vgpu_block_extent();
    }
    static VGPU_GROUP dim3 dim_threads()
    {
        return ::vgpu_block_extent();
    }

  private:
    VGPU_GROUP thread_block() : thread_group(true, 0)
    {
    }
    friend VGPU_GROUP thread_block this_thread_block();
};

VGPU_GROUP thread_block this_thread_block()
{
    return thread_block();
}

/* ---- the grid ------------------------------------------------------------ */

/* Its blocks wait for each other in a kernel that was launched cooperatively.
 */
struct grid_group {
    using arrival_token = unsigned int;

    VGPU_GRID_SYNC void sync() const
    {
        ::vgpu_grid_sync(VGPU_CALLER());
    }
    VGPU_GROUP arrival_token barrier_arrive() const
    {
        return 0;
    }
    VGPU_GRID_SYNC void barrier_wait(arrival_token &&) const
    {
        ::vgpu_grid_sync(VGPU_CALLER());
    }
    VGPU_GROUP bool is_valid() const
    {
        return ::vgpu_grid_valid();
    }
    static VGPU_GROUP unsigned long long size()
    {
        return num_blocks() * details::block_size();
    }
    static VGPU_GROUP unsigned long long num_threads()
    {
        return size();
    }
    static VGPU_GROUP unsigned long long thread_rank()
    {
        return block_rank() * details::block_size() + details::block_rank();
    }
    static VGPU_GROUP unsigned long long num_blocks()
    {
        const uint3 grid = ::vgpu_grid_extent();

        return (unsigned long long)grid.x * grid.y * grid.z;
    }
    static VGPU_GROUP unsigned long long block_rank()
    {
        const uint3 at = ::vgpu_block_index(), grid = ::vgpu_grid_extent();

        return ((unsigned long long)at.z * grid.y + at.y) * grid.x + at.x;
    }
    static VGPU_GROUP dim3 block_index()
    {
        return ::vgpu_block_index();
    }
    static VGPU_GROUP dim3 dim_blocks()
    {
        return ::vgpu_grid_extent();
    }
    static VGPU_GROUP dim3 group_dim()
    {
        return ::vgpu_grid_extent();
    }
    static VGPU_GROUP dim3 dim_clusters()
    {
        const uint3 grid = ::vgpu_grid_extent(), of = ::vgpu_cluster_extent();

        return dim3(grid.x / of.x, grid.y / of.y, grid.z / of.z);
    }
    static VGPU_GROUP unsigned long long num_clusters()
    {
        const dim3 of = dim_clusters();

        return (unsigned long long)of.x * of.y * of.z;
    }
    static VGPU_GROUP dim3 cluster_index()
    {
        const uint3 at = ::vgpu_block_index(), of = ::vgpu_cluster_extent();

        return dim3(at.x / of.x, at.y / of.y, at.z / of.z);
    }
    static VGPU_GROUP unsigned long long cluster_rank()
    {
        const dim3 at = cluster_index(), of = dim_clusters();

        return ((unsigned long long)at.z * of.y + at.y) * of.x + at.x;
    }
};

VGPU_GROUP grid_group this_grid()
{
    return grid_group();
}

/* ---- the cluster --------------------------------------------------------- */

/* Blocks that reach each other's shared memory; without one a block by itself.
 */
struct cluster_group {
    struct arrival_token {
    };

    static VGPU_GRID_SYNC void sync()
    {
        ::vgpu_cluster_sync(VGPU_CALLER());
    }
    static VGPU_GROUP arrival_token barrier_arrive()
    {
        return arrival_token();
    }
    static VGPU_GRID_SYNC void barrier_wait()
    {
        ::vgpu_cluster_sync(VGPU_CALLER());
    }
    static VGPU_GRID_SYNC void barrier_wait(arrival_token &&)
    {
        ::vgpu_cluster_sync(VGPU_CALLER());
    }
    template <class T>
    static VGPU_GROUP T *map_shared_rank(T *at, int rank)
    {
        return (T *)::vgpu_cluster_map((const void *)at, (unsigned int)rank);
    }
    static VGPU_GROUP unsigned int query_shared_rank(const void *at)
    {
        return ::vgpu_cluster_whose(at);
    }
    static VGPU_GROUP bool is_valid()
    {
        return true;
    }
    static VGPU_GROUP dim3 dim_blocks()
    {
        return ::vgpu_cluster_extent();
    }
    static VGPU_GROUP unsigned int num_blocks()
    {
        return details::volume(dim_blocks());
    }
    static VGPU_GROUP dim3 block_index()
    {
        return ::vgpu_cluster_at();
    }
    static VGPU_GROUP unsigned int block_rank()
    {
        return ::vgpu_cluster_rank();
    }
    static VGPU_GROUP dim3 dim_threads()
    {
        const dim3 of = dim_blocks();
        const uint3 block = ::vgpu_block_extent();

        return dim3(of.x * block.x, of.y * block.y, of.z * block.z);
    }
    static VGPU_GROUP unsigned int num_threads()
    {
        return num_blocks() * details::block_size();
    }
    static VGPU_GROUP unsigned int size()
    {
        return num_threads();
    }
    static VGPU_GROUP dim3 thread_index()
    {
        const dim3 at = block_index();
        const uint3 block = ::vgpu_block_extent(), t = ::vgpu_thread_index();

        return dim3(at.x * block.x + t.x, at.y * block.y + t.y,
                    at.z * block.z + t.z);
    }
    static VGPU_GROUP unsigned int thread_rank()
    {
        return block_rank() * details::block_size() + details::block_rank();
    }
};

VGPU_GROUP cluster_group this_cluster()
{
    return cluster_group();
}

/* ---- tiles of a warp ----------------------------------------------------- */

/* Of a group of that kind; one of no kind in particular is what functions take,
 * and deduce the size of. */
template <unsigned int Size, class Parent = void>
struct thread_block_tile : public thread_block_tile<Size, void> {
    VGPU_GROUP thread_block_tile()
    {
    }
    template <class Other> /* whatever it was made of */
    VGPU_GROUP thread_block_tile(const thread_block_tile<Size, Other> &)
    {
    }
};

template <unsigned int Size>
struct thread_block_tile<Size, void> : public thread_group {
    static_assert(Size > 0 && (Size & (Size - 1)) == 0,
                  "the size of a tile is a power of two");
    static_assert(Size <= 32, "tiles of more than 32 threads are not supported "
                              "by the virtual GPU");

    VGPU_GROUP thread_block_tile()
        : thread_group(false, Size == 32 ? ~0u
                                         : ((1u << Size % 32) - 1)
                                               << details::lane() / Size * Size)
    {
    }
    template <class Other> /* whatever it was made of */
    VGPU_GROUP thread_block_tile(const thread_block_tile<Size, Other> &)
        : thread_block_tile()
    {
    }
    VGPU_GROUP void sync() const
    {
        __syncwarp(mask);
    }
    static VGPU_GROUP constexpr unsigned int size()
    {
        return Size;
    }
    static VGPU_GROUP constexpr unsigned int num_threads()
    {
        return Size;
    }
    static VGPU_GROUP unsigned int thread_rank()
    {
        return details::block_rank() % Size;
    }
    static VGPU_GROUP unsigned int meta_group_rank()
    {
        return details::block_rank() / Size;
    }
    static VGPU_GROUP unsigned int meta_group_size()
    {
        return (details::block_size() + Size - 1) / Size;
    }

    template <class T>
    VGPU_GROUP T shfl(T value, int source) const
    {
        return at(value, source & (int)(Size - 1));
    }
    template <class T>
    VGPU_GROUP T shfl_up(T value, unsigned int delta) const
    {
        const unsigned int rank = thread_rank();

        return at(value, (int)(rank < delta ? rank : rank - delta));
    }
    template <class T>
    VGPU_GROUP T shfl_down(T value, unsigned int delta) const
    {
        const unsigned int rank = thread_rank();

        return at(value, (int)(rank + delta < Size ? rank + delta : rank));
    }
    template <class T>
    VGPU_GROUP T shfl_xor(T value, unsigned int lanes) const
    {
        const unsigned int to = thread_rank() ^ lanes;

        return at(value, (int)(to < Size ? to : thread_rank()));
    }
    VGPU_GROUP int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    VGPU_GROUP int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
    VGPU_GROUP unsigned int ballot(int predicate) const
    {
        return __ballot_sync(mask, predicate) >> base();
    }
    template <class T>
    VGPU_GROUP unsigned int match_any(T value) const
    {
        return __match_any_sync(mask, value) >> base();
    }
    template <class T>
    VGPU_GROUP unsigned int match_all(T value, int &predicate) const
    {
        return __match_all_sync(mask, value, &predicate) >> base();
    }

  private:
    VGPU_GROUP unsigned int base() const
    {
        return details::lane() / Size * Size;
    }
    template <class T>
    VGPU_GROUP T at(T value, int rank) const
    {
        return details::from_lane(mask, value, (int)base() + rank);
    }
};

template <unsigned int Size, class Group>
VGPU_GROUP thread_block_tile<Size, Group> tiled_partition(const Group &)
{
    return thread_block_tile<Size, Group>();
}

/* ---- threads that have come together --------------------------------------
 */

struct coalesced_group : public thread_group {
    VGPU_GROUP explicit coalesced_group(unsigned int lanes)
        : thread_group(false, lanes)
    {
    }
    VGPU_GROUP void sync() const
    {
        __syncwarp(mask);
    }
    VGPU_GROUP unsigned int meta_group_rank() const
    {
        return 0;
    }
    VGPU_GROUP unsigned int meta_group_size() const
    {
        return 1;
    }
    template <class T>
    VGPU_GROUP T shfl(T value, unsigned int source) const
    {
        return at(value, source % size());
    }
    template <class T>
    VGPU_GROUP T shfl_up(T value, unsigned int delta) const
    {
        const unsigned int rank = thread_rank();

        return at(value, rank < delta ? rank : rank - delta);
    }
    template <class T>
    VGPU_GROUP T shfl_down(T value, unsigned int delta) const
    {
        const unsigned int rank = thread_rank();

        return at(value, rank + delta < size() ? rank + delta : rank);
    }
    VGPU_GROUP int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    VGPU_GROUP int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
    VGPU_GROUP unsigned int ballot(int predicate) const
    {
        return details::gather(mask, __ballot_sync(mask, predicate));
    }
    template <class T>
    VGPU_GROUP unsigned int match_any(T value) const
    {
        return details::gather(mask, __match_any_sync(mask, value));
    }
    template <class T>
    VGPU_GROUP unsigned int match_all(T value, int &predicate) const
    {
        return details::gather(mask, __match_all_sync(mask, value, &predicate));
    }
    VGPU_GROUP unsigned int lanes() const
    {
        return mask;
    }

  private:
    template <class T>
    VGPU_GROUP T at(T value, unsigned int rank) const
    {
        return details::from_lane(mask, value, details::lane_of(mask, rank));
    }
};

VGPU_GROUP coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* Those of a group for which @label is the same. */
template <class Group, class Label>
VGPU_GROUP coalesced_group labeled_partition(const Group &group, Label label)
{
    const unsigned int here = group.ballot(1) ? __activemask() : 0;

    return coalesced_group(__match_any_sync(here, label));
}
template <class Group>
VGPU_GROUP coalesced_group binary_partition(const Group &group, bool predicate)
{
    return labeled_partition(group, (int)predicate);
}

/* Parts of @size threads, which is a power of two; of a block, at most 32. */
VGPU_GROUP thread_group tiled_partition(const thread_group &group,
                                        unsigned int size)
{
    const unsigned int rank = group.thread_rank();
    const unsigned int lanes = size >= 32 ? ~0u : (1u << size) - 1;
    unsigned int mask = 0;

    if (group.is_block)
        return thread_group(false, lanes << details::lane() / size * size);
    for (unsigned int i = rank / size * size;
         i < rank / size * size + size && i < group.size(); i++)
        mask |= 1u << details::lane_of(group.mask, i);
    return thread_group(false, mask);
}

/* ---- the same as functions ------------------------------------------------
 */

template <class Group>
VGPU_GROUP void sync(const Group &group)
{
    group.sync();
}
VGPU_GRID_SYNC void sync(const grid_group &)
{
    ::vgpu_grid_sync(VGPU_CALLER());
}
VGPU_GRID_SYNC void sync(const cluster_group &)
{
    ::vgpu_cluster_sync(VGPU_CALLER());
}

template <class Group>
VGPU_GROUP auto thread_rank(const Group &group)
{
    return group.thread_rank();
}
template <class Group>
VGPU_GROUP auto group_size(const Group &group)
{
    return group.size();
}

/* By one thread of the group. */
template <class Group, class F, class... Arguments>
VGPU_GROUP void invoke_one(const Group &group, F &&function, Arguments &&...a)
{
    if (group.thread_rank() == 0)
        function(static_cast<Arguments &&>(a)...);
}

} // namespace cooperative_groups

#undef VGPU_GRID_SYNC
#endif
