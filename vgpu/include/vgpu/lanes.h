/*
 * lanes.h: a device function done for a warp's threads at once. C++17.
 *
 * Threads of a kernel that call the same function of plain numbers wait for
 * each other (device/gang.c), and the function is then done for all of them in
 * vector registers. The front end writes a second copy of such a function, in
 * which what differs from thread to thread is a vgpu_lane<T> instead of a T;
 * see frontend/speed/lanes.c for which functions that is and for the text. Each
 * lane's arithmetic is that of the scalar, so the results are the same bits.
 *
 * No conditions here: two lanes may not want different ways. And no memory:
 * what a function touches the checker must see thread by thread.
 */
#ifndef VGPU_LANES_H
#define VGPU_LANES_H

#include "vgpu/kernel.h"
#include "vgpu/threads.h"

/* All is inlined, or vectors this large would go through memory. */
#define VGPU_LANES_INLINE __attribute__((always_inline)) inline

/* In assembler, as in vgpu_cost_count: a read of a variable would be called a
 * read of the kernel's. */
VGPU_LANES_INLINE bool vgpu_gang_open()
{
#ifdef __x86_64__
    uint64_t *kernel;

    __asm__("mov %1, %0" : "=r"(kernel) : "m"(vgpu_kernel_ops));
    return kernel;
#else
    return true;
#endif
}

/* Numbers of 32 and 64 bits, as what they travel in. */
template <class T>
VGPU_LANES_INLINE uint64_t vgpu_gang_bits(T value)
{
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
VGPU_LANES_INLINE T vgpu_gang_value(uint64_t bits)
{
    T value;

    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- a value for each thread of a warp ----------------------------------- */

template <class T>
struct vgpu_lane;

/* What a lane of T, or T itself, is made of. */
template <class T>
struct vgpu_lane_of {
    typedef T type;
    typedef T alone;
};
template <class T>
struct vgpu_lane_of<vgpu_lane<T>> {
    typedef T type;
};

/* A parameter of type T that is given a P. */
template <class T, class P>
struct vgpu_lane_param {
    typedef T type;
};
template <class T, class U>
struct vgpu_lane_param<T, vgpu_lane<U>> {
    typedef vgpu_lane<T> type;
};

/* Of two, one a lane at least: converted as C converts numbers. */
#define VGPU_LANES_BINARY(op)                                                  \
    template <class B>                                                         \
    friend VGPU_LANES_INLINE auto operator op(const vgpu_lane &a, const B &b)  \
        ->vgpu_lane<decltype(T() op typename vgpu_lane_of<B>::type())>         \
    {                                                                          \
        typedef vgpu_lane<decltype(T() op typename vgpu_lane_of<B>::type())>   \
            both;                                                              \
        both left(a);                                                          \
        const both right(b);                                                   \
                                                                               \
        left.v = left.v op right.v;                                            \
        return left;                                                           \
    }                                                                          \
    template <class A>                                                         \
    friend VGPU_LANES_INLINE auto operator op(const A &a, const vgpu_lane &b)  \
        ->vgpu_lane<decltype(typename vgpu_lane_of<A>::alone() op T())>        \
    {                                                                          \
        return vgpu_lane<decltype(a op T())>(a) op b;                          \
    }                                                                          \
    template <class B>                                                         \
    VGPU_LANES_INLINE vgpu_lane &operator op##=(const B &b)                    \
    {                                                                          \
        return *this = *this op b;                                             \
    }

/* By a number in the text, which is the same for all. */
#define VGPU_LANES_SHIFT(op)                                                   \
    VGPU_LANES_INLINE vgpu_lane operator op(int bits) const                    \
    {                                                                          \
        vgpu_lane shifted;                                                     \
                                                                               \
        shifted.v = v op bits;                                                 \
        return shifted;                                                        \
    }

/* Its operators are found where a lane is among the operands, and nowhere
 * else: a program has operators of its own. */
template <class T>
struct vgpu_lane {
    typedef T vector __attribute__((vector_size(VGPU_GANG * sizeof(T))));
    vector v;

    VGPU_LANES_INLINE vgpu_lane() = default;
    VGPU_LANES_INLINE vgpu_lane(T value) : v(value - vector{})
    {
    }
    template <class U>
    VGPU_LANES_INLINE vgpu_lane(const vgpu_lane<U> &from)
        : v(__builtin_convertvector(from.v, vector))
    {
    }
    VGPU_LANES_BINARY(+)
    VGPU_LANES_BINARY(-)
    VGPU_LANES_BINARY(*)
    VGPU_LANES_BINARY(&)
    VGPU_LANES_BINARY(|)
    VGPU_LANES_BINARY(^)
    VGPU_LANES_SHIFT(<<)
    VGPU_LANES_SHIFT(>>)
    VGPU_LANES_INLINE vgpu_lane operator-() const
    {
        vgpu_lane negated;

        negated.v = -v;
        return negated;
    }
    VGPU_LANES_INLINE vgpu_lane operator~() const
    {
        vgpu_lane inverted;

        inverted.v = ~v;
        return inverted;
    }
};

/* ---- a gang's calls ------------------------------------------------------ */

/* Fewer are done one by one. */
enum { VGPU_GANG_FEW = 4 };

/* Do all of @calls have the same in the arguments whose bits @same has? */
__attribute__((no_sanitize("thread"))) inline bool
vgpu_gang_fits(vgpu_gang_call *const *calls, int n, unsigned same)
{
    for (int i = 1; i < n; i++)
        for (int a = 0; a < VGPU_GANG_VALUES; a++)
            if ((same >> a & 1) && calls[i]->value[a] != calls[0]->value[a])
                return false;
    return true;
}

/* Lanes beyond the last call do what the first one does. */
template <class T>
VGPU_LANES_INLINE vgpu_lane<T> vgpu_gang_take(vgpu_gang_call *const *calls,
                                              int n, int argument)
{
    vgpu_lane<T> lane;

    for (int i = 0; i < VGPU_GANG; i++)
        lane.v[i] = vgpu_gang_value<T>(calls[i < n ? i : 0]->value[argument]);
    return lane;
}

template <class T>
VGPU_LANES_INLINE void vgpu_gang_give(vgpu_gang_call *const *calls, int n,
                                      const vgpu_lane<T> &lane)
{
    for (int i = 0; i < n; i++)
        calls[i]->result = vgpu_gang_bits<T>(lane.v[i]);
}

#endif
