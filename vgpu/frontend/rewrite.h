/*
 * rewrite.h: turns preprocessed CUDA C++ into C++ for the host compiler.
 *
 * Input is the output of `c++ -E`. Only *user text* is changed: text of files
 * that were not entered as system headers and do not lie in the virtual GPU's
 * own include folder. Everything else is passed on byte for byte. No newline
 * is ever added or removed, so lines stay what the line markers say.
 *
 * What is written, with N a number that is unique in the text:
 *
 * Kernel. `__global__ void __launch_bounds__(T, B) k(PARAMS) { BODY }` becomes
 *     void k(PARAMS) {
 *       static const ::vgpu_kernel vgpu_self = {"k", "file", LINE, T, B};
 *       ::vgpu_run_kernel(&vgpu_self,
 *         [=]([[maybe_unused]] const ::uint3 threadIdx,
 *             [[maybe_unused]] const ::uint3 blockIdx,
 *             [[maybe_unused]] const ::dim3 blockDim,
 *             [[maybe_unused]] const ::dim3 gridDim,
 *             [[maybe_unused]] ::vgpu_cost &vgpu_c)
 *         mutable __attribute__((always_inline)) -> void { BODY });
 *     }
 * on the lines that it had; of a parameter x that is an object of a class the
 * lambda has `vgpu_held_N = ::vgpu_held<decltype(x)>(x)`, its bytes, and the
 * body begins with `auto &x = vgpu_held_N.object();` (clang wants the attribute
 * before `mutable`, gcc after it). Unless it is a template it is then
 * registered: static const ::vgpu_kernel vgpu_kernel_N = {"k", "file", LINE, T,
 * B};
 *     __attribute__((init_priority(200)))
 *     static const ::vgpu_registration vgpu_registration_N(
 *         ::vgpu_stub<static_cast<void (*)(PARAMS)>(k)>(), &vgpu_kernel_N);
 * with default arguments removed. A template's stub has instead, unless one
 * of its parameters has no name,
 *     (void)&::vgpu_instance<static_cast<void (*)(PARAMS)>(k<T, N>),
 *                            &vgpu_self>::registration;
 * (and `&ns::k` for a qualified definition).
 *
 * Launch. `k<T><<<CONFIG>>>(ARGS)` becomes
 *     (::vgpu_configure(CONFIG), k<T>(ARGS))
 *
 * Costs. N is the number of operators, subscripts and calls that a brace
 * block holds outside of blocks inside it. A loop's header counts for its
 * body, a `case` for its own statements. Every function body, and every
 * lambda's, begins with
 *     ::vgpu_cost vgpu_c;
 * (in a kernel it is the parameter), and each block and loop body with
 *     vgpu_c.n += N;
 * followed, for divisions in device code by what is no number of the text, by
 *     vgpu_c.slots += N;
 * Loop bodies without braces are given braces. Functions that are constexpr
 * are left alone. A structured block of `#pragma omp parallel` has a
 * vgpu_cost of its own.
 *
 * Host functions hand over what they counted before a statement, and in
 * headers of if, for, ..., that may look at the clock (settle.c says which):
 *     vgpu_c.flush(); STATEMENT       { vgpu_c.flush(); STATEMENT }
 *     if (vgpu_c.flush(), CONDITION)  while (T x = (vgpu_c.flush(), VALUE))
 * and after the declaration of an object that has a destructor
 *     ::vgpu_flusher vgpu_flusher_N(vgpu_c);
 *
 * `__shared__ T a[8], b;` in a body, declarators verbatim:
 *     struct vgpu_shared_N { T a[8], b; static constexpr
 *         const char *vgpu_names() { return "a, b"; } };
 *     auto &a = ::vgpu_shared<vgpu_shared_N>().a;
 *     auto &b = ::vgpu_shared<vgpu_shared_N>().b;
 * `extern __shared__ T x[];` in a body:
 *     typedef T vgpu_dynamic_N[];
 *     auto &x = *static_cast<vgpu_dynamic_N *>(::vgpu_shared_dynamic());
 * At namespace scope the struct or typedef stays there, and the references
 * are declared at the top of each body that names the variable, `{ BODY }`
 * behind them, unless something of that name hides it (shared.c). So are those
 * to a function's variables in lambdas and local classes.
 *
 * `__device__ T x;` and `__constant__ T x;` at namespace scope:
 *     __attribute__((section("vgpu_vars"))) T x;
 * (for gcc with "no_reorder"), and behind its `;`
 *     static char vgpu_room_N[256] __attribute__((used, section("vgpu_vars")));
 *     __attribute__((init_priority(200)))
 *     static const ::vgpu_variable vgpu_variable_N(x, "x", vgpu_room_N + 256);
 * const ones: section "vgpu_consts", `__managed__` ones: "vgpu_managed", both
 * without room.
 * constexpr, inline, template and class-scope ones: plain variables.
 *
 * At the top of a __device__ function (or lambda) that names them:
 *     [[maybe_unused]] const ::uint3 threadIdx = ::vgpu_thread_index();
 *     [[maybe_unused]] const ::uint3 blockIdx = ::vgpu_block_index();
 *     [[maybe_unused]] const ::dim3 blockDim = ::vgpu_block_extent();
 *     [[maybe_unused]] const ::dim3 gridDim = ::vgpu_grid_extent();
 * In kernels and __device__ functions: printf -> ::vgpu_printf,
 * __assert_fail -> ::vgpu_assert_fail, clock -> ::vgpu_clock where called, and
 * sinf -> ::vgpu_math_sinf and its kin (math.c), unless the text has a function
 * of that name.
 *
 * Where a stream or an event is made in a variable, `cudaEventCreate(&e[i])`:
 *     cudaEventCreate(::vgpu_named(&e[i], "e[]", (long long)(i)))
 *
 * The words __global__, __device__, __host__, __shared__, __constant__,
 * __managed__, __grid_constant__ and __launch_bounds__(...) are removed;
 * __forceinline__ and __noinline__ become attributes; #pragma unroll is
 * blanked.
 *
 * Host and device code are compiled once, together. __CUDA_ARCH__ is not
 * defined: `#ifdef __CUDA_ARCH__` takes the host's side, in kernels too.
 * Elsewhere the word is refused, as nvcc does for its host compilation.
 *
 * A device function of plain numbers is written a second time, for a warp's
 * threads at once (lanes.c), unless device code of the text prints, counts
 * with atomics or reads the clock.
 *
 * A kernel whose blocks may run in any order is run by vgpu_run_unwatched and
 * not by vgpu_run_kernel, one that only waits for no flag by vgpu_run_ordered
 * or its kin, and what they call is inlined (unwatched.c).
 *
 * A host function with loops that names no CUDA keeps its head, and `{ BODY }`
 * becomes (host_loops.c)
 *     { return ::vgpu_host_run([=, &REFERENCE]() mutable
 *         __attribute__((always_inline)) -> TYPE { BODY }); }
 * In its body __PRETTY_FUNCTION__ is vgpu_function, declared before it.
 *
 * Which memory a kernel touches is the same with gcc and clang from -O1 on,
 * but for bit-fields: clang reads all of the word they are in.
 *
 * Refused, each with its line: dynamic parallelism, member functions that
 * are kernels, kernels that return something, mipmaps, cubemaps and surface
 * references, inline PTX, thread block clusters, a memcpy of the user's own,
 * and brackets that do not match.
 */
#ifndef VGPU_REWRITE_H
#define VGPU_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

struct rewrite_options {
    const char *own_dir; /* the virtual GPU's headers; or NULL */
    bool for_clang;      /* the host compiler is clang */
    bool plain;          /* nothing is written for speed alone */
    bool no_inline;      /* no device function is made to be inlined */
    bool host_only; /* there is no CUDA in it: only its loops are written */
};

struct rewrite_result {
    char *text; /* NUL-terminated; NULL if refused */
    size_t size;
    bool quick;   /* something was written for speed alone */
    char *errors; /* "file:line: error: ...\n" lines */
    int num_errors;
};

/*
 * Rewrite @size bytes of preprocessed @text.
 * Return: 0, or -1 when the program is refused; then @result->errors says
 * why. Free the result in both cases. Ends the process when out of memory.
 */
int rewrite_text(const char *text, size_t size,
                 const struct rewrite_options *options,
                 struct rewrite_result *result);
void rewrite_result_free(struct rewrite_result *result);

#endif
