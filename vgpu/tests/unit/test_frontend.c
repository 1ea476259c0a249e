/*
 * test_frontend.c: the lexer, the rewriter and the command line of vgpucc.
 */
#include "buf.h"
#include "lex.h"
#include "options.h"
#include "rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define STUB_BEGIN                                                             \
    "[=]([[maybe_unused]] const ::uint3 threadIdx, "                           \
    "[[maybe_unused]] const ::uint3 blockIdx, "                                \
    "[[maybe_unused]] const ::dim3 blockDim, "                                 \
    "[[maybe_unused]] const ::dim3 gridDim, "                                  \
    "[[maybe_unused]] ::vgpu_cost &vgpu_c) "
#define STUB_GCC   STUB_BEGIN "mutable __attribute__((always_inline)) -> void {"
#define STUB_CLANG STUB_BEGIN "__attribute__((always_inline)) mutable -> void {"

static struct rewrite_options plain = {.own_dir = "/vgpu/include"};

/* ---- helpers ------------------------------------------------------------- */

static char *rewritten(const char *text)
{
    struct rewrite_result result;

    if (rewrite_text(text, strlen(text), &plain, &result))
        print_error("refused: %s", result.errors);
    assert_int_equal(result.num_errors, 0);
    assert_int_equal(result.size, strlen(result.text));
    free(result.errors);
    return result.text;
}

static void assert_rewrites(const char *text, const char *expected)
{
    char *got = rewritten(text);

    assert_string_equal(got, expected);
    free(got);
}

static void assert_unchanged(const char *text)
{
    assert_rewrites(text, text);
}

static void assert_contains(const char *text, const char *part)
{
    char *got = rewritten(text);

    if (!strstr(got, part))
        print_error("no \"%s\" in:\n%s\n", part, got);
    assert_non_null(strstr(got, part));
    free(got);
}

static void assert_lacks(const char *text, const char *part)
{
    char *got = rewritten(text);

    if (strstr(got, part))
        print_error("\"%s\" in:\n%s\n", part, got);
    assert_null(strstr(got, part));
    free(got);
}

static void assert_refused(const char *text, const char *message)
{
    struct rewrite_result result;

    assert_int_equal(rewrite_text(text, strlen(text), &plain, &result), -1);
    assert_null(result.text);
    if (!strstr(result.errors, message))
        print_error("not \"%s\": %s", message, result.errors);
    assert_non_null(strstr(result.errors, message));
    rewrite_result_free(&result);
}

/* ---- lexer --------------------------------------------------------------- */

/* `<< <` is a launch's `<<<`, however long it is. */
static bool lex_is(const struct lex_token *token, const char *s)
{
    return token->word == W_LAUNCH ? !strcmp(s, "<<<")
                                   : token->length == (int)strlen(s) &&
                                         !memcmp(token->text, s, strlen(s));
}

static void assert_tokens(const char *text, const char *const *expected)
{
    struct lex lex;
    int i;

    lex_text(&lex, text, strlen(text), NULL);
    for (i = 0; expected[i]; i++) {
        assert_true(i < lex.count);
        if (!lex_is(&lex.tokens[i], expected[i]))
            print_error("token %d: '%.*s', not '%s'\n", i, lex.tokens[i].length,
                        lex.tokens[i].text, expected[i]);
        assert_true(lex_is(&lex.tokens[i], expected[i]));
    }
    assert_int_equal(i, lex.count);
    assert_int_equal(lex.tokens[i].kind, LEX_END);
    lex_free(&lex);
}

#define TOKENS(text, ...)                                                      \
    assert_tokens(text, (const char *const[]){__VA_ARGS__, NULL})

static void test_punctuation(void **state)
{
    (void)state;
    TOKENS("k<<<a>>>(b)", "k", "<<<", "a", ">", ">", ">", "(", "b", ")");
    TOKENS("a << b <<= c <=> d", "a", "<<", "b", "<<=", "c", "<=>", "d");
    TOKENS("operator<<<int>", "operator", "<<", "<", "int", ">");
    TOKENS("x->*y.*z->w...", "x", "->*", "y", ".*", "z", "->", "w", "...");
    TOKENS("a>>=b>=c", "a", ">", ">=", "b", ">=", "c");
    TOKENS("::a##b\\", "::", "a", "##", "b", "\\");
    TOKENS("a + \\ \n b", "a", "+", "b");
}

static void test_literals(void **state)
{
    (void)state;
    TOKENS("1'000'000u 0x1p-4 1.5e+3f .5 1..2", "1'000'000u", "0x1p-4",
           "1.5e+3f", ".5", "1..2");
    TOKENS("'a' '\\'' L'x' u8\"s\" \"a\\\"b\"_s", "'a'", "'\\''", "L'x'",
           "u8\"s\"", "\"a\\\"b\"_s");
    TOKENS("R\"(a \" b)\" LR\"x()y)x\" c", "R\"(a \" b)\"", "LR\"x()y)x\"",
           "c");
    TOKENS("a /* <<< */ b // c\nd", "a", "b", "d");
}

static void test_broken_literals(void **state)
{
    (void)state;
    TOKENS("\"abc\nd", "\"abc", "d");
    TOKENS("'\\\nx", "'\\", "x");
    TOKENS("R\"(abc", "R\"(abc");
    TOKENS("R\"waytoolongdelimiter(x", "R\"waytoolongdelimiter(x");
    TOKENS("/* abc", NULL);
    TOKENS("1e", "1e");
}

static void test_lines(void **state)
{
    struct lex lex;
    const char *text = "a\n# 10 \"f \\\"q.cu\" 1\nb R\"(\n)\" c\n"
                       "# 7 \"/usr/x.h\" 1 3 4\nhidden\n# 12 \"f \\\"q.cu\" 2\n"
                       "d\n# 12 \"f \\\"q.cu\" 3\ne\n"
                       "# 1 \"/own/v.h\" 1\nhidden\n#line 3 \"f \\\"q.cu\"\nf";

    (void)state;
    lex_text(&lex, text, strlen(text), "/own");
    assert_int_equal(lex.count, 7);
    assert_int_equal(lex.tokens[0].line, 1);
    assert_int_equal(lex.tokens[1].line, 10);
    assert_int_equal(lex.tokens[3].line, 11);
    assert_int_equal(lex.tokens[4].line, 12);
    assert_true(lex_is(&lex.tokens[5], "e"));
    assert_int_equal(lex.tokens[5].line, 12);
    assert_int_equal(lex.tokens[6].line, 3);
    assert_int_equal(lex.num_files, 3);
    lex_free(&lex);
}

/* Each token has its word's number, the same name the same one; what is in a
 * string, or a part of a longer name, is no word. */
static void test_words(void **state)
{
    static const char text[] = "__global__ a \"for\" << < for fors a () <<= 1";
    static const int words[] = {W___global__, W_OTHER,     W_NONE,  W_LAUNCH,
                                W_for,        W_OTHER + 1, W_OTHER, '(',
                                ')',          W_SHIFT_BY,  W_NONE,  W_NONE};
    struct lex lex;

    (void)state;
    lex_text(&lex, text, strlen(text), NULL);
    assert_int_equal(lex.count, 11);
    for (int i = 0; i <= lex.count; i++)
        assert_int_equal(lex.tokens[i].word, words[i]);
    assert_true(lex_in(W_for, LOOP) && lex_in(W_for, TYPE | KEYWORD));
    assert_false(lex_in(W_for, TYPE) || lex_in('(', ~0u) ||
                 lex_in(W_OTHER, ~0u));
    lex_free(&lex);
}

static void test_brackets(void **state)
{
    (void)state;
    assert_refused("\nint f() {\n(", "<input>:3: error: vgpucc: the '('");
    assert_refused(
        "int f() { ( }",
        "the '(' opened here is not closed before the '}' of line 1");
    assert_refused("int f() {\n) }", "2: error: vgpucc: ')' does not close");
    assert_refused("# 5 \"a.cu\"\n}", "a.cu:5: error: vgpucc: '}' closes");
}

/* ---- kernels and launches ------------------------------------------------ */

static void test_kernel(void **state)
{
    const char *text = "# 1 \"f.cu\"\n__global__ void k(int *x, int a = 3)\n"
                       "{ *x = a; }\n";

    (void)state;
    assert_rewrites(text,
                    "# 1 \"f.cu\"\n void k(int *x, int a = 3)\n"
                    "{ static const ::vgpu_kernel vgpu_self = {\"k\", "
                    "\"f.cu\", 1, 0, 0, {}}; "
                    "::vgpu_run_unwatched(&vgpu_self, " STUB_GCC
                    " vgpu_c.n += 2; *x = a; }, x, a); } "
                    "static const ::vgpu_kernel vgpu_kernel_1 = "
                    "{\"k\", \"f.cu\", 1, 0, 0, {}}; "
                    "__attribute__((init_priority(200))) "
                    "static const ::vgpu_registration vgpu_registration_1("
                    "::vgpu_stub<static_cast<void (*)(int * x ,int a )>(k)>(), "
                    "&vgpu_kernel_1);\n");
    plain.for_clang = 1;
    assert_contains(text, STUB_CLANG);
    plain.for_clang = 0;
}

/* Math functions and divisions take longer than other operations. Only in
 * device code, and only C's: a function of the user's counts what it does. */
static void test_math(void **state)
{
    (void)state;
    assert_contains("__device__ float f(float x) { return sinf(x); }",
                    "return ::vgpu_math_sinf(x);");
    assert_contains("__device__ float f(float x) { return std::pow(x, x); }",
                    "return ::vgpu_math_pow(x, x);");
    assert_contains("__global__ void k(float *x) { *x = ::exp(*x); }",
                    "*x = ::vgpu_math_exp(*x);");
    assert_lacks("float f(float x) { return sinf(x); }", "vgpu_math");
    assert_lacks("__device__ float f(s x) { return x.sqrt() + x->exp(1); }",
                 "vgpu_math");
    assert_lacks("__device__ float f(s x) { return mine::sqrt(x); }",
                 "vgpu_math");
    assert_lacks("__device__ int pow(int a, int b) { return a; }\n"
                 "__device__ int f(int a) { return pow(a, 2); }",
                 "vgpu_math");
    assert_lacks("__device__ int f() { float log(int); return sinfo(1); }",
                 "vgpu_math");
    assert_contains("__device__ int f(int a, int b) { return a / b + a / 2; }",
                    "vgpu_c.n += 3; vgpu_c.slots += 24;");
    assert_contains("__device__ void f(int &a, int b) { a %= b; }",
                    "vgpu_c.n += 1; vgpu_c.slots += 45;");
    assert_lacks("int f(int a, int b) { return a / b; }", "slots");
}

/* What a kernel is registered as, and which instances of a template are. */
static void test_kernel_heads(void **state)
{
    (void)state;
    assert_contains("__global__ void __launch_bounds__(2 * T, 4) k() {}",
                    "{\"k\", \"\", 1, (int)(2 * T), (int)(4), {}}");
    assert_contains("__launch_bounds__(64) __global__ void k() {}", "  void");
    assert_contains("__global__ void __cluster_dims__(2, N) k() {}",
                    "0, 0, {(int)(2), (int)(N), (int)(1)}}");
    assert_contains("__global__ void __cluster_dims__() k() {}", "0, 0, {-1}}");
    assert_lacks("template <class T> __global__ void k(T x) {}",
                 "vgpu_registration");
    assert_contains("template <> __global__ void k<int>(int x) {}",
                    "static_cast<void (*)(int x )>(k<int>)>(), &vgpu_kernel_1");
    assert_contains("template <class T, int N = (2 > 1), class... A> "
                    "__global__ void k(T x, A... a) {}",
                    "(void)&::vgpu_instance<static_cast<void (*)(T x ,A ... a "
                    ")>(k<T, N, A...>), &vgpu_self>::registration;");
    assert_lacks("template <class, int N> __global__ void k() {}",
                 "vgpu_instance");
    assert_contains("namespace n { __global__ void k(); }\n"
                    "__global__ void n::k() {}",
                    "::vgpu_stub<&n::k>()");
    assert_contains("__global__ void k(map<a, b> m = map<a, b>(1, 2),"
                    " const __grid_constant__ s v = {1, 2}) {}",
                    "void (*)(map < a , b > m ,const s v )");
    assert_rewrites("__global__ void k(int);", " void k(int);");
    assert_refused("__global__ int k() {}", "must return void");
    assert_refused("(x) __global__ void {}", "needs a name");
    assert_refused("struct s { __global__ void k() {} };", "class member");
    assert_refused("__global__ void a() { b<<<1, 1>>>(); }", "dynamic");
    assert_contains("__global__ void k() { puts(__func__); }",
                    "puts(vgpu_self.name)");
}

/* A launch may stand wherever an expression may; line breaks inside it stay, so
 * that a compiler's messages name the student's lines. */
static void test_launches(void **state)
{
    (void)state;
#define LAUNCH(text, expected)                                                 \
    assert_rewrites("constexpr void f() { " text " }",                         \
                    "constexpr void f() { " expected " }")
    LAUNCH("k<<<1, 2>>>(a);", "(::vgpu_configure(1, 2), k(a));");
    LAUNCH("k<T, 3> <<< 1, 2, 3, s >>> (a, b);",
           "(::vgpu_configure(   1, 2, 3, s ), k<T, 3> (a, b));");
    LAUNCH("n::k<m<int>><<<1, 2>>>();",
           "(::vgpu_configure(1, 2), n::k<m<int>>());");
    LAUNCH("::k<<<1, 2>>>();", "(::vgpu_configure(1, 2), ::k());");
    LAUNCH("a.b->c[1]<<<1, 2>>>();", "(::vgpu_configure(1, 2), a.b->c[1]());");
    LAUNCH("(*p)<<<1, 2>>>();", "(::vgpu_configure(1, 2), (*p)());");
    LAUNCH("f(1)(2)<<<1, 2>>>();", "(::vgpu_configure(1, 2), f(1)(2)());");
    LAUNCH("if (x) k<<<1, 2>>>(); else (k)<<<1, 2>>>();",
           "if (x) (::vgpu_configure(1, 2), k()); else "
           "(::vgpu_configure(1, 2), (k)());");
    LAUNCH("if (x) (k)<<<1, 2>>>();",
           "if (x) (::vgpu_configure(1, 2), (k)());");
    LAUNCH("(void)k<<<1, 2>>>();", "(void)(::vgpu_configure(1, 2), k());");
    LAUNCH("k<<<a<b<c>>>(1), 2>>>();",
           "(::vgpu_configure(a<b<c>>>(1), 2), k());");
    LAUNCH("k<<<n >> 1, 1 << 2>>>();",
           "(::vgpu_configure(n >> 1, 1 << 2), k());");
    LAUNCH("k<<<1, 2>>>(), m<<<3, 4>>>();",
           "(::vgpu_configure(1, 2), k()), (::vgpu_configure(3, 4), m());");
    LAUNCH("x.template k<1><<<1, 2>>>();",
           "(::vgpu_configure( 1, 2), x.template k<1>());");
    LAUNCH("k<<<n>>>();", "(::vgpu_configure(n), k());");
    LAUNCH("k\n<<<1,\n2>>>\n(a\n);", "(::vgpu_configure(\n1,\n2), k\n(a\n));");
#undef LAUNCH
    assert_refused("void f() { k<<<1, 2>>(); }", "has no '>>>'");
    assert_refused("void f() { k<<<1, 2>>>; }", "expected the kernel's");
    assert_refused("void f() { <<<1, 2>>>(); }", "a kernel's name");
    assert_refused("int a[k<<<1, 2>>>()];", "not supported here");
}

static void test_shared(void **state)
{
    (void)state;
    assert_contains(
        "__device__ void f() { __shared__ map<a, b> x[4][5], *y; }",
        "struct vgpu_shared_1 {  map<a, b> x[4][5], *y; static const char "
        "*const *vgpu_key() { static constexpr const char *vgpu_key_1 = "
        "\"x, y\"; return &vgpu_key_1; } }; "
        "[[maybe_unused]] auto &x = ::vgpu_shared<vgpu_shared_1>().x; "
        "[[maybe_unused]] auto &y = ::vgpu_shared<vgpu_shared_1>().y;");
    assert_contains("__device__ void f() { static __shared__ int (*x)[3]; }",
                    "\"x\"; return &vgpu_key_1; } }; [[maybe_unused]] auto &x "
                    "= ");
    assert_contains(
        "__device__ void f() { extern __shared__ alignas(8) float x[]; }",
        "typedef    float vgpu_dynamic_1[]; [[maybe_unused]] auto &x = "
        "*static_cast<vgpu_dynamic_1 *>(::vgpu_shared_dynamic());");
    assert_contains("extern __shared__ float x[];\n"
                    "__device__ void f() { g(x); }",
                    "typedef   float vgpu_dynamic_1[];\n void f() {");
    assert_contains("extern __shared__ float x[];\n"
                    "__device__ void f() { g(x); }",
                    "auto &x = *static_cast<vgpu_dynamic_1 *>");
    assert_lacks("extern __shared__ float x[];\nvoid f() { g(x); }", "auto &x");
    assert_refused("__device__ void f() { __shared__ int x = 3; }",
                   "initial value");
}

static void test_variables(void **state)
{
    (void)state;
#define SECTION(name) "__attribute__((section(\"" name "\")))"
#define VARIABLE      "__attribute__((section(\"vgpu_vars\"), no_reorder))"
#define ROOM(n)                                                                \
    " static char vgpu_room_" #n "[256] __attribute__((used, "                 \
    "section(\"vgpu_vars\"), no_reorder));"
#define NAMED(n, name, end)                                                    \
    " __attribute__((init_priority(200))) static const ::vgpu_variable "       \
    "vgpu_variable_" #n "(" #name ", \"" #name "\", " end ");"
    assert_rewrites("__device__ int x = 3, y[2];",
                    VARIABLE " int x = 3, y[2];" ROOM(1) NAMED(2, x, "nullptr")
                        NAMED(3, y, "vgpu_room_1 + 256"));
    assert_rewrites(
        "static __constant__ float x[2] = {1, 2};",
        "static " VARIABLE " float x[2] = {1, 2};" ROOM(1)
            NAMED(2, x, "vgpu_room_1 + 256") " static_assert(sizeof(x) <= 64 * "
                                             "1024, \"a device has 64 "
                                             "KiB of __constant__ memory\");");
    assert_rewrites(
        "__device__ const int x = 3;",
        SECTION("vgpu_consts") " const int x = 3;" NAMED(2, x, "nullptr"));
    assert_rewrites("__device__ void (*x)(int) = f;",
                    VARIABLE " void (*x)(int) = f;" ROOM(1)
                        NAMED(2, x, "vgpu_room_1 + 256"));
    assert_rewrites("__device__ int a::x;", VARIABLE " int a::x;" ROOM(1));
    assert_rewrites("extern __device__ int x[];",
                    "extern " VARIABLE " int x[];");
    assert_rewrites("__device__ __managed__ int x;",
                    SECTION("vgpu_managed") "  int x;" NAMED(2, x, "nullptr"));
    assert_rewrites("__device__ constexpr int x = 3;", " constexpr int x = 3;");
    assert_rewrites("struct s { __device__ static int x; };",
                    "struct s {  static int x; };");
    assert_rewrites("__device__ int f(int);", " int f(int);");
#undef NAMED
#undef ROOM
#undef VARIABLE
#undef SECTION
}

/* ---- who may call whom --------------------------------------------------- */

static void test_calls(void **state)
{
    (void)state;
    assert_refused("__global__ void k(int);\nvoid f() { k(3); }",
                   "<input>:2: error: vgpucc: kernel 'k' is called like a");
    assert_refused("int h(int a) { return a; }\n__global__ void k(int *x)\n"
                   "{ *x = h(3); }",
                   "3: error: vgpucc: host function 'h' is called from");
    assert_refused("__device__ int d() { return 1; }\nint f() { return d(); }",
                   "2: error: vgpucc: __device__ function 'd' is called from");
    free(rewritten("int h(); __device__ int h(int); void f() { h(); }\n"
                   "__device__ void g() { h(1); }"));
    free(rewritten("struct s { int h(); }; int h(); "
                   "__device__ void g() { h(); }"));
    free(rewritten("constexpr int h() { return 1; } "
                   "__device__ void g() { h(); }"));
    free(rewritten("int h(); __host__ __device__ void g() { h(); }"));
    free(rewritten("int h(); __device__ void g(int (*h)()) { h(); }"));
    free(rewritten("__global__ void k(); void f() { auto k = g; k(); }"));
    free(rewritten("__global__ void k(); void f() { n::k(); a.k(); T k(1); }"));
    free(rewritten("typedef int (*fn)(int); int (*fp)(int); "
                   "__device__ int f() { return int(2) + fn(0)(1); }"));
}

/* ---- device code --------------------------------------------------------- */

static void test_device_functions(void **state)
{
    (void)state;
    assert_rewrites("__device__ int f() { return threadIdx.x; }",
                    " int f() { [[maybe_unused]] const ::uint3 threadIdx = "
                    "::vgpu_thread_index(); return threadIdx.x; }");
    assert_rewrites("__host__ __device__ int f() { return a.threadIdx; }",
                    "  int f() { return a.threadIdx; }");
    assert_contains("__device__ void f() { std::printf(\"x\"); }",
                    " ::vgpu_printf(\"x\");");
    assert_contains("void f() { printf(\"x\"); }", " printf(\"x\");");
    assert_contains("__device__ void f() { n::printf(\"x\"); o.printf(); }",
                    " n::printf(\"x\"); o.printf();");
    assert_rewrites("__forceinline__ __device__ void f();",
                    "inline __attribute__((always_inline))  void f();");
    assert_rewrites("static inline __device__ __forceinline__ void f();",
                    "static inline  __attribute__((always_inline)) void f();");
    assert_unchanged("__attribute__((__noinline__)) void f();");
    assert_rewrites("# 1 \"a.cu\"\n#pragma unroll 4\n#pragma omp simd\n",
                    "# 1 \"a.cu\"\n\n#pragma omp simd\n");
    assert_refused("__device__ void f() { asm(\"x\"); }", "inline PTX");
    assert_refused(
        "__device__ float f() { return tex2DLod<float>(t, x, y, 0); }",
        "texture memory with mipmaps");
    assert_unchanged("texture<float, 2> t; surface<void, 2> s;");
    assert_refused("__device__ int f() { return __CUDA_ARCH__; }",
                   "only stand");
    assert_refused("extern \"C\" { void *memcpy(void *a) { return a; } }",
                   "a memcpy of its own");
    assert_unchanged("namespace n { void memcpy() {} } void n::memset() {} "
                     "struct s { void memcmp() {} }; void memset(int);");
}

/* ---- costs --------------------------------------------------------------- */

/* Counted once for each stretch without a jump, at its start: that is the least
 * that a loop can pay. A lambda and a thread have a counter of their own. */
static void test_costs(void **state)
{
    (void)state;
    assert_rewrites("int f() { return a + b * c; }",
                    "int f() { ::vgpu_cost vgpu_c; vgpu_c.n += 2; "
                    "return a + b * c; }");
    assert_rewrites("int f() { return 1; }", "int f() { return 1; }");
    assert_unchanged("constexpr int f() { return a + b; }");
    assert_contains("void f() { for (;;) a++; }",
                    "for (;;) { vgpu_c.n += 1; "
                    "::vgpu_idle(vgpu_c.n, 1, ::VGPU_IDLE_ROUNDS); a++; }");
    assert_contains("void f() { while (a < b) if (c) d(); else e(); }",
                    "while (a < b) { vgpu_c.n += 3; if (c) d(); else e(); }");
    assert_contains("void f() { do a++; while (b < c); }",
                    "do { vgpu_c.n += 2; a++; } while (b < c);");
    assert_contains("void f() { for (a : b) { c[1] = 2; } }",
                    "for (a : b) { vgpu_c.n += 2; c[1] = 2; }");
    assert_contains("void f() { if (a) { b(); } else { c(); } }",
                    "if (a) { vgpu_c.n += 1; b(); } else { vgpu_c.n += 1; ");
    assert_contains("void f() { switch (a + b) { case 1: c++; case 2 ? 3 : 4:"
                    " d(); default: ; } }",
                    "vgpu_c.n += 1; switch (a + b) { case 1: vgpu_c.n += 1; "
                    "c++; case 2 ? 3 : 4: vgpu_c.n += 1; d(); default: ; }");
    assert_contains(
        "void f() { g([=](int a) { return -a; }); }",
        "vgpu_c.n += 1; vgpu_c.flush(); g([=](int a) { ::vgpu_cost vgpu_c; "
        "vgpu_c.n += 1; return -a; });");
    assert_contains("void f() { static_cast<int>(a); m<int, 3> b; n<4>(c); }",
                    "vgpu_c.n += 2; static_cast");
    assert_contains("void f() { a >> b; c >>= d; e->f.g; }",
                    "vgpu_c.n += 2; a");
    assert_contains("void f() {\n#pragma omp parallel for\n"
                    "for (;;) a++; }",
                    "\nfor (;;) { ::vgpu_cost vgpu_c; vgpu_c.n += 1; "
                    "::vgpu_idle(vgpu_c.n, 1, ::VGPU_IDLE_ROUNDS); a++; }");
}

/* Names of streams and events, where to say them twice changes nothing. */
static void test_handles(void **state)
{
    (void)state;
    assert_contains("void f(s *p, int i) { cudaEventCreate(&p->e[i + 1]); }",
                    "cudaEventCreate(::vgpu_named(&p->e[i + 1], \"p->e[]\", "
                    "(long long)(i + 1)))");
    assert_contains("void f() { cudaStreamCreateWithFlags(&in, 1); }",
                    "(::vgpu_named(&in, \"in\"), 1)");
    assert_contains("void f() { cudaStreamCreate(&s[gpu][k]); }",
                    "\"s[][]\", (long long)(gpu), (long long)(k))");
    assert_lacks("void f() { cudaStreamCreate(&s[k++]); }", "vgpu_named");
    assert_lacks("void f() { cudaStreamCreate(&s[g()]); }", "vgpu_named");
    assert_lacks("void f() { cudaStreamCreate(&s.get()[1]); }", "vgpu_named");
    assert_lacks("void f() { cudaStreamCreate(s + 1); }", "vgpu_named");
    assert_lacks("void f() { cudaStreamCreate(&(s[1])); }", "vgpu_named");
}

/* Host code hands over what it counted before the clock matters. */
static void test_flush(void **state)
{
    (void)state;
#define FLUSH(text, expected)                                                  \
    assert_contains("int u(int); void f() { " text " }", expected)
    FLUSH("int e = cudaFree(p);", "vgpu_c.flush(); int e = cudaFree(p);");
    FLUSH("k<<<1, 2>>>();", "vgpu_c.flush(); (::vgpu_configure(1, 2), k());");
    FLUSH("u(3);", "vgpu_c.flush(); u(3);");
    FLUSH("std::thread t(u, 3);", "vgpu_c.flush(); std::thread t(u, 3);");
    FLUSH("auto t = a::b::now();", "vgpu_c.flush(); auto t = a::b::now();");
    FLUSH("x: [[maybe_unused]] int e = clock();",
          "x: vgpu_c.flush(); [[maybe_unused]] int e = clock();");
    FLUSH("if (a) u(1); else u(2);",
          "if (a) { vgpu_c.flush(); u(1); } else { vgpu_c.flush(); u(2); }");
    FLUSH("for (;;) u(1);",
          "for (;;) { vgpu_c.n += 1; { vgpu_c.flush(); u(1); } }");
    FLUSH("for (;;) if (a) u(1);", "if (a) { vgpu_c.flush(); u(1); } }");
    FLUSH("if (a) ; else if (u(1)) b;", "else if (vgpu_c.flush(), u(1)) b;");
    FLUSH("while (u(1)) b;", "while (vgpu_c.flush(), u(1)) {");
    FLUSH("do b; while (u(1));", "} while (vgpu_c.flush(), u(1));");
    FLUSH("for (int i = u(1); i < u(2); u(i)) b;",
          "for (int i = (vgpu_c.flush(),  u(1)); vgpu_c.flush(), i < u(2); "
          "vgpu_c.flush(), u(i)) {");
    FLUSH("while (T *x = u(1)) b;", "while (T *x = (vgpu_c.flush(),  u(1))) {");
    FLUSH("if (auto [x, y] = u(1); x) b;",
          "if (auto [x, y] = (vgpu_c.flush(),  u(1)); x) b;");
    FLUSH("if (v<int> x(u(1)); x) b;", "if (v<int> x(u(1)); x) b;");
    FLUSH("while (a * b > u(1)) c;", "while (vgpu_c.flush(), a * b > u(1)) {");
    FLUSH("switch (u(1)) { case 1: u(2); }",
          "switch (vgpu_c.flush(), u(1)) { case 1: vgpu_c.n += 1; "
          "vgpu_c.flush(); u(2); }");
    FLUSH("auto g = 1; g(2);", "vgpu_c.flush(); g(2);");
    FLUSH("(*q)(1);", "vgpu_c.flush(); (*q)(1);");
    assert_contains("struct T { T(); ~T(); }; void f() { T t; a + b; }",
                    "vgpu_c.flush(); T t; ::vgpu_flusher vgpu_flusher_1"
                    "(vgpu_c);");
    assert_lacks("struct T { T(); ~T(); }; void f() { T t; goto x; x:; }",
                 "vgpu_flusher");
#undef FLUSH
#define QUIET(text) assert_lacks(text, "flush")
    QUIET("void f() { for (;;) a = std::min(sqrt(b), c.size()); }");
    QUIET("int q(int a) { return a + sin(a); } void f() { q(1); }");
    QUIET("__global__ void k() { u(); } __device__ void u() { v(); }");
    QUIET("int q(int); void f() { for (auto x : q(1)) ; }");
    QUIET("int q(int); void f() {\n#pragma omp atomic\nx += q(1); }");
    QUIET("constexpr int q(int a) { return a; } void f() { q(1); }");
#undef QUIET
}

/* The user's text is what was not entered as a system header. */
static void test_system_text(void **state)
{
    (void)state;
    assert_unchanged("# 1 \"f.cu\"\n# 1 \"/usr/s.h\" 1 3\n"
                     "__global__ void k() { a + b; k<<<1, 2>>>(); }\n{{{(\n");
    assert_unchanged("# 1 \"f.cu\"\n# 1 \"/vgpu/include/s.h\" 1\n"
                     "int f() { a + b; }\n");
    assert_unchanged("int a = 1 << 2; // \x80\xff\n\ttypedef struct s t;\r\n");
}

/* ---- the command line ---------------------------------------------------- */

static int read_line_of(struct options *o, const char *line)
{
    struct list words = {0};
    int status;

    list_add(&words, "vgpucc");
    while (*line) {
        size_t length = strcspn(line, " ");

        list_addf(&words, "%.*s", (int)length, line);
        line += length + (line[length] == ' ');
    }
    status = options_read(o, words.count, words.items);
    list_free(&words);
    return status;
}

static void assert_list(const struct list *l, const char *expected)
{
    struct buf joined = {0};

    for (int i = 0; i < l->count; i++)
        buf_printf(&joined, "%s%s", i ? " " : "", l->items[i]);
    assert_string_equal(joined.data ? joined.data : "", expected);
    buf_free(&joined);
}

static void test_options(void **state)
{
    struct options o;

    (void)state;
    assert_int_equal(read_line_of(&o, "-O3 -std=c++14 -Ia -I b -DX=1 -D Y "
                                      "-Xcompiler -Wall,-fPIC -lm -L. x.cu "
                                      "-arch=sm_80 y.cpp z.o -o p -lcudart"),
                     0);
    assert_int_equal(o.mode, MODE_LINK);
    assert_string_equal(o.optimize, "3");
    assert_string_equal(o.standard, "c++17");
    assert_string_equal(o.output, "p");
    assert_list(&o.preprocess, "-Ia -Ib -DX=1 -DY");
    assert_list(&o.host, "-Wall -fPIC");
    assert_list(&o.link, "-lm -L.");
    assert_list(&o.inputs, "x.cu y.cpp z.o");
    assert_int_equal(o.kinds[0], INPUT_CUDA);
    assert_int_equal(o.kinds[1], INPUT_CXX);
    assert_int_equal(o.kinds[2], INPUT_LINKED);
    options_free(&o);
    assert_int_equal(read_line_of(&o, "--default-stream=per-thread -x cu a"),
                     0);
    assert_list(&o.preprocess, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    assert_int_equal(o.kinds[0], INPUT_CUDA);
    assert_string_equal(o.optimize, "2");
    options_free(&o);
}

/* ---- robustness ---------------------------------------------------------- */

static const char *const seeds[] = {
    "template <class T, int N = (3 > 2)> __global__ void __launch_bounds__(N)"
    " k(T *x, int a = 3) { __shared__ T s[N][N + 1], u; extern __shared__ "
    "float d[]; for (int i = 0; i < N; i++) s[i][0] = x[i] >> 2; do a++; "
    "while (a < 3); switch (a) { case 1: { u = 1; } default: break; } }",
    "int main() { k<int><<<dim3(1, 2), n >> 3, 0, s>>>(x, [=](int a) -> int "
    "{ return a; }); if (x) (k)<<<1, 2>>>(); else try { f(); } catch (...) "
    "{ g(({ int z = 1; z; })); } }",
    "# 1 \"a.cu\"\nextern \"C\" { namespace a::b { struct s : t<int> { "
    "explicit s() : x(1), y{2} {} int operator()(int) const; operator bool() "
    "{ return x; } enum e { A, B }; int x : 3, y; }; } }\n# 1 \"/u.h\" 1 3\n"
    "int hidden;\n# 3 \"a.cu\" 2\n__device__ __constant__ const int c = R\"x("
    "a)x\"[0];\n#pragma unroll\nauto l = [](auto x) { return x<y<z>>::w; };",
};

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void mutate(struct buf *text, uint32_t *random)
{
    static const char bits[] = "(){}[]<>;:,=\"'#\n\\R/* <<<>>>operator";
    uint32_t changes = next_random(random) % 4 + 1;

    while (changes-- && text->size > 1) {
        size_t at = next_random(random) % text->size;
        size_t length = next_random(random) % 12;

        switch (next_random(random) % 3) {
        case 0:
            text->data[at] = bits[next_random(random) % (sizeof bits - 1)];
            break;
        case 1:
            if (length > text->size - at)
                length = text->size - at;
            memmove(text->data + at, text->data + at + length,
                    text->size - at - length);
            text->size -= length;
            break;
        default:
            text->size = at + 1;
        }
    }
}

static size_t count_newlines(const char *text, size_t size)
{
    size_t lines = 0;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Broken programs are refused or rewritten, lines kept. In memory of its own,
 * so that a sanitizer sees whoever reads behind the end. */
static void assert_taken(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    struct rewrite_result result;

    memcpy(copy, text, size);
    if (!rewrite_text(copy, size, &plain, &result))
        assert_int_equal(count_newlines(result.text, result.size),
                         count_newlines(copy, size));
    else
        assert_non_null(result.errors);
    rewrite_result_free(&result);
    free(copy);
}

/* VGPU_FUZZ=N runs. */
static void test_mutations(void **state)
{
    const char *wanted = getenv("VGPU_FUZZ");
    int runs = wanted ? atoi(wanted) : 3000;
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < runs; i++) {
        const char *seed = seeds[i % 3];
        struct buf text = {0};

        buf_add(&text, seed, strlen(seed));
        mutate(&text, &random);
        assert_taken(text.data, text.size);
        buf_free(&text);
    }
}

static void test_cut_short(void **state)
{
    static const char array[] =
        "T &operator[](size_type __n) { return v[__n]; }";

    (void)state;
    for (size_t size = 0; size < sizeof array; size++)
        assert_taken(array, size);
    for (int i = 0; i < 3; i++)
        for (size_t size = 0; size <= strlen(seeds[i]); size++)
            assert_taken(seeds[i], size);
}

static void assert_deep(const char *open, const char *close)
{
    struct rewrite_result result;
    struct buf text = {0};

    buf_puts(&text, "void f() {");
    for (int i = 0; i < 20000; i++)
        buf_puts(&text, open);
    buf_puts(&text, ";");
    for (int i = 0; i < 20000; i++)
        buf_puts(&text, close);
    buf_puts(&text, "}");
    if (rewrite_text(text.data, text.size, &plain, &result))
        assert_non_null(strstr(result.errors, "nested too deeply"));
    rewrite_result_free(&result);
    buf_free(&text);
}

static void test_deep(void **state)
{
    (void)state;
    assert_deep("{", "}");
    assert_deep("for (;;)", "");
    assert_deep("if (a) ; else ", "");
    assert_deep("do ", "while (0);");
    assert_deep("struct s {", "};");
    assert_deep("[] {", "}");
    assert_deep("(", ")");
}

#define KERNEL "__global__ void k(float *x) { x[0] = f(x[1]); }"
#define INLINE "__attribute__((always_inline"

/* Kernels that show no order run without call-backs, and what they call is
 * inlined. */
static void test_unwatched(void **state)
{
    static const char *const watched[] = {
        "__global__ void k(volatile float *x) { x[0] = x[1]; }",
        "__device__ volatile float flag; "
        "__device__ float f(float x) { return flag; } " KERNEL,
    };
    static const char *const ordered[] = {
        "__device__ float f(float x) { return *(volatile float *)x; } " KERNEL,
        "__device__ float f(float x) { return __atomic_load_n(p, 0); } " KERNEL,
        "__device__ float f(float x) { printf(\"\"); return x; } " KERNEL,
        "__device__ float g(float x) { return clock() + atomicAdd(p, x); }"
        "__device__ float f(float x) { return g(x); } " KERNEL,
        "extern __device__ float f(float x); " KERNEL,
        "void h() { auto l = [=] __device__ (int i) { printf(\"\"); }; } "
        "__device__ float f(float x) { return x; } " KERNEL,
    };
    static const char *const atomics[] = {
        "__device__ float f(float x) { return atomicAdd(p, x); } " KERNEL,
        "struct s { __device__ float operator()() { return atomicAdd(p, 1); }"
        "}; __device__ float f(float x) { return x; } " KERNEL,
    };
    static const char *const alone[] = {
        "__device__ float f(float x) { return x ? f(x - 1) : 0; } " KERNEL,
        "__device__ float g(float x); __device__ float f(float x)"
        "{ return g(x); } __device__ float g(float x) { return f(x); }" KERNEL,
        "__device__ __noinline__ float f(float x) { return x; } " KERNEL,
    };
    static const char *const unwatched[] = {
        "__device__ float f(float x); " KERNEL
        " __device__ float f(float x) { return x; }",
        "__device__ float g(float x) { return atomicAdd(p, x); }"
        "__device__ float f(float x) { return x; } " KERNEL,
        "__device__ float f(float x, int y) { return x; } "
        "__device__ float f(float x) { return x; } " KERNEL,
    };

    (void)state;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        assert_contains(watched[i], " ::vgpu_run_kernel(&vgpu_self");
        assert_lacks(watched[i], "vgpu_run_unwatched");
    }
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++) {
        assert_contains(ordered[i], " ::vgpu_run_ordered(&vgpu_self");
        assert_lacks(ordered[i], "vgpu_run_unwatched");
    }
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
        assert_contains(atomics[i], " ::vgpu_run_atomics(&vgpu_self");
    for (size_t i = 0; i < sizeof unwatched / sizeof *unwatched; i++) {
        assert_contains(unwatched[i], " ::vgpu_run_unwatched(&vgpu_self");
        assert_contains(unwatched[i], "inline " INLINE ", used)) ");
    }
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        assert_contains(alone[i], " ::vgpu_run_unwatched(&vgpu_self");
        assert_lacks(alone[i], INLINE ", used");
    }
    assert_lacks(ordered[0], "inline " INLINE);
    assert_contains("static __device__ float f(float x) { return x; } " KERNEL,
                    "static inline " INLINE "))");
    assert_contains("inline __device__ float f(float x) { return x; } " KERNEL,
                    "inline " INLINE "))");
    assert_lacks("__device__ float g(float x) { return x; } "
                 "__global__ void k(volatile float *x) { x[0] = 1; }",
                 INLINE ", used");
}

#define LOOP(header, body)                                                     \
    "__global__ void k(float *a, int n) { int i = 0; float s = 0, t, u; "      \
    "float *p = &t; t = *p; __shared__ float all; for (" header ") " body      \
    " a[i] = s; }"

/* Loops that threads can do in step have a second form, and no others. */
static void test_loops(void **state)
{
    static const char *const step[] = {
        LOOP("int j = 0; j < n; j++", "s += a[j];"),
        LOOP("size_t j = i + 1; j <= 2 * n; ++j", "{ s += a[j]; }"),
        LOOP("unsigned int j = 0; j < 1000; j += 4",
             "{ const float x = a[j] * 2; s = s - x; i += x; }"),
        LOOP("int j = 0; j < blockDim.x; j++", "s *= a[j + threadIdx.x];"),
        LOOP("int j = 0; j < n; j++", "s += (float)a[(j) * n];"),
    };
    static const char *const alone[] = {
        LOOP("int j = 0; j < 32; j++", "s += a[j];"),
        LOOP("int j = n; j > 0; j--", "s += a[j];"),
        LOOP("int j = 0; j < n; j++, i++", "s += a[j];"),
        LOOP("i = 0; i < n; i++", "s += a[i];"),
        LOOP("int j = 0; j < s; j++", "s += a[j];"),
        LOOP("int j = 0; j < f(n); j++", "s += a[j];"),
        LOOP("int j = 0; j < n; j++", "s += f(a[j]);"),
        LOOP("int j = 0; j < n; j++", "s += a[j] / n;"),
        LOOP("int j = 0; j < n; j++", "s += a[j++];"),
        LOOP("int j = 0; j < n; j++", "s += (type)a[j];"),
        LOOP("int j = 0; j < n; j++", "s += a[j].x;"),
        LOOP("int j = 0; j < n; j++", "if (a[j]) s += a[j];"),
        LOOP("int j = 0; j < n; j++", "a[j] += s;"),
        LOOP("int j = 0; j < n; j++", "all += a[j];"),
        LOOP("int j = 0; j < n; j++", "n += a[j];"),
        LOOP("int j = 0; j < n; j++", "t += a[j];"),
        LOOP("int j = 0; j < n; j++", "{ u = a[j]; s += u; }"),
        LOOP("int j = 0; j < n; j++", "other += a[j];"),
        LOOP("int j = 0; j < n; j++", "{ s += a[j]; break; }"),
        LOOP("int j = 0; j < n; j++", "s += a[j]; atomicAdd(a, s);"),
        LOOP("int j = 0; j < n; j++", "s += a[j]; printf(\"%f\", s);"),
        LOOP("int j = 0; j < n; j++", "s += *(volatile float *)a;"),
        LOOP("int j = 0; j < n; j++", "for (int k = 0; k < j; k++) f(k);"),
        "__global__ void k(float *a, int n) { float s = 0;\n#pragma unroll\n"
        "for (int j = 0; j < n; j++) s += a[j]; a[0] = s; }",
        "void k(float *a, int n) { float s = 0; "
        "for (int j = 0; j < n; j++) s += a[j]; a[0] = s; }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        assert_contains(step[i], "::vgpu_loop_of<");
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        assert_lacks(alone[i], "vgpu_loop_of");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_punctuation),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_broken_literals),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_math),
        cmocka_unit_test(test_kernel_heads),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_device_functions),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_unwatched),
        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_system_text),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
