/*
 * kernels.c: random programs of kernels with barriers.
 *
 *     fuzz_kernels [--seconds S | --programs N] [--first SEED]
 *     fuzz_kernels --seed SEED >program.cu
 *
 * Such a program prints for each kernel a sum of what it left, and how long it
 * took. Both are the same however the kernel is run: with a stack for each
 * thread, as in check mode, or as loops between its barriers
 * (frontend/speed/split.c). So are they where threads use the same shared
 * memory with no barrier between: threads of a block come in their order.
 * Kernels that cannot be split are among them. $VGPUCC names the compiler.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KERNELS   8
#define MOST_VARS 24
#define DEEPEST   4

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* What is in scope. COMMON: the same for all threads */
static struct var {
    char name[16];
    enum { COMMON, UNSIGNED, FLOAT, ARRAY, LAMBDA } kind;
    bool constant;
} vars[MOST_VARS];
static int num_vars, serial, depth;
static bool in_loop; /* one that all threads go round together */
static FILE *out;

static void line(const char *format, ...)
{
    va_list args;

    fprintf(out, "%*s", 4 * (depth + 1), "");
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fprintf(out, "\n");
}

static const struct var *pick(int kind, bool writable)
{
    int first = (int)below(MOST_VARS);

    for (int n = 0; n < num_vars; n++) {
        const struct var *v = &vars[(first + n) % num_vars];

        if ((int)v->kind == kind && !(writable && v->constant))
            return v;
    }
    return NULL;
}

static void add(const char *name, int kind, bool constant)
{
    if (num_vars == MOST_VARS)
        return;
    snprintf(vars[num_vars].name, sizeof vars->name, "%s", name);
    vars[num_vars].kind = kind;
    vars[num_vars++].constant = constant;
}

/* The texts of expressions, a few at a time. */
static char *text(const char *format, ...)
{
    static char texts[64][400];
    static int next;
    va_list args;

    va_start(args, format);
    vsnprintf(texts[++next % 64], sizeof texts[0], format, args);
    va_end(args);
    return texts[next % 64];
}

/* The same for all threads. */
static const char *common(void)
{
    const struct var *v = pick(COMMON, false);

    switch (below(7)) {
    case 0:
        return "blockIdx.x";
    case 1:
        return "n";
    case 2:
        return text("(blockDim.x / 2 + %u)", below(9));
    case 3:
        return text("(pack.count * %uu)", below(5));
    case 4:
        return text("%uu", below(100));
    default:
        return v ? v->name : "STEP";
    }
}

static const char *value(int deep)
{
    const struct var *v = pick((int)below(4), false);

    if (deep < 2 && below(3) == 0)
        return text("(%s %s %s)", value(deep + 1),
                    (const char *[]){"+", "*", "^", "-", "|"}[below(5)],
                    value(deep + 1));
    switch (below(9)) {
    case 0:
        return text("s0[%s & 255]", deep < 3 ? value(deep + 1) : "t");
    case 1:
        return text("s1[t %s %u & 255]", below(2) ? "+" : "^", below(64));
    case 2:
        return text("in[%s & 1023]", deep < 3 ? value(deep + 1) : "t");
    case 3:
        return below(2) ? "t" : "threadIdx.x";
    case 4:
        return text("mixed(%s)", deep < 3 ? value(deep + 1) : "t");
    case 5:
        return common();
    case 6:
        return below(2) ? "who()" : text("pack.values[%u]", below(2));
    default:
        if (!v)
            return "t";
        return v->kind == FLOAT    ? text("(unsigned)%s", v->name)
               : v->kind == ARRAY  ? text("%s[%u]", v->name, below(3))
               : v->kind == LAMBDA ? text("%s(t)", v->name)
                                   : v->name;
    }
}

static void declare(bool beside_barrier)
{
    char name[16];
    const unsigned kind = below(beside_barrier ? 8 : 11);

    snprintf(name, sizeof name, "v%d", ++serial);
    switch (kind) {
    case 0:
        line("unsigned %s = %s;", name, common());
        add(name, COMMON, false);
        break;
    case 1:
        line("const unsigned %s = %s + t * %u;", name, common(), below(5));
        add(name, UNSIGNED, true);
        break;
    case 2:
        line("float %s = (%s & 255) * 0.5f, %sb = 1;", name, value(0), name);
        add(name, FLOAT, false);
        break;
    case 3:
        line("unsigned %s[3] = {%s, %s, t};", name, value(1), value(1));
        add(name, ARRAY, false);
        break;
    case 4:
        line("auto %s = %s;", name, below(2) ? "t * 2 + n" : value(1));
        add(name, UNSIGNED, false);
        break;
    case 5:
        line("%s %s = %s;", below(2) ? "const unsigned" : "T", name, value(0));
        add(name, UNSIGNED, true);
        break;
    case 6:
        line("unsigned %s;", name);
        line("%s = %s;", name, value(1));
        add(name, UNSIGNED, false);
        break;
    case 7:
        line("unsigned %s = t;", name);
        add(name, UNSIGNED, false);
        break;
    case 8:
        line("auto %s = [&](unsigned x) { return x * %u + %s; };", name,
             below(9), value(1));
        add(name, LAMBDA, true);
        break;
    case 9:
        line("guard %s(&s0[%s & 255]);", name, value(1));
        break;
    default:
        line("unsigned &%s = s1[%s & 255];", name, value(1));
        add(name, UNSIGNED, false);
    }
}

static void change(void)
{
    const struct var *v = pick(UNSIGNED, true), *f = pick(FLOAT, true);

    switch (below(8)) {
    case 0:
        if (v)
            line("%s %s= %s;", v->name,
                 (const char *[]){"+", "^", "", "*"}[below(4)], value(0));
        break;
    case 1:
        if (f)
            line("%s = %s * 0.25f + (%s & 63) * 0.5f;", f->name, f->name,
                 value(1));
        break;
    case 2:
        line("s0[%s & 255] %s= %s;", value(1), below(2) ? "+" : "", value(0));
        break;
    case 3:
        line("s1[t & 255] ^= %s;", value(0));
        break;
    case 4:
        line("mine[%s & 255] += %s;", below(2) ? "t" : value(1), value(0));
        break;
    case 5:
        if (v)
            line("bump(%s);", v->name);
        break;
    case 6:
        v = pick(ARRAY, true);
        if (v)
            line("%s[%u] += %s;", v->name, below(3), value(1));
        break;
    default:
        if (v)
            line("%s >>= %u;", v->name, below(5));
    }
}

static void statements(unsigned count, bool beside_barrier);

static void block(unsigned count, bool beside_barrier)
{
    const int before = num_vars;

    depth++;
    statements(count, beside_barrier);
    depth--;
    num_vars = before;
}

/* Threads may go different ways. */
static void branch(void)
{
    const int round = ++serial;

    switch (below(3)) {
    case 0:
        line("if (%s & %u) {", value(0), 1u << below(4));
        block(1 + below(3), false);
        if (below(2)) {
            line("} else {");
            block(1 + below(2), false);
        }
        break;
    case 1:
        line("for (unsigned k%d = 0; k%d < (%s & 7); k%d++) {", round, round,
             value(0), round);
        line("    if (%s & 1)", value(1));
        line("        %s;", below(2) ? "continue" : "break");
        block(1 + below(2), false);
        break;
    default:
        line("{");
        line("    __shared__ unsigned own%d[2];", round);
        line("    own%d[t & 1] = %s;", round, value(1));
        block(1 + below(3), false);
        line("    s1[t & 255] += own%d[%u];", round, below(2));
    }
    line("}");
}

/* All go the same way. */
static void together(void)
{
    const bool outer = in_loop;
    const int round = ++serial;
    char name[16];

    snprintf(name, sizeof name, "u%d", round);
    in_loop = true;
    switch (below(4)) {
    case 0:
        in_loop = outer;
        line("if (%s %% 3 %s %u) {", common(),
             below(2) ? "==" : "!=", below(3));
        break;
    case 1:
        line("for (unsigned %s = %u; %s > 0; %s >>= 1) {", name, 1 + below(40),
             name, name);
        line("    __syncthreads();");
        line("    if (%s < %s%s)", below(2) ? "threadIdx.x" : "row",
             (const char *[]){"", "(int)", "3 - (int)", "2.5f * "}[below(4)],
             name);
        line("        s0[t & 255] += s1[t + %s & 255];", name);
        line("    __syncthreads();");
        break;
    case 2:
        line("for (int i%d = 0; i%d < (int)(%s %% 4); i%d++) {", round, round,
             common(), round);
        break;
    default:
        line("unsigned %s = 1;", name);
        line("while (%s < %u) {", name, 2 + below(20));
        line("    %s %s;", name, below(2) ? "*= 3" : "+= 5");
    }
    block(2 + below(4), true);
    in_loop = outer;
    line("}");
}

static void statements(unsigned count, bool beside_barrier)
{
    while (count-- > 0) {
        const struct var *m = pick(COMMON, true);

        switch (below(beside_barrier ? 14 : 6)) {
        case 0:
        case 1:
            declare(beside_barrier && below(8));
            break;
        case 2:
        case 3:
            change();
            break;
        case 4:
            if (depth < DEEPEST)
                branch();
            break;
        case 5:
            change();
            break;
        case 6:
            if (depth < DEEPEST)
                together();
            break;
        case 7:
            if (m)
                line("%s = %s + %s;", m->name, m->name, common());
            break;
        case 8:
            if (below(3) == 0)
                line("if (%s %% 5 == 7) return;", common());
            else if (in_loop)
                line("if (%s %% 4 == 1) %s;", common(),
                     below(2) ? "break" : "continue");
            break;
        default:
            line("__syncthreads();");
        }
    }
}

static void kernel(int number)
{
    static const char *const shapes[] = {"256", "100", "dim3(16, 8)",
                                         "dim3(5, 4, 3)", "32"};

    num_vars = serial = 0;
    in_loop = false;
    fprintf(out,
            "template <class T> __global__ void k%d(const unsigned *in, "
            "unsigned *out, unsigned n, pair pack)\n{\n"
            "    __shared__ unsigned s0[256], s1[256];\n"
            "    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + "
            "blockDim.y * threadIdx.z);\n"
            "    const int row = threadIdx.x;\n"
            "    unsigned *mine = out + 256 * blockIdx.x;\n"
            "    s0[t] = t * 7; s1[255 - t] = n ^ t;\n"
            "    for (unsigned i = t; i < 256; i += 32) s0[i] = s1[i] = i;\n"
            "    __syncthreads();\n",
            number);
    statements(8 + below(12), true);
    if (below(2))
        fprintf(out, "    __syncthreads();\n    if (t & %u) return;\n",
                1u << below(4));
    for (int v = 0; v < num_vars; v++)
        if (vars[v].kind < ARRAY)
            fprintf(out, "    mine[t] = mine[t] * 31 + (unsigned)%s;\n",
                    vars[v].name);
    fprintf(out, "}\nstatic void run%d() { TELL(k%d<unsigned>, %s, %u); }\n",
            number, number, shapes[below(5)], below(50));
}

static void program(uint64_t seed)
{
    state = seed * 2654435761u + 1;
    below(2);
    fprintf(
        out,
        "#include <cstdio>\n"
        "struct pair { unsigned count, values[2]; };\n"
        "constexpr unsigned STEP = %u;\n"
        "struct guard { unsigned *at; __device__ guard(unsigned *a) : at(a) "
        "{ *at += 3; } __device__ ~guard() { *at *= 5; } };\n"
        "__device__ unsigned who() { return threadIdx.x * 3 + threadIdx.y; }\n"
        "__device__ unsigned mixed(unsigned x) { for (int i = 0; i < 3; i++) "
        "x = x * 1664525u + 1013904223u; return x >> 3; }\n"
        "__device__ void bump(unsigned &x) { x += x >> 2 | 1; }\n"
        "static unsigned *in, *out, host[64 * 256];\n"
        "#define TELL(KERNEL, SHAPE, N) do { float ms = 0; cudaEvent_t a, b; "
        "cudaEventCreate(&a); cudaEventCreate(&b); cudaMemset(out, 0, sizeof "
        "host); cudaEventRecord(a); KERNEL<<<64, SHAPE>>>(in, out, N, pair{N, "
        "{3, 4}}); cudaEventRecord(b); cudaDeviceSynchronize(); "
        "cudaEventElapsedTime(&ms, a, b); cudaMemcpy(host, out, sizeof host, "
        "cudaMemcpyDeviceToHost); unsigned sum = 0; for (unsigned x : host) "
        "sum = sum * 31 + x; std::printf(#KERNEL \" %%x %%.6f %%s\\n\", sum, "
        "ms, cudaGetErrorName(cudaGetLastError())); } while (0)\n",
        1 + below(8));
    for (int k = 0; k < KERNELS; k++)
        kernel(k);
    fprintf(out,
            "int main()\n{\n    cudaMalloc(&in, 4096); cudaMalloc(&out, sizeof "
            "host);\n    for (unsigned i = 0; i < 1024; i++) host[i] = i * "
            "2654435761u >> 7;\n    cudaMemcpy(in, host, 4096, "
            "cudaMemcpyHostToDevice);\n");
    for (int k = 0; k < KERNELS; k++)
        fprintf(out, "    run%d();\n", k);
    fprintf(out, "}\n");
}

/* ---- run them ------------------------------------------------------------ */

static char folder[] = "/tmp/fuzz_kernels.XXXXXX";

static bool command(const char *format, ...)
{
    char line[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return system(line) == 0;
}

/* As it is, and with a stack for each thread. */
static bool is_same(const char *compiler, uint64_t seed)
{
    char source[80];

    snprintf(source, sizeof source, "%s/program.cu", folder);
    out = fopen(source, "w");
    if (!out)
        return false;
    program(seed);
    fclose(out);
    return command("VGPUCC_STRICT=1 %s -O2 %s -o %s/program >%s/log 2>&1",
                   compiler, source, folder, folder) &&
           command("cd %s && timeout 60 ./program >split 2>log", folder) &&
           command("cd %s && { VGPU_CHECK=1 timeout 60 ./program >whole 2>&1; "
                   "grep '^k' whole | cmp -s - split; }",
                   folder);
}

int main(int argc, char **argv)
{
    const char *const compiler = getenv("VGPUCC");
    uint64_t first = (uint64_t)time(NULL), seed;
    long passed = 0, failed = 0, programs = 0, seconds = 10;
    const time_t begin = time(NULL);

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed")) {
            out = stdout;
            program(strtoull(argv[i + 1], NULL, 0));
            return 0;
        }
        if (!strcmp(argv[i], "--first"))
            first = strtoull(argv[i + 1], NULL, 0);
        if (!strcmp(argv[i], "--programs"))
            programs = atol(argv[i + 1]);
        if (!strcmp(argv[i], "--seconds"))
            seconds = atol(argv[i + 1]);
    }
    if (!mkdtemp(folder))
        return 1;
    for (seed = first;
         programs ? passed + failed < programs : time(NULL) - begin < seconds;
         seed++) {
        if (is_same(compiler ? compiler : "vgpucc", seed)) {
            passed++;
            continue;
        }
        failed++;
        printf("not ok - seed %llu\n", (unsigned long long)seed);
    }
    command("rm -rf %s", folder);
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
