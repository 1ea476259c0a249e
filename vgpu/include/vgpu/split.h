/*
 * split.h: a kernel whose parts between two barriers are loops over a block's
 * threads. C++17. Included by vgpu/launch.h; frontend/speed/split.c says which
 * kernels those are, and split_write.c what is written of one.
 *
 * A closure has both forms of the kernel. What is watched runs the first, and
 * so does a block whose threads come in another order than theirs.
 */
#ifndef VGPU_SPLIT_H
#define VGPU_SPLIT_H

/* The block that runs. */
struct vgpu_split_block {
    vgpu_block *block;
    uint3 dim;
    unsigned threads;

    /* Who asks is given this thread. */
    VGPU_LANES_INLINE void current(unsigned thread) const
    {
        *reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(block) +
                                      VGPU_BLOCK_CURRENT) = thread;
    }
};

/* Counts for all threads what they all do. */
struct vgpu_split_cost {
    vgpu_cost &all;
    unsigned threads;
    uint64_t n, slots;
    VGPU_LANES_INLINE vgpu_split_cost(vgpu_cost &all, unsigned threads)
        : all(all), threads(threads), n(0), slots(0)
    {
    }
    VGPU_LANES_INLINE ~vgpu_split_cost()
    {
        all.n += n * threads;
        all.slots += slots * threads;
    }
};

/* An array of the block's, with one for each thread. */
template <class T>
VGPU_INLINE T *vgpu_split_room(const vgpu_split_block &b, unsigned number)
{
    return static_cast<T *>(
        vgpu_split_find(b.block, number, sizeof(T) * b.threads));
}

/* Of T(0), T(1), ... up to @count: how many are less? */
template <class T, class U>
VGPU_INLINE unsigned vgpu_split_limit(unsigned count, const U to)
{
    if (static_cast<U>(1) / 2 != 0 || T(count) < to)
        return count;
    return T(0) < to ? static_cast<unsigned>(to) : 0;
}

template <class T>
struct vgpu_split_plain_of {
    typedef T type;
};
template <class T>
struct vgpu_split_plain_of<const T> {
    typedef T type;
};
template <class T>
using vgpu_split_value = typename vgpu_split_plain_of<T>::type;

/* Put a thread's value into it. */
template <class T, class U>
VGPU_INLINE void vgpu_split_keep(T &to, const U &from)
{
    if constexpr (__is_assignable(T &, const U &))
        to = from;
}
template <class T, class U, size_t N>
VGPU_INLINE void vgpu_split_keep(T (&to)[N], const U (&from)[N])
{
    for (size_t i = 0; i < N; i++)
        vgpu_split_keep(to[i], from[i]);
}

/* May there be one that nobody makes, and nobody ends? */
template <class... T>
struct vgpu_split_suits {
    static constexpr bool value =
        ((__is_trivially_copyable(T) && __is_trivially_constructible(T) &&
          __is_trivially_assignable(T &, const T &)) &&
         ...);
};

/* The second form's closure lies behind the first one's, which is where those
 * look for it that know of no other. */
template <class F, class S>
struct vgpu_split_closure {
    F whole;
    S split;
};

template <class F, class S>
__attribute__((no_sanitize("thread"))) void vgpu_split_run(void *closure,
                                                           vgpu_block *block)
{
    typedef vgpu_split_closure<F, S> both;

    if (!vgpu_split_begin(block)) {
        vgpu_closure_run<F, false>(closure, block);
        return;
    }
    {
        alignas(both) unsigned char bytes[sizeof(both)];
        vgpu_closure_read(bytes, closure, sizeof(both));
        S split = reinterpret_cast<const both *>(bytes)->split;
        vgpu_geometry found;
        vgpu_cost cost;
        vgpu_block_geometry(block, &found);
        const vgpu_split_block b = {block, found.block_dim,
                                    found.block_dim.x * found.block_dim.y *
                                        found.block_dim.z};
        split(b, found.block_index, found.block_dim, found.grid_dim, cost);
    }
    vgpu_split_end(block);
}

template <int Ordered, bool Suits, class S>
struct vgpu_splitter {
    S split;

    template <class F, class... P>
    void operator()(const vgpu_kernel *kernel, const F &closure,
                    const P &...arguments) const
    {
        typedef vgpu_split_closure<F, S> both;

        if constexpr (Suits && __is_trivially_copyable(both)) {
            static constexpr vgpu_body body = {vgpu_closure_clone<both>,
                                               vgpu_closure_drop<both>,
                                               vgpu_closure_run<F, true>,
                                               vgpu_split_run<F, S>,
                                               Ordered,
                                               vgpu_sizes<P...>::sizes,
                                               sizeof...(P)};
            const void *const given[] = {vgpu_address(arguments)..., nullptr};
            const both all = {closure, split};
            vgpu_launch(kernel, VGPU_NULL_STREAM, &all, &body, given);
        } else {
            vgpu_run_fast<Ordered>(kernel, closure, arguments...);
        }
    }
};

/* @T  types of variables that are kept */
template <int Ordered, class... T, class S>
VGPU_INLINE vgpu_splitter<Ordered, vgpu_split_suits<T...>::value, S>
vgpu_split(const S &split)
{
    return {split};
}

#endif
