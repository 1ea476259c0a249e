/*
 * launch.h: what the front end's text needs to define and to launch kernels.
 * C++17. Included by cuda_runtime.h.
 *
 * That text is in frontend/README.md: a kernel becomes a stub that gives its
 * body to vgpu_run_kernel, and a launch calls vgpu_configure and the stub.
 */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include <typeinfo>

#include "cuda_runtime_api.h"
#include "vector_types.h"
#include "vgpu/calls.h"
#include "vgpu/host.h"
#include "vgpu/kernel.h"
#include "vgpu/lanes.h"
#include "vgpu/threads.h"

/*
 * vgpu_cost_add without a call, in kernels. A small device function adds its
 * few operations each time it is called, and the call would cost more than they
 * do. In assembler, since the compiler would instrument the accesses, as it
 * does the program's own.
 */
__attribute__((always_inline)) inline void vgpu_cost_count(uint64_t ops)
{
#ifdef __x86_64__
    uint64_t *kernel;

    __asm__("mov %1, %0" : "=r"(kernel) : "m"(vgpu_kernel_ops));
    if (kernel && ops <= INT64_MAX) {
        __asm__("add %1, %0" : "+m"(*kernel) : "r"(ops) : "cc");
        return;
    }
#elif defined __wasm__
    uint64_t *kernel;

    __asm__("i32.const 0\n\ti32.load vgpu_kernel_ops\n\tlocal.set %0"
            : "=r"(kernel));
    if (kernel && ops <= INT64_MAX) {
        __asm__ volatile("local.get %0\n\tlocal.get %0\n\ti64.load 0\n\t"
                         "local.get %1\n\ti64.add\n\ti64.store 0"
                         :
                         : "r"(kernel), "r"(ops));
        return;
    }
#endif
    vgpu_cost_add(ops);
}

/* The same for what math functions and divisions take. */
__attribute__((always_inline)) inline void vgpu_math_count(uint64_t slots,
                                                           uint64_t doubles)
{
#ifdef __x86_64__
    uint64_t *kernel;

    __asm__("mov %1, %0" : "=r"(kernel) : "m"(vgpu_kernel_ops));
    if (kernel) {
        __asm__("add %1, %0" : "+m"(kernel[1]) : "r"(slots) : "cc");
        if (doubles)
            __asm__("add %1, %0" : "+m"(kernel[2]) : "r"(doubles) : "cc");
        return;
    }
#endif
    vgpu_math_add(slots, doubles);
}

/*
 * Counts the operations of the function that it is a local variable of.
 * Host functions flush it before they do what the clock matters to. All is
 * inlined, so that the compiler keeps the count in a register.
 */
struct vgpu_cost {
    uint64_t n;
    uint64_t slots; /* of divisions */
    __attribute__((always_inline)) vgpu_cost() : n(0), slots(0)
    {
    }
    __attribute__((always_inline)) void flush()
    {
        const uint64_t ops = n;

        n = 0;
        if (ops)
            vgpu_cost_count(ops);
    }
    __attribute__((always_inline)) ~vgpu_cost()
    {
        if (n)
            vgpu_cost_count(n);
        if (slots)
            vgpu_math_count(slots, 0);
    }
};

template <int... I>
struct vgpu_indices {
};
template <int N, int... I>
struct vgpu_make_indices : vgpu_make_indices<N - 1, N - 1, I...> {
};
template <int... I>
struct vgpu_make_indices<0, I...> {
    typedef vgpu_indices<I...> type;
};

#include "vgpu/loops.h"

/* Flushes it before objects that were declared earlier are destroyed. */
struct vgpu_flusher {
    vgpu_cost &cost;
    __attribute__((always_inline)) explicit vgpu_flusher(vgpu_cost &c) : cost(c)
    {
    }
    __attribute__((always_inline)) ~vgpu_flusher()
    {
        cost.flush();
    }
};

/* ---- parameters ---------------------------------------------------------- */

/*
 * A parameter. A launch copies its bytes, once, and what the type says about
 * copies and ends does not happen: a destructor that gives device memory back
 * would take it from the threads that still use it.
 */
template <class T, bool Plain = __is_trivially_copyable(T)>
struct vgpu_held {
    T parameter;
    __attribute__((always_inline)) explicit vgpu_held(const T &p) : parameter(p)
    {
    }
    __attribute__((always_inline)) T &object()
    {
        return parameter;
    }
};
template <class T>
struct vgpu_held<T, false> {
    alignas(T) unsigned char bytes[sizeof(T)];
    explicit vgpu_held(const T &p)
    {
        vgpu_closure_read(bytes, &reinterpret_cast<const char &>(p), sizeof(T));
    }
    __attribute__((always_inline)) T &object()
    {
        return *reinterpret_cast<T *>(bytes);
    }
};

/* ---- running ------------------------------------------------------------- */

/* vgpu_block_next, for a caller that knows the running thread: to read it back
 * from memory would take longer than a small kernel's body. @current: none at
 * first. */
VGPU_INLINE int64_t vgpu_block_next_after(vgpu_block *block, uint32_t &current)
{
    char *const fields = reinterpret_cast<char *>(block);
    uint32_t &running =
        *reinterpret_cast<uint32_t *>(fields + VGPU_BLOCK_CURRENT);

    if (current + 1 <
        *reinterpret_cast<const uint32_t *>(fields + VGPU_BLOCK_SIMPLE)) {
        running = ++current;
        return (*reinterpret_cast<int64_t *const *>(
            fields + VGPU_BLOCK_POSITION))[current];
    }
    int64_t thread = vgpu_block_next(block);
    current = running;
    return thread;
}

/*
 * Run threads of @block until none is left to start. Everything that a thread
 * is given is copied from parameters whose address is not known elsewhere, so
 * that the compiler keeps it in registers and instruments nothing but the
 * body's own accesses. A thread gets a closure of its own because a body may
 * assign to its parameters.
 */
template <class F, bool Watched>
VGPU_INLINE void vgpu_threads_run(vgpu_block *block, const F &arguments,
                                  const uint3 block_index, const dim3 block_dim,
                                  const dim3 grid_dim)
{
    vgpu_cost cost;
    uint32_t current = UINT32_MAX;
    int64_t thread;

    while ((thread = Watched ? vgpu_block_next(block)
                             : vgpu_block_next_after(block, current)) >= 0) {
        const uint3 index = {(unsigned int)(thread & 0xffff),
                             (unsigned int)(thread >> 16 & 0xffff),
                             (unsigned int)(thread >> 32)};
        F body = arguments;
        body(index, block_index, block_dim, grid_dim, cost);
    }
}

/* With the checker's call-backs. */
template <class F>
__attribute__((noinline)) void
vgpu_threads_watched(vgpu_block *block, const F arguments,
                     const uint3 block_index, const dim3 block_dim,
                     const dim3 grid_dim)
{
    vgpu_threads_run<F, true>(block, arguments, block_index, block_dim,
                              grid_dim);
}

/* What a block is given is no memory of the program's: nobody looks at how it
 * is read. The body of an unwatched one is inlined, and what is inlined here
 * has no call-backs. */
template <class F, bool Watched>
__attribute__((no_sanitize("thread"))) void vgpu_closure_run(void *closure,
                                                             vgpu_block *block)
{
    alignas(F) unsigned char bytes[sizeof(F)];
    vgpu_closure_read(bytes, closure, sizeof(F));
    const F arguments = *reinterpret_cast<const F *>(bytes);
    vgpu_geometry found;
    vgpu_block_geometry(block, &found);
    if constexpr (Watched)
        vgpu_threads_watched<F>(block, arguments, found.block_index,
                                found.block_dim, found.grid_dim);
    else
        vgpu_threads_run<F, false>(block, arguments, found.block_index,
                                   found.block_dim, found.grid_dim);
}

template <class F>
void *vgpu_closure_clone(const void *closure)
{
    return new F(*static_cast<const F *>(closure));
}

template <class F>
void vgpu_closure_drop(void *closure)
{
    delete static_cast<F *>(closure);
}

/* The same where a parameter has a constructor or a destructor of its own and
 * is not held as bytes: one of a pack. */
template <class F>
void vgpu_bytes_run(void *closure, vgpu_block *block)
{
    alignas(F) unsigned char given[sizeof(F)], bytes[sizeof(F)];
    vgpu_geometry found;
    vgpu_cost cost;
    int64_t thread;

    vgpu_closure_read(given, closure, sizeof(F));
    vgpu_block_geometry(block, &found);
    while ((thread = vgpu_block_next(block)) >= 0) {
        const uint3 index = {(unsigned int)(thread & 0xffff),
                             (unsigned int)(thread >> 16 & 0xffff),
                             (unsigned int)(thread >> 32)};
        vgpu_closure_read(bytes, given, sizeof(F));
        (*reinterpret_cast<F *>(bytes))(index, found.block_index,
                                        found.block_dim, found.grid_dim, cost);
    }
}

template <class F>
void *vgpu_bytes_clone(const void *closure)
{
    void *bytes = ::operator new(sizeof(F));

    vgpu_closure_read(bytes, closure, sizeof(F));
    return bytes;
}

inline void vgpu_bytes_drop(void *bytes)
{
    ::operator delete(bytes);
}

/* With one more, since there may be none. */
template <class... P>
struct vgpu_sizes {
    static constexpr size_t sizes[] = {sizeof(P)..., 0};
};
template <class T>
inline const void *vgpu_address(const T &argument)
{
    return (const void *)__builtin_addressof(argument);
}

/* @arguments  the parameters, beside the closure that has copies of them */
template <class F, class... P>
inline void vgpu_run_kernel(const vgpu_kernel *kernel, const F &closure,
                            const P &...arguments)
{
    const void *const given[] = {vgpu_address(arguments)..., nullptr};

    if constexpr (__is_trivially_copyable(F)) {
        static constexpr vgpu_body body = {vgpu_closure_clone<F>,
                                           vgpu_closure_drop<F>,
                                           vgpu_closure_run<F, true>,
                                           nullptr,
                                           0,
                                           vgpu_sizes<P...>::sizes,
                                           sizeof...(P)};
        vgpu_launch(kernel, VGPU_NULL_STREAM, &closure, &body, given);
    } else {
        static constexpr vgpu_body body = {vgpu_bytes_clone<F>,
                                           vgpu_bytes_drop,
                                           vgpu_bytes_run<F>,
                                           nullptr,
                                           0,
                                           vgpu_sizes<P...>::sizes,
                                           sizeof...(P)};
        vgpu_launch(kernel, VGPU_NULL_STREAM, &closure, &body, given);
    }
}

/* A kernel of which most blocks need not be watched
 * (frontend/speed/unwatched.c). */
template <int Ordered, class F, class... P>
inline void vgpu_run_fast(const vgpu_kernel *kernel, const F &closure,
                          const P &...arguments)
{
    const void *const given[] = {vgpu_address(arguments)..., nullptr};

    if constexpr (__is_trivially_copyable(F)) {
        static constexpr vgpu_body body = {vgpu_closure_clone<F>,
                                           vgpu_closure_drop<F>,
                                           vgpu_closure_run<F, true>,
                                           vgpu_closure_run<F, false>,
                                           Ordered,
                                           vgpu_sizes<P...>::sizes,
                                           sizeof...(P)};
        vgpu_launch(kernel, VGPU_NULL_STREAM, &closure, &body, given);
    } else {
        vgpu_run_kernel(kernel, closure, arguments...);
    }
}
template <class F, class... P>
inline void vgpu_run_unwatched(const vgpu_kernel *kernel, const F &closure,
                               const P &...arguments)
{
    vgpu_run_fast<0>(kernel, closure, arguments...);
}

/* ... but its blocks run in their order. */
template <class F, class... P>
inline void vgpu_run_ordered(const vgpu_kernel *kernel, const F &closure,
                             const P &...arguments)
{
    vgpu_run_fast<VGPU_BODY_ORDERED>(kernel, closure, arguments...);
}

/* ... which only memory shows. */
template <class F, class... P>
inline void vgpu_run_atomics(const vgpu_kernel *kernel, const F &closure,
                             const P &...arguments)
{
    vgpu_run_fast<VGPU_BODY_ATOMICS>(kernel, closure, arguments...);
}

/* ... or as if they did: nothing shows it but sums that are added up last. */
template <class F, class... P>
inline void vgpu_run_sums(const vgpu_kernel *kernel, const F &closure,
                          const P &...arguments)
{
    vgpu_run_fast<VGPU_BODY_SUMS>(kernel, closure, arguments...);
}

#include "vgpu/split.h"

/* ---- launching ----------------------------------------------------------- */

/*
 * The part between <<< and >>>. Not inlined: the return address is the
 * launch's line.
 */
__attribute__((noinline, unused)) static void
vgpu_configure(dim3 grid, dim3 block = 1, size_t dynamic_shared_bytes = 0,
               cudaStream_t stream = nullptr)
{
    const uint64_t pc = (uint64_t)(uintptr_t)VGPU_CALLER();
    const uint32_t g[3] = {grid.x, grid.y, grid.z};
    const uint32_t b[3] = {block.x, block.y, block.z};
    vgpu_config_push(g, b, dynamic_shared_bytes, stream, pc);
}

/* ---- kernels by address -------------------------------------------------- */

template <class T>
struct vgpu_plain {
    typedef T type;
};
template <class T>
struct vgpu_plain<T &> {
    typedef T type;
};

/* As an argument: copied, or moved where the type cannot be copied. */
template <class P>
inline decltype(auto) vgpu_pass(void *argument)
{
    typedef typename vgpu_plain<P>::type T;

    if constexpr (__is_constructible(P, T &))
        return (*static_cast<T *>(argument));
    else
        return static_cast<T &&>(*static_cast<T *>(argument));
}

/* Call @stub with arguments from an array of pointers to them. */
template <class... P, int... I>
inline void vgpu_apply_indexed(void (*stub)(P...), void **args,
                               vgpu_indices<I...>)
{
    (void)args;
    stub(vgpu_pass<P>(args[I])...);
}

template <class... P>
inline void vgpu_apply(void (*stub)(P...), void **args)
{
    vgpu_apply_indexed(stub, args,
                       typename vgpu_make_indices<sizeof...(P)>::type());
}

template <auto Stub>
struct vgpu_stub {
    static void apply(void **args)
    {
        vgpu_apply(Stub, args);
    }
};

/* What is known of its parameters, of which there may be none. */
template <class... P>
struct vgpu_parameters {
    static constexpr size_t sizes[] = {sizeof(typename vgpu_plain<P>::type)...,
                                       0};
    static constexpr size_t aligns[] = {
        alignof(typename vgpu_plain<P>::type)..., 0};
};
#ifdef __cpp_rtti
#define VGPU_TYPE_NAME(...) typeid(__VA_ARGS__).name()
#else
#define VGPU_TYPE_NAME(...) nullptr
#endif
template <class S, class... P>
inline const vgpu_signature *vgpu_sign(void (*)(P...))
{
    static const vgpu_signature signature = {
        VGPU_TYPE_NAME(S), vgpu_parameters<P...>::sizes,
        vgpu_parameters<P...>::aligns, sizeof...(P)};

    return &signature;
}

/* These objects are made before all others, in a part of the object file that
 * is theirs alone: who reads it can tell them from what the program makes. */
#define VGPU_FIRST __attribute__((init_priority(200)))

/* A static object: makes a kernel known before main. */
struct vgpu_registration {
    template <auto Stub>
    vgpu_registration(vgpu_stub<Stub>, const vgpu_kernel *kernel)
    {
        vgpu_kernel_register(reinterpret_cast<const void *>(Stub), kernel,
                             vgpu_stub<Stub>::apply,
                             vgpu_sign<vgpu_stub<Stub>>(Stub));
    }
};

/* The same for an instance of a kernel template, named by its stub. */
template <auto Stub, const vgpu_kernel *Kernel>
struct vgpu_instance {
    static const vgpu_registration registration;
};
template <auto Stub, const vgpu_kernel *Kernel>
VGPU_FIRST const vgpu_registration
    vgpu_instance<Stub, Kernel>::registration(vgpu_stub<Stub>(), Kernel);

/* ---- variables of devices ------------------------------------------------ */

/* A static object for each: its name and its size are known. */
struct vgpu_variable {
    template <class T>
    vgpu_variable(const T &variable, const char *name, const void *room_end)
    {
        vgpu_variable_register(
            const_cast<const char *>(
                &reinterpret_cast<const volatile char &>(variable)),
            sizeof(T), name, room_end);
    }
};

/* ---- shared memory ------------------------------------------------------- */

/* A static object for each declaration in a kernel: its size is known. Its type
 * depends on no parameter: clang takes a priority for no other. */
struct vgpu_shared_note {
    vgpu_shared_note(const vgpu_kernel *kernel, size_t bytes, size_t align)
    {
        vgpu_kernel_add_shared(kernel, bytes, align);
    }
};
template <const vgpu_kernel *Kernel, class S>
struct vgpu_shared_size {
    static const vgpu_shared_note noted;
};
template <const vgpu_kernel *Kernel, class S>
VGPU_FIRST const vgpu_shared_note
    vgpu_shared_size<Kernel, S>::noted(Kernel, sizeof(S), alignof(S));

/* The running block's instance of the __shared__ variables in S, a struct
 * that one declaration has for itself. */
template <class S>
VGPU_INLINE S &vgpu_shared()
{
    static_assert(sizeof(S) <= 48 * 1024,
                  "a block has at most 48 KiB of static __shared__ memory");
    static_assert(alignof(S) <= 128, "__shared__ aligned to over 128 bytes");
    return *static_cast<S *>(
        vgpu_shared_find(S::vgpu_key(), sizeof(S), alignof(S)));
}

#endif
