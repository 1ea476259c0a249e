/*
 * loops.h: a kernel's loop done for several threads at once. C++17.
 *
 * Threads that come to the same loop wait for each other (device/gang.c), where
 * nobody watches what they touch, and go through it in step: each round is done
 * for all of them before the next one. So what they read next to each other is
 * fetched once, and the compiler can put the threads of a row into vectors. The
 * front end writes such a loop a second time (frontend/speed/loops.c). Each
 * thread's arithmetic is what it would be alone, so the results are the same
 * bits.
 *
 * What a loop is given is in its frame, one for each thread: first what it sums
 * up, then what it reads. Whole numbers and pointers must be the same in all,
 * but for one number that may grow by 1 from thread to thread, as a column
 * does.
 */
#ifndef VGPU_LOOPS_H
#define VGPU_LOOPS_H

#include "vgpu/lanes.h"

/* Fewer rounds are done alone; so many threads go in step: half a warp, which
 * is a row in blocks of 16 x 16, and a line of most caches. */
enum { VGPU_LOOP_LONG = 128, VGPU_LOOP_STEP = VGPU_GANG / 2 };

template <int N>
struct vgpu_number {
    static constexpr int value = N;
};

/* ---- what a value may be ------------------------------------------------- */

enum vgpu_loop_kind {
    VGPU_LOOP_OTHER, /* a lane has its own */
    VGPU_LOOP_SAME,
    VGPU_LOOP_NUMBER, /* the same, or the one that grows */
};

template <class T>
struct vgpu_loop_is {
    static constexpr vgpu_loop_kind value = VGPU_LOOP_OTHER;
};
template <class T>
struct vgpu_loop_is<T *> {
    static constexpr vgpu_loop_kind value = VGPU_LOOP_SAME;
};
#define VGPU_LOOP_NUMBER_IS(T)                                                 \
    template <>                                                                \
    struct vgpu_loop_is<T> {                                                   \
        static constexpr vgpu_loop_kind value = VGPU_LOOP_NUMBER;              \
    };
VGPU_LOOP_NUMBER_IS(int)
VGPU_LOOP_NUMBER_IS(unsigned)
VGPU_LOOP_NUMBER_IS(long)
VGPU_LOOP_NUMBER_IS(unsigned long)
VGPU_LOOP_NUMBER_IS(long long)
VGPU_LOOP_NUMBER_IS(unsigned long long)

/* ---- a thread's frame ---------------------------------------------------- */

template <int I, class T>
struct vgpu_loop_item {
    T value;
};

template <int I, class T>
VGPU_LANES_INLINE T &vgpu_loop_get(vgpu_loop_item<I, T> &item)
{
    return item.value;
}

/* @Header  bits of those that say how often the loop is done */
template <class Body, unsigned Header, int Sums, class Numbers, class... T>
struct vgpu_loop;
template <class Body, unsigned Header, int Sums, int... I, class... T>
struct vgpu_loop<Body, Header, Sums, vgpu_indices<I...>, T...>
    : vgpu_loop_item<I, T>... {
    typedef vgpu_indices<I...> numbers;
    Body body;

    VGPU_LANES_INLINE vgpu_loop(const Body &body, T... values)
        : vgpu_loop_item<I, T>{values}..., body(body)
    {
    }
    static constexpr bool grows(int item, vgpu_loop_kind kind)
    {
        return item >= Sums && !(Header >> item & 1) &&
               kind == VGPU_LOOP_NUMBER;
    }
    static constexpr bool is_sum(int item)
    {
        return item < Sums;
    }
};

template <unsigned Header, int Sums, class Body, class... T>
VGPU_LANES_INLINE auto vgpu_loop_of(const Body &body, T... values)
{
    return vgpu_loop<Body, Header, Sums,
                     typename vgpu_make_indices<sizeof...(T)>::type, T...>(
        body, values...);
}

/* ---- what a body takes from @N frames ------------------------------------ */

template <class T>
struct vgpu_loop_one {
    T value;
};
template <class T, int N>
struct vgpu_loop_many {
    T value[N];
};

template <int N, int I, class T, class L>
VGPU_LANES_INLINE vgpu_loop_many<T, N>
vgpu_loop_each(const vgpu_loop_item<I, T> &, L *const *loops)
{
    vgpu_loop_many<T, N> all;

    for (int i = 0; i < N; i++)
        all.value[i] = vgpu_loop_get<I>(*loops[i]);
    return all;
}

template <int N, int I, class T, class L>
VGPU_LANES_INLINE auto vgpu_loop_taken(const vgpu_loop_item<I, T> &first,
                                       L *const *loops)
{
    if constexpr (vgpu_loop_is<T>::value == VGPU_LOOP_OTHER)
        return vgpu_loop_each<N, I>(first, loops);
    else
        return vgpu_loop_one<T>{first.value};
}

template <int I, int N, class L>
VGPU_LANES_INLINE auto vgpu_loop_sums(L *const *loops)
{
    return vgpu_loop_each<N, I>(*loops[0], loops);
}
template <int I, int N, class L>
VGPU_LANES_INLINE auto vgpu_loop_take(L *const *loops)
{
    return vgpu_loop_taken<N, I>(*loops[0], loops);
}
template <int I, int N, class L, class T>
VGPU_LANES_INLINE void vgpu_loop_put(L *const *loops,
                                     const vgpu_loop_many<T, N> &all)
{
    for (int i = 0; i < N; i++)
        vgpu_loop_get<I>(*loops[i]) = all.value[i];
}

template <bool Grows, class T>
VGPU_LANES_INLINE T vgpu_loop_at(const vgpu_loop_one<T> &one, int lane)
{
    if constexpr (Grows)
        return one.value + (T)lane;
    else
        return one.value;
}
template <bool, class T, int N>
VGPU_LANES_INLINE T vgpu_loop_at(const vgpu_loop_many<T, N> &many, int lane)
{
    return many.value[lane];
}

/* ---- all that wait ------------------------------------------------------- */

/* @grows  the number that does, or -1 so far */
template <int I, class T, class L>
VGPU_LANES_INLINE bool vgpu_loop_fits_item(const vgpu_loop_item<I, T> &first,
                                           L *const *loops, int &grows)
{
    constexpr vgpu_loop_kind kind = vgpu_loop_is<T>::value;

    if constexpr (!L::is_sum(I) && kind != VGPU_LOOP_OTHER) {
        bool same = true, steps = L::grows(I, kind) && grows < 0;

        for (int i = 1; i < VGPU_LOOP_STEP; i++) {
            const T value = vgpu_loop_get<I>(*loops[i]);

            same &= value == first.value;
            if constexpr (L::grows(I, kind))
                steps &= value == first.value + (T)i;
        }
        if (!same && steps)
            grows = I;
        return same || steps;
    }
    return true;
}

template <class L, int... I>
VGPU_LANES_INLINE bool vgpu_loop_fits(L *const *loops, int &grows,
                                      vgpu_indices<I...>)
{
    return (vgpu_loop_fits_item<I>(*loops[0], loops, grows) && ...);
}

template <int Grows, int N, class L>
VGPU_LANES_INLINE void vgpu_loop_do(L *const *loops)
{
    vgpu_cost cost;

    loops[0]->body(vgpu_number<Grows>(), vgpu_number<N>(), cost, loops);
    cost.n *= N;
}

template <int I, class T, class L>
VGPU_LANES_INLINE bool vgpu_loop_do_if(const vgpu_loop_item<I, T> &,
                                       L *const *loops, int grows)
{
    if constexpr (L::grows(I, vgpu_loop_is<T>::value)) {
        if (grows == I)
            vgpu_loop_do<I, VGPU_LOOP_STEP>(loops);
    }
    return grows == I;
}

/* The first ones in step. Return: false where they do not go together. */
template <class L, int... I>
VGPU_LANES_INLINE bool vgpu_loop_step(L *const *loops, int n,
                                      vgpu_indices<I...> numbers)
{
    int grows = -1;

    if (n < VGPU_LOOP_STEP || !vgpu_loop_fits(loops, grows, numbers))
        return false;
    if (grows < 0)
        vgpu_loop_do<-1, VGPU_LOOP_STEP>(loops);
    else
        (void)(vgpu_loop_do_if<I>(*loops[0], loops, grows) || ...);
    return true;
}

/* A gang's loops: as many in step as go together, the others one by one. */
template <class L>
__attribute__((no_sanitize("thread"))) vgpu_gang_outcome
vgpu_loop_run(vgpu_gang_call *const *calls, int n)
{
    const typename L::numbers numbers{};
    L *loops[VGPU_GANG];
    bool together = false;

    for (int i = 0; i < n; i++)
        loops[i] = reinterpret_cast<L *>(calls[i]->value[0]);
    for (int i = 0; i < n;) {
        if (vgpu_loop_step(loops + i, n - i, numbers)) {
            i += VGPU_LOOP_STEP;
            together = true;
        } else {
            vgpu_loop_do<-1, 1>(loops + i);
            i++;
        }
    }
    return together             ? VGPU_GANG_TOGETHER
           : n < VGPU_LOOP_STEP ? VGPU_GANG_SINGLY
                                : VGPU_GANG_UNLIKE;
}

/* Return: has it been done? */
template <class L>
VGPU_LANES_INLINE bool vgpu_loop_join(vgpu_gang_site *site, L &loop)
{
    return vgpu_gang_join_calm(
               site, vgpu_loop_run<L>,
               static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&loop)))
        .done;
}

template <class A, class B>
VGPU_LANES_INLINE bool vgpu_loop_is_long(A from, B to)
{
    return (long long)to - (long long)from >= VGPU_LOOP_LONG;
}

#endif
