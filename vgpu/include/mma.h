/*
 * mma.h: warp matrix functions: D = A * B + C of matrices that the 32 lanes of
 * a warp hold together.
 *
 * Source: CUDA C++ Programming Guide, "Warp Matrix Functions". Which element is
 * in which lane is open there; device/matrix.c says how it is here, and how
 * sums are made. A lane has as many elements as on a GPU (num_elements): of
 * half matrices several copies of each.
 *
 * Differs: types of 4 bits and 1 bit (wmma::experimental) are refused.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

/* Reports name the program's line: who calls this has a caller of its own. */
#define VGPU_MEETING __attribute__((noinline, no_sanitize("thread"))) inline
#define VGPU_HERE()  ((uint64_t)(uintptr_t)VGPU_CALLER())

namespace nvcuda
{
namespace wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
}

/* To the nearest number with 10 bits of a fraction, of two to the larger. */
VGPU_INLINE float __float_to_tf32(float value)
{
    uint32_t bits;

    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x1000) & ~UINT32_C(0x1fff);
    if (value == value)
        __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- fragments ----------------------------------------------------------- */

/* An element: what a lane has of it in memory, and what D and C of its products
 * are; of half numbers they may be half, too. */
template <class T>
struct vgpu_kind;
#define VGPU_KIND(T, name, Stored, Sum)                                        \
    template <>                                                                \
    struct vgpu_kind<T> {                                                      \
        static const uint8_t element = name;                                   \
        typedef Stored stored;                                                 \
        typedef Sum sum;                                                       \
    };
VGPU_KIND(__half, VGPU_HALF, __half, float)
VGPU_KIND(__nv_bfloat16, VGPU_BFLOAT16, __nv_bfloat16, float)
VGPU_KIND(precision::tf32, VGPU_TF32, float, float)
VGPU_KIND(float, VGPU_FLOAT, float, void)
VGPU_KIND(double, VGPU_DOUBLE, double, double)
VGPU_KIND(signed char, VGPU_INT8, signed char, int)
VGPU_KIND(unsigned char, VGPU_UINT8, unsigned char, int)
VGPU_KIND(int, VGPU_INT, int, void)
#undef VGPU_KIND

template <class T, class U>
const bool vgpu_same = false;
template <class T>
const bool vgpu_same<T, T> = true;

template <class T, class S>
const bool vgpu_adds_to = vgpu_same<S, typename vgpu_kind<T>::sum> ||
                          (vgpu_same<T, __half> && vgpu_same<S, __half>);

template <class T, int rows, int columns, int copies>
struct __attribute__((aligned(8))) vgpu_fragment {
    enum { num_elements = rows * columns / 32 * copies };
    enum { num_storage_elements = num_elements };
    typedef T element_type;
    typedef typename vgpu_kind<T>::stored storage_element_type;
    storage_element_type x[num_elements];
};

/* Those that are not below do not exist. */
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment;

#define VGPU_FRAGMENT(use, m, n, k, T, layout, rows, columns, copies)          \
    template <>                                                                \
    class fragment<use, m, n, k, T, layout>                                    \
        : public vgpu_fragment<T, rows, columns, copies>                       \
    {                                                                          \
    };
#define VGPU_FACTORS(m, n, k, T, copies_a, copies_b)                           \
    VGPU_FRAGMENT(matrix_a, m, n, k, T, row_major, m, k, copies_a)             \
    VGPU_FRAGMENT(matrix_a, m, n, k, T, col_major, m, k, copies_a)             \
    VGPU_FRAGMENT(matrix_b, m, n, k, T, row_major, k, n, copies_b)             \
    VGPU_FRAGMENT(matrix_b, m, n, k, T, col_major, k, n, copies_b)
#define VGPU_SUM(m, n, k, T)                                                   \
    VGPU_FRAGMENT(accumulator, m, n, k, T, void, m, n, 1)
#define VGPU_SHAPE(m, n, k, copies_a, copies_b)                                \
    VGPU_FACTORS(m, n, k, __half, copies_a, copies_b)                          \
    VGPU_FACTORS(m, n, k, __nv_bfloat16, 1, 1)                                 \
    VGPU_FACTORS(m, n, k, signed char, 1, 1)                                   \
    VGPU_FACTORS(m, n, k, unsigned char, 1, 1)                                 \
    VGPU_SUM(m, n, k, __half)                                                  \
    VGPU_SUM(m, n, k, float)                                                   \
    VGPU_SUM(m, n, k, int)

VGPU_SHAPE(16, 16, 16, 2, 2)
VGPU_SHAPE(32, 8, 16, 1, 4)
VGPU_SHAPE(8, 32, 16, 4, 1)
VGPU_FACTORS(16, 16, 8, precision::tf32, 1, 1)
VGPU_SUM(16, 16, 8, float)
VGPU_FACTORS(8, 8, 4, double, 1, 1)
VGPU_SUM(8, 8, 4, double)
#undef VGPU_SHAPE
#undef VGPU_SUM
#undef VGPU_FACTORS
#undef VGPU_FRAGMENT

template <class T, int rows, int columns, int copies>
VGPU_INLINE void fill_fragment(vgpu_fragment<T, rows, columns, copies> &f,
                               const typename vgpu_kind<T>::stored &value)
{
    for (auto &x : f.x)
        x = value;
}

/* ---- what the library is told -------------------------------------------- */

template <class T, int rows, int columns, int copies>
VGPU_INLINE ::vgpu_matrix
vgpu_matrix_of(const vgpu_fragment<T, rows, columns, copies> &)
{
    return ::vgpu_matrix{vgpu_kind<T>::element, rows, columns, copies};
}

template <class F>
VGPU_INLINE void vgpu_move(::vgpu_warp_op op, const F &f, const void *memory,
                           unsigned pitch, bool by_columns, uint64_t pc)
{
    const ::vgpu_matrix none = {0, 0, 0, 0};
    const ::vgpu_matrix_call call = {
        {vgpu_matrix_of(f), none, none, none, const_cast<void *>(memory), pitch,
         by_columns, false},
        const_cast<void *>(static_cast<const void *>(f.x)),
        nullptr,
        nullptr,
        nullptr,
        pc};

    ::vgpu_warp_matrix(op, &call);
}

template <class A, class B, class S, class R>
VGPU_INLINE void vgpu_mma(R &d, const A &a, const B &b, const S &c,
                          bool saturate, uint64_t pc)
{
    typedef typename A::element_type T;
    static_assert(vgpu_adds_to<T, typename R::element_type> &&
                      vgpu_adds_to<T, typename S::element_type>,
                  "mma_sync does not have these types together");
    const ::vgpu_matrix_call call = {{vgpu_matrix_of(d), vgpu_matrix_of(a),
                                      vgpu_matrix_of(b), vgpu_matrix_of(c),
                                      nullptr, 0, false, saturate},
                                     d.x,
                                     a.x,
                                     b.x,
                                     c.x,
                                     pc};

    ::vgpu_warp_matrix(::VGPU_WARP_MMA, &call);
}

/* ---- for the lanes of a warp --------------------------------------------- */

#define VGPU_WHOLE fragment<accumulator, m, n, k, T>
#define VGPU_PART  fragment<Use, m, n, k, T, Layout>

template <class Use, int m, int n, int k, class T, class Layout>
VGPU_MEETING void
load_matrix_sync(VGPU_PART &f,
                 const typename VGPU_PART::storage_element_type *memory,
                 unsigned pitch)
{
    static_assert(!vgpu_same<Use, accumulator>,
                  "an accumulator is loaded with a layout");
    vgpu_move(::VGPU_WARP_LOAD, f, memory, pitch, vgpu_same<Layout, col_major>,
              VGPU_HERE());
}

template <int m, int n, int k, class T>
VGPU_MEETING void
load_matrix_sync(VGPU_WHOLE &f, const typename VGPU_WHOLE::element_type *memory,
                 unsigned pitch, layout_t layout)
{
    vgpu_move(::VGPU_WARP_LOAD, f, memory, pitch, layout == mem_col_major,
              VGPU_HERE());
}

template <int m, int n, int k, class T>
VGPU_MEETING void store_matrix_sync(typename VGPU_WHOLE::element_type *memory,
                                    const VGPU_WHOLE &f, unsigned pitch,
                                    layout_t layout)
{
    vgpu_move(::VGPU_WARP_STORE, f, memory, pitch, layout == mem_col_major,
              VGPU_HERE());
}

template <int m, int n, int k, class R, class T, class A, class B, class S>
VGPU_MEETING void mma_sync(fragment<accumulator, m, n, k, R> &d,
                           const fragment<matrix_a, m, n, k, T, A> &a,
                           const fragment<matrix_b, m, n, k, T, B> &b,
                           const fragment<accumulator, m, n, k, S> &c)
{
    vgpu_mma(d, a, b, c, false, VGPU_HERE());
}

/* As with nvcc 13, only sums of whole numbers can be told to stop. */
template <int m, int n, int k, class T, class A, class B>
VGPU_MEETING void mma_sync(fragment<accumulator, m, n, k, int> &d,
                           const fragment<matrix_a, m, n, k, T, A> &a,
                           const fragment<matrix_b, m, n, k, T, B> &b,
                           const fragment<accumulator, m, n, k, int> &c,
                           bool satf)
{
    vgpu_mma(d, a, b, c, satf, VGPU_HERE());
}
#undef VGPU_PART
#undef VGPU_WHOLE
#undef VGPU_HERE
#undef VGPU_MEETING

} // namespace wmma
} // namespace nvcuda

#endif
