/*
 * sources.c: fuzzes vgpucc with random valid CUDA sources. Kernels and their
 * launches come in many forms; each changes an array as computed here, too.
 *
 *   fuzz_sources [--seconds S] [--first SEED] [--seed SEED [--verbose]]
 *
 * VGPUCC names the compiler under test (build/bin/vgpucc).
 */
#include "fuzzer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_N      128
#define MAX_STAGES 8
#define MAX_TREE   31

/* ---- expressions of the value v, its index i and a parameter a ----------- */

struct tree {
    char op; /* v i a: itself; c: a number; ? < > and the operators */
    uint32_t number;
    int left, right; /* ? has a third: right + 1's place is in @number */
};

struct expression {
    struct tree at[MAX_TREE];
    int count;
};

static int grow(struct expression *e, int depth)
{
    static const char leaves[] = "viac", inner[] = "+-*^&|lr<>?";
    int me = e->count++;
    struct tree t = {leaves[pick(4)], (uint32_t)pick(1000), 0, 0};

    if (depth && e->count < MAX_TREE - 6 && pick(4)) {
        t.op = inner[pick(11)];
        t.left = grow(e, depth - 1);
        t.right = grow(e, depth - 1);
        if (t.op == '?')
            t.number = (uint32_t)grow(e, depth - 1);
    }
    e->at[me] = t;
    return me;
}

/* As the compiled program computes it: 32 bits without sign, and of "?:" only
 * the branch that is taken. Shifts stay below 8: more would be undefined. */
static uint32_t value(const struct expression *e, int at, uint32_t v,
                      uint32_t i, uint32_t a)
{
    const struct tree *t = &e->at[at];
    uint32_t x = 0, y = 0;

    if (!strchr("viac", t->op)) {
        x = value(e, t->left, v, i, a);
        y = value(e, t->right, v, i, a);
    }
    switch (t->op) {
    case 'v':
        return v;
    case 'i':
        return i;
    case 'a':
        return a;
    case 'c':
        return t->number;
    case '+':
        return x + y;
    case '-':
        return x - y;
    case '*':
        return x * y;
    case '^':
        return x ^ y;
    case '&':
        return x & y;
    case '|':
        return x | y;
    case 'l':
        return x << (y & 7);
    case 'r':
        return x >> (y & 7);
    case '<':
        return x < y;
    case '>':
        return x > y;
    default:
        return x ? y : value(e, (int)t->number, v, i, a);
    }
}

static void print_tree(FILE *out, const struct expression *e, int at)
{
    const struct tree *t = &e->at[at];

    if (t->op == 'c')
        fprintf(out, "%uu", t->number);
    else if (strchr("via", t->op))
        fprintf(out, "%c", t->op);
    if (strchr("viac", t->op))
        return;
    fprintf(out, t->op == '<' || t->op == '>' ? "unsigned(" : "(");
    print_tree(out, e, t->left);
    if (t->op == 'l' || t->op == 'r')
        fprintf(out, t->op == 'l' ? " << (" : ">>(");
    else
        fprintf(out, pick(2) ? " %c " : "%c", t->op);
    print_tree(out, e, t->right);
    if (t->op == 'l' || t->op == 'r')
        fprintf(out, " & 7u)");
    if (t->op == '?') {
        fprintf(out, " : ");
        print_tree(out, e, (int)t->number);
    }
    fprintf(out, ")");
}

/* ---- stages: a kernel and its launch ------------------------------------- */

enum form {
    PLAIN,
    TEMPLATE,
    TEMPLATE_NUMBER,
    NAMESPACE,
    BOUNDS,
    STRUCT,
    SHARED,
    DYNAMIC,
    FUNCTION,
    STRIDE,
    MACRO,
    VARIABLE,
    FORMS,
};

struct stage {
    enum form form;
    struct expression e;
    uint32_t a;
    int grid, block;
    int launch;
};

static struct program {
    int n, count;
    struct stage stages[MAX_STAGES];
} p;

static void make(uint64_t seed)
{
    state = seed;
    memset(&p, 0, sizeof p);
    p.n = 32 << pick(3);
    p.count = 1 + pick(MAX_STAGES);
    for (int s = 0; s < p.count; s++) {
        struct stage *stage = &p.stages[s];

        stage->form = (enum form)pick(FORMS);
        grow(&stage->e, 4);
        stage->a = (uint32_t)pick(50);
        stage->block = 8 << pick(3);
        stage->grid = p.n / stage->block;
        stage->launch = pick(12);
    }
}

/* Which stage's value of v a thread takes. */
static int source_of(const struct stage *s, int i)
{
    int t = i % s->block;

    if (s->form == SHARED)
        return i - t + s->block - 1 - t;
    if (s->form == DYNAMIC)
        return i - t + (t + 1) % s->block;
    return i;
}

static void apply(const struct stage *s, uint32_t *x)
{
    uint32_t old[MAX_N];

    memcpy(old, x, sizeof old);
    for (int i = 0; i < p.n; i++)
        x[i] = value(&s->e, 0, old[source_of(s, i)], (uint32_t)i, s->a);
}

/* ---- the program's text -------------------------------------------------- */

static const char *const index_line =
    "    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n";

static void print_head(FILE *out, const struct stage *s, int number)
{
    switch (s->form) {
    case TEMPLATE:
        fprintf(out, "template <typename T>\n__global__ void k%d(T *x, T a)",
                number);
        break;
    case TEMPLATE_NUMBER:
        fprintf(out,
                "template <class T, unsigned a = (1 > 0)>\n"
                "__global__ void k%d(T *x)",
                number);
        break;
    case NAMESPACE:
        fprintf(out, "namespace n%d {\nstatic ", number);
        /* fallthrough */
    default:
        fprintf(out, "__global__ void %sk%d(unsigned *x, unsigned a)",
                s->form == BOUNDS ? "__launch_bounds__(256, 1) " : "", number);
        break;
    case STRUCT:
        fprintf(out,
                "struct s%d { unsigned a; char pad[3]; };\n"
                "__global__ void k%d(unsigned *x, const s%d p)",
                number, number, number);
        break;
    case VARIABLE:
        fprintf(out, "__%s__ unsigned g%d = %u;\n",
                pick(2) ? "device" : "constant", number, s->a);
        fprintf(out, "__global__ void k%d(unsigned *x)", number);
        break;
    }
}

static void print_value(FILE *out, const struct stage *s, int number)
{
    switch (s->form) {
    case SHARED:
        fprintf(out,
                "    __shared__ unsigned s[%d]%s;\n    s[t] = x[i];\n"
                "    __syncthreads();\n    unsigned v = s[%d - 1 - t];\n",
                s->block, pick(2) ? "" : ", unused[2][3]", s->block);
        break;
    case DYNAMIC:
        fprintf(out,
                "    extern __shared__ unsigned d%d[];\n    d%d[t] = x[i];\n"
                "    __syncthreads();\n"
                "    unsigned v = d%d[(t + 1) %% blockDim.x];\n",
                number, number, number);
        break;
    case STRUCT:
        fprintf(out, "    unsigned v = x[i], a = p.a;\n");
        break;
    case VARIABLE:
        fprintf(out, "    unsigned v = x[i], a = g%d;\n", number);
        break;
    default:
        fprintf(out, "    unsigned v = x[i];\n");
        break;
    }
}

static void print_stride(FILE *out, const struct stage *s, int number)
{
    fprintf(out,
            "__global__ void k%d(unsigned *x, unsigned a)\n{\n"
            "    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; "
            "i < %du; i += gridDim.x * blockDim.x)\n"
            "        if (const unsigned v = x[i]; v || !v) x[i] = ",
            number, p.n);
    print_tree(out, &s->e, 0);
    fprintf(out, ";\n        else x[0]++;\n}\n\n");
}

/* The forms differ in what stands around __global__ and in where the value
 * comes from. Casts to void keep compilers quiet about what an expression
 * lacks. */
static void print_kernel(FILE *out, const struct stage *s, int number)
{
    if (s->form == STRIDE) {
        print_stride(out, s, number);
        return;
    }
    if (s->form == MACRO) {
        fprintf(out, "DEFINE(k%d, (", number);
        print_tree(out, &s->e, 0);
        fprintf(out, "))\n\n");
        return;
    }
    if (s->form == FUNCTION) {
        fprintf(out,
                "%s__device__ unsigned f%d(unsigned v, unsigned i, unsigned a)"
                "\n{\n    (void)v, (void)i, (void)a;\n    return ",
                pick(2) ? "__host__ " : "__forceinline__ ", number);
        print_tree(out, &s->e, 0);
        fprintf(out, ";\n}\n\n");
    }
    print_head(out, s, number);
    fprintf(out, "\n{\n%s", index_line);
    print_value(out, s, number);
    fprintf(out, "    x[i] = ");
    if (s->form == FUNCTION)
        fprintf(out, "f%d(v, i, a)", number);
    else
        print_tree(out, &s->e, 0);
    fprintf(out, ";\n    (void)v, (void)t%s;\n}\n",
            s->form == TEMPLATE_NUMBER ? "" : ", (void)a");
    fprintf(out, s->form == NAMESPACE ? "}\n\n" : "\n");
}

static void name_kernel(char *text, size_t size, const struct stage *s,
                        int number)
{
    if (s->form == TEMPLATE && pick(2))
        snprintf(text, size, "k%d<unsigned>", number);
    else if (s->form == TEMPLATE_NUMBER)
        snprintf(text, size,
                 pick(2) ? "k%d<unsigned, %u>"
                         : "k%d<type<unsigned>::of<int>, %u>",
                 number, s->a);
    else if (s->form == NAMESPACE)
        snprintf(text, size, pick(2) ? "n%d::k%d" : "::n%d::k%d", number,
                 number);
    else
        snprintf(text, size, "k%d", number);
}

static void name_arguments(char *text, size_t size, const struct stage *s,
                           int number)
{
    if (s->form == TEMPLATE_NUMBER || s->form == VARIABLE)
        snprintf(text, size, "x");
    else if (s->form == STRUCT)
        snprintf(text, size, "x, s%d{%u, {}}", number, s->a);
    else
        snprintf(text, size, "x, %uu", s->a);
}

static void name_config(char *text, size_t size, const struct stage *s)
{
    static const char *const grids[] = {"%d",
                                        "dim3(%d)",
                                        "(%d << 2) >> 2",
                                        "max(%d, 1)",
                                        "static_cast<unsigned>(%d)",
                                        "pair<int, type<int>>{%d, {}}.first"};
    static const char *const blocks[] = {"%d", "dim3(%d, 1)", "(%d)",
                                         "type<int>::same(%d)"};
    char grid[64], block[64];
    int bytes = s->form == DYNAMIC ? s->block * 4 : 0;

    snprintf(grid, sizeof grid, grids[pick(6)], s->grid);
    snprintf(block, sizeof block, blocks[pick(4)], s->block);
    if (bytes || pick(3) == 0)
        snprintf(text, size, pick(2) ? "%s, %s, %d, stream" : "%s, %s, %d",
                 grid, block, bytes);
    else
        snprintf(text, size, "%s, %s", grid, block);
}

/* Each form is a place where <<< >>> is hard to find the ends of, or where the
 * two calls that replace it must stay one statement or one expression. */
static void print_launch(FILE *out, const struct stage *s, int number)
{
    char k[64], arguments[64], config[192];

    name_kernel(k, sizeof k, s, number);
    name_arguments(arguments, sizeof arguments, s, number);
    name_config(config, sizeof config, s);
    switch (s->launch) {
    case 0:
        fprintf(out, "    LAUNCH((%s), (%s), %s);\n", config, k, arguments);
        break;
    case 1:
        fprintf(out, "    if (yes) %s<<<%s>>>(%s);\n    else puts(\"<<<\");\n",
                k, config, arguments);
        break;
    case 2:
        fprintf(out,
                "    for (int r = 0; r < 1; r++)\n        %s<<<%s>>>(%s);\n", k,
                config, arguments);
        break;
    case 3:
        fprintf(out, "    [&] { %s <<<%s>>> (%s); }();\n", k, config,
                arguments);
        break;
    case 4:
        fprintf(out,
                "    run([=](auto *x) { %s<<<%s>>>(%s); }, x); /* >>> */\n", k,
                config, arguments);
        break;
    case 5:
        fprintf(out, "    yes ? %s<<<%s>>>(%s) :\n        %s<<<%s>>>(%s);\n", k,
                config, arguments, k, config, arguments);
        break;
    case 6:
        fprintf(out,
                "    switch (yes) { case 1: %s<<<%s>>>(%s); break; "
                "default: break; }\n",
                k, config, arguments);
        break;
    case 7:
        fprintf(out, "    do %s<<<%s>>>(%s); while (!yes);\n", k, config,
                arguments);
        break;
    case 8:
        fprintf(out, "    TWICE_NOT(LAUNCH((%s), (%s), %s));\n", config, k,
                arguments);
        break;
    default:
        fprintf(out, "    %s<<<%s>>>(%s);\n", k, config, arguments);
        break;
    }
}

/* The macros and templates at its top are what launches of all forms need. */
static void print_program(FILE *out)
{
    fprintf(
        out,
        "#include <cstdio>\n#include <utility>\nusing std::pair;\n"
        "#define UNPACK(...) __VA_ARGS__\n"
        "#define LAUNCH(config, k, ...) "
        "UNPACK k<<<UNPACK config>>>(__VA_ARGS__)\n"
        "#define TWICE_NOT(...) do { if (yes) { __VA_ARGS__; } } while (0)\n"
        "#define DEFINE(name, e) __global__ void name(unsigned *x, "
        "unsigned a) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x, "
        "v = x[i]; (void)a; x[i] = e; }\n"
        "template <class T> struct type { template <class U> using of = T; "
        "static T same(T t) { return t; } };\n"
        "template <class F, class T> void run(F f, T *x) { f(x); }\n\n");
    for (int s = 0; s < p.count; s++)
        print_kernel(out, &p.stages[s], s);
    fprintf(out,
            "int main()\n{\n    unsigned host[%d], *x;\n    int yes = 1;\n"
            "    cudaStream_t stream = 0;\n\n"
            "    (void)stream, (void)yes;\n"
            "    for (unsigned i = 0; i < %du; i++) host[i] = i * 7;\n"
            "    if (cudaMalloc(&x, sizeof host)) return 1;\n"
            "    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);\n",
            p.n, p.n);
    for (int s = 0; s < p.count; s++)
        print_launch(out, &p.stages[s], s);
    fprintf(out,
            "    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);\n"
            "    for (unsigned v : host) printf(\"%%u\\n\", v);\n"
            "    cudaFree(x);\n    return (int)cudaGetLastError();\n}\n");
}

/* ---- one program compiled and run ---------------------------------------- */

static char directory[] = "/tmp/fuzz_sources.XXXXXX";

static const char *compiler(void)
{
    const char *name = getenv("VGPUCC");

    return name ? name : "build/bin/vgpucc";
}

static bool output_is_right(void)
{
    uint32_t x[MAX_N] = {0};
    char path[256], line[64];
    bool right = true;
    FILE *out;

    for (int i = 0; i < p.n; i++)
        x[i] = (uint32_t)i * 7;
    for (int s = 0; s < p.count; s++)
        apply(&p.stages[s], x);
    snprintf(path, sizeof path, "%s/out", directory);
    out = fopen(path, "r");
    if (!out)
        return false;
    for (int i = 0; i < p.n && right; i++)
        right =
            fgets(line, sizeof line, out) && strtoul(line, NULL, 10) == x[i];
    right = right && !fgets(line, sizeof line, out);
    fclose(out);
    return right;
}

static const char *try_seed(uint64_t seed, bool verbose)
{
    char path[256], command[1024];
    FILE *out;

    make(seed);
    if (verbose)
        print_program(stdout);
    make(seed); /* printing picks, too */
    snprintf(path, sizeof path, "%s/p.cu", directory);
    out = fopen(path, "w");
    if (!out)
        return "cannot write";
    print_program(out);
    fclose(out);
    snprintf(command, sizeof command,
             "VGPU_CXX=%s %s -O%d -Xcompiler -w %s -o %s/p >%s/log "
             "2>&1",
             seed % 2 ? "clang++" : "g++", compiler(), (int)(seed / 2 % 3),
             path, directory, directory);
    if (system(command))
        return "is not compiled";
    snprintf(command, sizeof command, "VGPU_CHECK=1 %s/p >%s/out 2>>%s/log",
             directory, directory, directory);
    if (system(command))
        return "does not run";
    return output_is_right() ? NULL : "prints something else";
}

static void show_log(void)
{
    char command[300];

    snprintf(command, sizeof command, "sed 's/^/# /; 12q' %s/log", directory);
    if (system(command))
        printf("# no log\n");
}

static void clean_up(void)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command))
        perror(directory);
}

/* Return: the exit status. */
static int fuzz_many(uint64_t seed, double seconds)
{
    double start = now_s();
    int done = 0, failed = 0;

    while (now_s() - start < seconds && failed < 10) {
        const char *wrong = try_seed(seed + (uint64_t)done, false);

        if (wrong) {
            failed++;
            printf("not ok: seed %" PRIu64 " %s\n", seed + done, wrong);
            show_log();
        }
        done++;
    }
    printf("sources %d (%.1f a second)\n", done, done / (now_s() - start));
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

        show_log();
        printf("%s\n", wrong ? wrong : "fine");
        status = wrong ? 1 : 0;
    } else {
        status = fuzz_many(options.first, options.seconds);
    }
    clean_up();
    return status;
}
