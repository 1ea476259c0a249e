/*
 * test_frontend_growth.c: the rewriter's work grows as its input does.
 *
 * Each text is one thing over and over. Four times as much of it may take
 * little more than four times as long: what goes over all that came before
 * would take sixteen times.
 */
#include "buf.h"
#include "rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A text: %d in @unit is its number, in @begin nothing. */
struct kind {
    const char *begin, *unit, *end;
};

static const struct kind kinds[] = {
    /* functions and calls */
    {"__device__ float f0(float x) { return x; }\n",
     "__device__ float f1%d(float x) { return f0(x) + f1%d(x) * 2; }\n",
     "__global__ void k(float *a) { a[0] = f11(1); }"},
    {"struct s { int a; };\n", "__device__ int g(s *x, t%d y) { return g(y); }",
     "__global__ void k(int *a) { a[0] = g(a); }"},
    {"", "__device__ int g(t%d x);\n", "__device__ int g(int x) { return x; }"},
    {"__device__ float f0(float x) { return x; }\n",
     "__global__ void k%d(float *a) { a[threadIdx.x] = f0(a[0]); }\n", ""},
    {"__device__ int f(int x) { ", "x += g%d(x) + h(x); ", "return x; }"},
    {"int main() { ", "x%d = g(x) + h%d(x); ", "}"},
    {"", "void h%d(int *a, int n) { for (int i = 0; i < n; i++) a[i] = g(i); }",
     "int main() { h1(0, 1); }"},
    {"",
     "__device__ float l%d(float x) { float s = 0; for (int i = 0; i < 99; "
     "i++) s = s * x + 1.0f; return s; }\n",
     "__global__ void k(float *a) { a[0] = l1(a[1]); }"},
    {"__device__ float l0(float x) { return x * 2.0f; }\n",
     "__device__ float l1%d(float x) { return l0(x) + 1.0f; }\n"
     "__global__ void k%d(float *a) { a[0] = l1%d(a[1]); }",
     ""},
    {"", "__device__ float sinf%d(float x) { return sinf(x) + powf(x, x); }\n",
     ""},
    /* variables */
    {"", "__shared__ int s%d;\n__global__ void k%d() { s%d = 1; }\n", ""},
    {"", "extern __shared__ int s%d[];\n",
     "__global__ void k() { s1[0] = 1; }"},
    {"__global__ void k() { ",
     "__shared__ int s%d; atomicAdd(&s%d, 1); if (s%d) atomicMax(&s1, 2);",
     "}"},
    {"__global__ void k() { __shared__ int a", ", s%d[2]", "; }"},
    {"", "__device__ int v%d;\n__constant__ float c%d[3] = {1, 2};\n", ""},
    {"__device__ int a", ", v%d", "; __global__ void k() { a = v1 + v2; }"},
    {"__device__ int a[2] = {1}", ", v%d[3] = {g(1)}", ";"},
    {"__constant__ const int *const a = 0", ", *v%d = &a", ";"},
    {"__managed__ t<int> a", ", v%d(1)", ";"},
    {"extern __device__ int a", ", v%d", ";"},
    {"int main() { cudaStream_t s[9];", "cudaStreamCreate(&s[%d]);", "}"},
    {"struct s { ~s(); };\nvoid f() { ", "s x%d(g(1)); ", "}"},
    /* statements */
    {"__global__ void k(float *a, int n) { float s = 0; ",
     "for (int i = 0; i < n; i++) s += a[i];", "}"},
    {"__global__ void k(int *a) { ", "if (a[%d]) { a[0]++; } else a[1]--; ",
     "}"},
    {"__device__ void f(int x) { if (x) x++; ", "else if (x == %d) x--; ", "}"},
    {"__device__ void f(int x) { switch (x) { ", "case %d: x++; break;", "} }"},
    {"__device__ void f(int x) { ", "l%d: goto l%d; ", "}"},
    {"__global__ void k(int *a) { ", "while (a[%d]) ; do { } while (*a); ",
     "}"},
    {"__device__ void f(int *a) { ", "while (a[%d]) ", "; }"},
    {"int main() { ", "k<<<%d, dim3(1, 2)>>>(a, 3);\n", "}"},
    {"int main() { ", "k<T, 1><<<1, 2>>>(a); ", "}"},
    {"int main() { ", "n::k <<< ", "}"},
    {"int main() { ", "k<<<1, 2>>> ", ";}"},
    {"int main() { x = ", "a < b > ", ";}"},
    {"int main() { x = ", "a::b<c", ";}"},
    {"void f() { ", "auto f%d = [=](int x) { return x + 1; }; ", "}"},
    {"__global__ void k() { ", "[&] { x%d++; }(); ", "}"},
    {"void f() { x = ", "y * (z[%d] - 1) + ", "1; }"},
    {"void f() { x = ", "y ? %d : ", "1; }"},
    {"void f() { x = g(", "%d, ", "1); }"},
    {"__global__ void k(", "s%d a, int b%d, ", "int c) { a += c; }"},
    {"template <", "class T%d, ", "int N> __global__ void k() { }"},
    {"s::s() : ", "a%d(1), ", "b(2) { }"},
    /* text */
    {"", "# 1 \"file%d.h\" 1\nint v%d;\n", ""},
    {"void f() {\n", "#pragma unroll\nx++;\n", "}"},
    {"", "const char *t%d = R\"x(a \" b)x\";\n", ""},
    {"", "struct s%d { __device__ int f() { return x; } int x; };\n", ""},
    {"", "namespace n%d { __device__ int f() { return g(); } }\n", ""},
    {"", "__forceinline__ ", "__device__ int f() { return 1; }"},
    {"__device__ void f() { ",
     "asm(\"mov.u32 %0, %1;\" : \"=r\"(x) : \"r\"(y)"
     "); ",
     "}"},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* Not as a format: a text may have a % of its own. */
static void add_unit(struct buf *text, const char *unit, int number)
{
    for (const char *at = unit, *next; *at; at = next) {
        next = strstr(at, "%d");
        buf_add(text, at, next ? (size_t)(next - at) : strlen(at));
        if (!next)
            return;
        buf_printf(text, "%d", number);
        next += 2;
    }
}

static char *make_text(const struct kind *kind, int times)
{
    struct buf text = {0};

    buf_puts(&text, kind->begin);
    for (int i = 0; i < times; i++)
        add_unit(&text, kind->unit, i);
    buf_puts(&text, kind->end);
    buf_puts(&text, "\n");
    return text.data;
}

/* Of the machine, to the microsecond: the library that is linked has clocks of
 * its own. */
static int64_t now_us(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static int64_t time_us(const char *text)
{
    static const struct rewrite_options options = {.own_dir = "/vgpu/include"};
    struct rewrite_result result;
    const int64_t from = now_us();

    rewrite_text(text, strlen(text), &options, &result);
    rewrite_result_free(&result);
    return now_us() - from;
}

/* The least of a few times: others may have the processor, too. */
static int64_t least_us(const struct kind *kind, int times, int tries)
{
    char *text = make_text(kind, times);
    int64_t least = time_us(text);

    for (int i = 1; i < tries; i++) {
        int64_t took = time_us(text);

        least = took < least ? took : least;
    }
    free(text);
    return least;
}

/* So many that a time means something. */
static bool is_linear(const struct kind *kind)
{
    int times = 100;
    int64_t one, four;

    while (least_us(kind, times, 1) < 1000 && times < 16000)
        times *= 2;
    for (int tries = 1; tries <= 9; tries *= 3) {
        one = least_us(kind, times, tries);
        four = least_us(kind, 4 * times, tries);
        if (four < 8 * one + 500)
            return true;
    }
    print_error("%d times, %lld us, and 4 times that, %lld us: %s\n", times,
                (long long)one, (long long)four, kind->unit);
    return false;
}

static void test_growth(void **state)
{
    int failed = 0;

    (void)state;
    for (int k = 0; k < KINDS; k++)
        failed += !is_linear(&kinds[k]);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
