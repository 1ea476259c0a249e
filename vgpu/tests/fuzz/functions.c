/*
 * functions.c: fuzzes vgpucc with random valid device functions, and holds what
 * they give against the same text compiled by a plain C++ compiler, for which
 * CUDA's words are empty.
 *
 *   fuzz_functions [--seconds S] [--count N] [--first SEED]
 *                  [--seed SEED [--verbose]]
 *
 * A text is grown from rules: $X is replaced by one of X's rules, @ by a number
 * of that rule's own. VGPUCC names the compiler under test.
 */
#include "fuzzer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS 400 /* of one program */
#define IN_KERNEL 8

/* ---- types --------------------------------------------------------------- */

static const struct type {
    const char *name;
    bool whole; /* numbers wrap; of others none may grow without bounds */
} types[] = {
    {"unsigned", true}, {"uint64_t", true}, {"unsigned long long", true},
    {"uint32_t", true}, {"float", false},   {"double", false},
};

/* ---- rules --------------------------------------------------------------- */

/* For whole numbers where @kind is 'i', for others where it is 'f'. */
struct rule {
    char symbol, kind;
    const char *text;
};

static const struct rule rules[] = {
    /* V: a variable; P: a parameter, which stays small; N: a number */
    {'V', 0, "s"},
    {'V', 0, "u"},
    {'V', 0, "w"},
    {'N', 'i', "3"},
    {'N', 'i', "0x1fu"},
    {'N', 'i', "17u"},
    {'N', 'f', "0.5f"},
    {'N', 'f', "1.0f"},
    {'N', 'f', "0.125f"},
    {'K', 0, "2"},
    {'K', 0, "3"},
    {'K', 0, "5"},
    /* E: an expression */
    {'E', 0, "$V"},
    {'E', 0, "p"},
    {'E', 0, "$N"},
    {'E', 'i', "($E + $E)"},
    {'E', 'i', "($E * $E)"},
    {'E', 'i', "($E ^ $E)"},
    {'E', 'i', "($E - $E) "},
    {'E', 'i', "(($E & $E)|$N)"},
    {'E', 'i', "($E << 3)"},
    {'E', 'i', "($E >> 5)"},
    {'E', 'i', "($E / 7)"},
    {'E', 'i', "($E % 9)"},
    {'E', 'f', "($E + $E) * 0.25f"},
    {'E', 'f', "($E - $E) * 0.25f"},
    {'E', 'f', "$E / 4"},
    {'E', 'f', "($E * p + $N) * 0.25f"},
    {'E', 0, "($C ? $E : $E)"},
    {'E', 0, "($T)($E)"},
    {'E', 0, "static_cast<$T>($E)"},
    {'E', 0, "same<$T>($E)"},
    /* C: a condition */
    {'C', 0, "$E < $E"},
    {'C', 0, "$E > $N"},
    {'C', 0, "!($E == $N)"},
    {'C', 0, "($C) && $E <= $E"},
    {'C', 0, "($C || $E >= p)"},
    /* A: an assignment */
    {'A', 0, "$V = $E"},
    {'A', 'i', "$V += $E"},
    {'A', 'i', "$V -= $E"},
    {'A', 'i', "$V ^= $E"},
    {'A', 'i', "$V *= $N"},
    {'A', 'i', "$V++"},
    {'A', 'f', "$V = $V * 0.5f + $E"},
    {'A', 'f', "$V *= 0.5f"},
    {'A', 'f', "$V = $V * p + $N"},
    /* S: a statement */
    {'S', 0, "$A;"},
    {'S', 0, "$A;"},
    {'S', 0, "$A, $A;"},
    {'S', 0, "{ $S $S }"},
    {'S', 0, "if ($C) $S"},
    {'S', 0, "if ($C) { $S } else $S"},
    {'S', 0, "if ($C) $S else if ($C) $S else { $S }"},
    {'S', 0, "if (const $T q@ = $E; q@ > $N) $S"},
    {'S', 0, "for (int i@ = 0; i@ < $K; i@++) $S"},
    {'S', 0, "for (int i@ = $K; i@--;) { $S }"},
    {'S', 0,
     "for (int i@ = 0; i@ < $K; ++i@) for (int j@ = i@; j@ < 3; j@++) "
     "$S"},
    {'S', 0,
     "for (int i@ = 0; i@ < 4; i@++) { if ($C) continue; $S if ($C) "
     "break; }"},
    {'S', 0, "{ int i@ = $K; while (i@-- > 0) $S }"},
    {'S', 0, "{ int i@ = 0; do $S while (++i@ < $K); }"},
    {'S', 0, "{ int i@ = 0; do { $S } while (++i@ < $K); }"},
    {'S', 0, "{ const $T a@[3] = {$E, $E, $E}; for ($T x : a@) $V = x; }"},
    {'S', 0,
     "switch ((int)($C) + $K) { case 2: $S break; case 3: { $S } "
     "default: $S }"},
    {'S', 0, "{ const $T h@ = $E; $T s = h@; $A; w = s; }"},
    {'S', 0, "{ auto f@ = [&]($T x) { $A; return x; }; $V = f@($E); }"},
    {'S', 0,
     "$V = [=] { auto g = [=](auto x) { return x; }; return g($E); "
     "}();"},
    {'S', 0,
     "{ struct l@ { $T a; __device__ $T get() const { return a; } }; "
     "l@ l{$E}; $V = l.get(); }"},
    {'S', 0, "{ two<$T> x@ = {$E, $E}; auto [a, b] = x@; $V = a; u = b; }"},
    {'S', 0, ";"},
    /* R: an early return; M: many statements; L: a loop that may be long */
    {'R', 0, ""},
    {'R', 0, "if ($C) `"},
    {'R', 0, "if ($C) { $S ` }"},
    {'R', 0, "for (int i@ = 0; i@ < 4; i@++) { $S if ($C) ` }"},
    {'M', 0, "$S $R"},
    {'M', 0, "$S $S $R $S"},
    {'M', 0, "$L $R $S"},
    {'M', 0, "$L"},
    /* Q: plain statements, which many threads may do at once */
    {'Q', 'i', "s = s * p + $N;"},
    {'Q', 'f', "s = s * p + $N;"},
    {'Q', 'i', "u ^= s + (w << 3);"},
    {'Q', 'i', "w = u - s * 5;"},
    {'Q', 'f', "u = u * 0.5f + s * 0.25f;"},
    {'Q', 'f', "w = (u - s) * 0.5f;"},
    {'Q', 0, "{ $Q $Q }"},
    {'Q', 0, "{ const $T x@ = s; u = x@; }"},
    {'Q', 0, "for (int i@ = 0; i@ < n; i@++) $Q"},
    {'Q', 0, "for (int i@ = 0; i@ < 30; i@++) { $Q $Q }"},
    {'Q', 0, "if (n > 2) $Q"},
    {'Q', 0, "if (n < 3) { $Q } else $Q"},
    {'Q', 0, "{ int i@ = 9; while (i@-- > 0) $Q }"},
    {'Q', 0, "{ int i@ = 9; do $Q while (--i@ > 0); }"},
    {'L', 0, "for (int i@ = 0; i@ < 99; i@++) s = s * p + $N;"},
    {'L', 0, "for (int i@ = 0; i@ < n; i@++) { $A; }"},
    {'L', 0, "for (int i@ = 0; i@ < n; i@ += 2) { s = s * p + w; $A; }"},
    {'L', 0, "while (n-- > 0) $A;"},
    {'L', 0, "do { s = $E; } while (--n > 0);"},
};
#define RULES ((int)(sizeof rules / sizeof *rules))

/* ---- a text grows -------------------------------------------------------- */

struct out {
    char *at;
    size_t size, capacity;
};

static void add(struct out *t, const char *at, size_t size)
{
    if (t->size + size + 1 > t->capacity) {
        t->capacity = 2 * (t->size + size + 1);
        t->at = realloc(t->at, t->capacity);
        if (!t->at)
            abort();
    }
    memcpy(t->at + t->size, at, size);
    t->size += size;
    t->at[t->size] = '\0';
}

static void say(struct out *t, const char *words)
{
    add(t, words, strlen(words));
}

static const struct type *type; /* of the function that is made */
static const char *leave;       /* what its returns are; ` in rules */
static int serial;

static void grow(struct out *t, const char *text, int depth);

/* Deep down the first ones are taken, which lead to no more. */
static void grow_symbol(struct out *t, char symbol, int depth)
{
    int fitting[RULES], count = 0;

    if (symbol == 'T') {
        say(t, type->name);
        return;
    }
    for (int r = 0; r < RULES; r++)
        if (rules[r].symbol == symbol &&
            (!rules[r].kind || (rules[r].kind == 'i') == type->whole))
            fitting[count++] = r;
    grow(t, rules[fitting[pick(depth > 0 ? count : 1)]].text, depth - 1);
}

static void grow(struct out *t, const char *text, int depth)
{
    const int own = ++serial;
    char number[16];

    for (; *text; text++) {
        if (*text == '$') {
            grow_symbol(t, *++text, depth);
        } else if (*text == '@') {
            snprintf(number, sizeof number, "%d", own);
            say(t, number);
        } else if (*text == '`') {
            grow(t, leave, depth);
        } else {
            add(t, *text == ' ' && !pick(12) ? "\n" : text, 1);
        }
    }
}

/* ---- functions ----------------------------------------------------------- */

/*
 * The ways in which a function takes and gives: # is its name, ^ where its
 * specifiers stand, ~ its body. A call may use t, an lvalue, and leaves its
 * result in t.
 */
static const struct form {
    const char *head, *begin, *leave, *call;
} forms[] = {
    {"^ $T #($T p, int n) ~", "", "return $E;", "t = #(t, $K + 2);"},
    {"^ $T #($T p, int n) ~", "", "return $E;", "t = #(t, 40);"},
    {"^ $T #(const $T p, int n = 6) ~", "", "return $E;", "t = #(t);"},
    {"^ $T #(const $T &p) ~", "int n = 5;", "return $E;", "t = #(t);"},
    {"^ $T #($T *at, int n) ~", "const $T p = *at;", "return $E;",
     "t = #(&t, 4);"},
    {"^ $T &#($T &x, const int &m) ~", "const $T p = x; int n = m;",
     "{ x = $E; return x; }", "#(t, 3);"},
    {"^ void #($T p, $T *out) ~", "int n = 4;", "{ *out = $E; return; }",
     "#(t, &t);"},
    {"^ two<$T> #(two<$T> x) ~", "const $T p = x.a; int n = 3;",
     "return two<$T>{$E, x.b};", "t = #(two<$T>{t, 1}).a;"},
    {"^ auto #($T p, int n) -> $T ~", "", "return $E;", "t = #(t, 9);"},
    {"^ $T #(const $T (&x)[2]) ~", "const $T p = x[1]; int n = 3;",
     "return $E;", "{ const $T x[2] = {0, t}; t = #(x); }"},
    {"^ $T #($T p, int, int n = 8) ~", "", "return $E;", "t = #(t, 2);"},
    {"template <class Q> ^ Q #(Q p, int n) ~", "", "return $E;",
     "t = #<$T>(t, 7);"},
    {"template <int m, class Q = $T> ^ Q #(Q p) ~", "int n = m;", "return $E;",
     "t = #<6>(t);"},
    {"struct c# { $T k; ^ $T get(int n) const ~ };", "const $T p = k;",
     "return $E;", "t = c#{t}.get(4);"},
    {"struct c# { $T k; ^ c# operator+(int n) const ~ };", "const $T p = k;",
     "return c#{$E};", "t = (c#{t} + 5).k;"},
    {"namespace n# { ^ $T f($T p, int n) ~ }", "", "return $E;",
     "t = n#::f(t, 6);"},
    {"^ $T #(two<$T> p, int n); ^ $T #($T p, int n) ~", "", "return $E;",
     "t = #(t, 5);"},
    {"__device__ $T #($T p, int n); ^ $T #($T p, int n) ~", "", "return $E;",
     "t = #(t, 5);"},
};
#define FORMS ((int)(sizeof forms / sizeof *forms))

/* In any order; what C++ wants first is first. */
static void add_specifiers(struct out *t, bool no_static)
{
    static const char *const free_words[] = {
        "__device__", "__host__",        "inline",
        "static",     "__forceinline__", "__attribute__((unused))"};
    const char *words[4] = {"__device__"};
    int count = 1;

    if (!pick(6))
        say(t, "[[nodiscard]] ");
    for (int tries = pick(4); tries > 0; tries--) {
        const char *word = free_words[1 + pick(5)];
        bool there = no_static && !strcmp(word, "static");

        for (int w = 0; w < count; w++)
            there |= !strcmp(words[w], word) ||
                     (strstr(word, "inline") && strstr(words[w], "inline"));
        if (!there)
            words[count++] = word;
    }
    if (count < 4 && !pick(8))
        words[count++] = "__noinline__";
    for (int from = pick(count), w = 0; w < count; w++) {
        const char *word = words[(from + w) % count];

        say(t, word);
        say(t, pick(8) ? " " : "\n");
    }
}

/* @form's returns, of the function @name. */
static char *make_leave(const struct form *form, const char *name)
{
    struct out t = {0};

    for (const char *at = form->leave; *at; at++)
        add(&t, *at == '#' ? name : at, *at == '#' ? strlen(name) : 1);
    return t.at;
}

/* A function and its call, into one text each. */
static void make_function(struct out *t, struct out *call, int number)
{
    const struct form *form = &forms[pick(FORMS)];
    const bool in_macro = !pick(10), is_plain = !pick(3);
    struct out one = {0};
    char name[16], *returns;

    type = &types[pick((int)(sizeof types / sizeof *types))];
    snprintf(name, sizeof name, "f%d", number);
    leave = returns = make_leave(form, name);
    for (const char *at = form->head; *at; at++) {
        if (*at == '#') {
            say(&one, name);
        } else if (*at == '^') {
            add_specifiers(&one, strstr(form->head, "const ~") ||
                                     strstr(form->head, "; ^"));
        } else if (*at == '$') {
            grow_symbol(&one, *++at, 0);
        } else if (*at == '~') {
            grow(&one, "{ ", 0);
            grow(&one, form->begin, 0);
            grow(&one, " $T s = p, u = 1, w = $N; ", 2);
            grow(&one, is_plain ? "$Q $Q $Q " : "$M ", 4);
            grow(&one, leave, is_plain ? 0 : 3);
            grow(&one, " }", 0);
        } else {
            add(&one, at, 1);
        }
    }
    for (size_t i = 0; in_macro && i < one.size; i++)
        one.at[i] = one.at[i] == '\n' ? ' ' : one.at[i];
    say(t, in_macro ? "\n#define MADE " : "");
    say(t, one.at);
    say(t, in_macro ? "\nMADE\n#undef MADE\n" : pick(9) ? "\n" : "");
    free(one.at);
    free(returns);
    say(call, "{ ");
    grow(call, type->whole ? "$T t = i * 3 + 1; " : "$T t = i * 0.0078125f; ",
         0);
    for (const char *at = form->call; *at; at++) {
        if (*at == '#')
            say(call, name);
        else if (*at == '$')
            grow_symbol(call, *++at, 0);
        else
            add(call, at, 1);
    }
    say(call, " o[i] = o[i] * 31 + bits(t); }\n");
}

static const char prelude[] =
    "#include <cstdint>\n#include <cstdio>\n#include <cstring>\n"
    "#ifdef __VGPU__\n#define RUN(k) k<<<2, 32>>>(o), "
    "cudaDeviceSynchronize()\n#define INDEX (blockIdx.x * 32 + threadIdx.x)\n"
    "#else\n#define __device__\n#define __host__\n#define __global__\n"
    "#define __forceinline__ inline\n"
    "#define __noinline__ __attribute__((noinline))\nstatic unsigned INDEX;\n"
    "#define RUN(k) for (INDEX = 0; INDEX < 64; INDEX++) k(o)\n#endif\n"
    "template <class T> struct two { T a, b; };\n"
    "template <class T> __host__ __device__ T same(T x) { return x; }\n"
    "__device__ static unsigned bits(uint64_t x) { return (unsigned)(x ^ x >> "
    "32); }\n"
    "__device__ static unsigned bits(unsigned long long x) { return "
    "bits((uint64_t)x); }\n"
    "__device__ static unsigned bits(unsigned x) { return x; }\n"
    "__device__ static unsigned bits(float x) { unsigned b; memcpy(&b, &x, 4); "
    "return b; }\n"
    "__device__ static unsigned bits(double x) { uint64_t b; memcpy(&b, &x, "
    "8); return bits(b); }\n";

/* The program of @seed. */
static char *make_program(uint64_t seed)
{
    struct out t = {0}, main_text = {0};
    char line[200];

    state = seed;
    serial = 0;
    say(&t, prelude);
    for (int f = 0; f < FUNCTIONS; f += IN_KERNEL) {
        struct out calls = {0};

        for (int k = f; k < f + IN_KERNEL; k++)
            make_function(&t, &calls, k);
        snprintf(line, sizeof line,
                 "\n__global__ void k%d(unsigned *o)\n{\nconst unsigned i = "
                 "INDEX;\n",
                 f);
        say(&t, line);
        say(&t, calls.at);
        say(&t, "}\n");
        free(calls.at);
        snprintf(line, sizeof line, "    RUN(k%d);\n    tell(o, %d);\n", f, f);
        say(&main_text, line);
    }
    snprintf(line, sizeof line,
             "static void tell(unsigned *o, int k)\n{\n    unsigned sum = 0;\n"
             "    for (int i = 0; i < 64; i++) sum = sum * 31 + o[i], o[i] = "
             "0;\n    printf(\"k%%d %%u\\n\", k, sum);\n}\n");
    say(&t, line);
    say(&t, "int main()\n{\n    unsigned *o;\n#ifdef __VGPU__\n"
            "    cudaMallocManaged(&o, 256);\n#else\n    o = new "
            "unsigned[64];\n#endif\n    memset(o, 0, 256);\n");
    say(&t, main_text.at);
    say(&t, "}\n");
    free(main_text.at);
    return t.at;
}

/* ---- one program compiled and run ---------------------------------------- */

static char directory[] = "/tmp/fuzz_functions.XXXXXX";

/* Run @format with the directory and @with in it. Return: its exit status. */
static int sh(const char *format, const char *with)
{
    char command[1024];

    snprintf(command, sizeof command, format, with, directory);
    return system(command);
}

static const char *try_seed(uint64_t seed, bool verbose)
{
    static const char *const compilers[] = {"g++", "clang++"};
    const char *name = getenv("VGPUCC");
    char *text = make_program(seed), path[256], options[128];
    FILE *out;

    if (verbose)
        puts(text);
    snprintf(path, sizeof path, "%s/p.cu", directory);
    out = fopen(path, "w");
    if (!out)
        return "cannot write";
    fputs(text, out);
    fclose(out);
    free(text);
    setenv("VGPU_CXX", compilers[seed % 4 == 3], 1);
    setenv("VGPUCC", name ? name : "build/bin/vgpucc", 1);
    setenv("VGPUCC_STRICT", "1", 1);
    snprintf(options, sizeof options, "-O%d", 1 + (int)(seed / 4 % 2));
    if (sh("cd %2$s && g++ -x c++ -std=c++17 -w -O0 -ffp-contract=off p.cu -o "
           "plain 2>log && ./plain >want",
           ""))
        return "is no program";
    if (sh("$VGPUCC %s -std=c++17 -extended-lambda -Xcompiler -w %s/p.cu "
           "-o %2$s/p >%2$s/log 2>&1",
           options))
        return "is not compiled";
    if (sh("cd %2$s && ./p >out 2>log", ""))
        return "does not run";
    return sh("cd %2$s && diff want out >log", "") ? "gives something else"
                                                   : NULL;
}

/* Return: the exit status. */
static int fuzz_many(uint64_t seed, double seconds, int count)
{
    const double start = now_s();
    int done = 0, failed = 0;

    while ((count ? done < count : now_s() - start < seconds) && failed < 10) {
        const char *wrong = try_seed(seed, false);

        if (wrong) {
            failed++;
            printf("not ok: seed %" PRIu64 " %s\n", seed, wrong);
            sh("sed 's/^/# /; 12q' %2$s/log%1$s", "");
        }
        seed++;
        done += FUNCTIONS;
        if (done % 1000 < FUNCTIONS)
            printf("# %d functions, %d programs failed\n", done, failed);
    }
    printf("functions %d (%.1f a second)\n", done, done / (now_s() - start));
    printf("%d passed, %d failed\n", done - failed, failed);
    return failed != 0;
}

/* Without --seed many programs, with it one, which is then shown. */
int main(int argc, char **argv)
{
    const struct fuzz_options options = read_options(argc, argv);
    int status;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!mkdtemp(directory))
        return 2;
    if (options.seed) {
        const char *wrong =
            try_seed(strtoull(options.seed, NULL, 10), options.verbose);

        sh("sed 's/^/# /; 12q' %2$s/log%1$s >&2", "");
        printf("// %s\n", wrong ? wrong : "fine");
        status = wrong ? 1 : 0;
    } else {
        status = fuzz_many(options.first, options.seconds, options.count);
    }
    sh("rm -rf %2$s%1$s", "");
    return status;
}
