/*
 * rewrite.c: fuzzes the front end's rewriter with mutated CUDA sources. It may
 * refuse what it is given, but not crash, leak, move a line, or take more than
 * five seconds or 500 MB, those of the sanitizers included.
 *
 *   fuzz_rewrite --input KEPT
 *   fuzz_rewrite [--seconds S | --count N] [--first SEED]
 *                [--seed SEED [--verbose]] FILE...
 *
 * Built with -DFUZZ_GUIDED it is a libFuzzer target instead. The files are
 * what is mutated; by default the tests' own, from where
 * tests/ lies.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "lex.h"
#include "rewrite.h"

#define SIZE_MAX_BYTES 60000
#define LIMIT_S        5
#define LIMIT_MB       500
#define BATCH          400 /* inputs of one process */

/* ---- what must hold ------------------------------------------------------ */

static size_t lines_of(const char *text, size_t size)
{
    size_t lines = 0;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

static void must(bool truth, const char *what)
{
    if (truth)
        return;
    fprintf(stderr, "rewrite: %s\n", what);
    abort();
}

static void try_text(const char *text, size_t size, bool for_clang)
{
    const struct rewrite_options options = {.own_dir = "/vgpu/include",
                                            .for_clang = for_clang};
    struct rewrite_result result;
    int error = rewrite_text(text, size, &options, &result);

    must((error != 0) == (result.num_errors > 0), "errors and result differ");
    if (error) {
        must(!result.text, "a text though it was refused");
        must(result.errors && strstr(result.errors, "error"), "no message");
    } else {
        must(result.text && !result.text[result.size], "no end");
        /* What stands behind it ends a last line without an end. */
        must(lines_of(result.text, result.size) - lines_of(text, size) <=
                 (size > 0 && text[size - 1] != '\n'),
             "a line more or less");
    }
    rewrite_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;

    if (size > SIZE_MAX_BYTES)
        return 0;
    text = buf_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    try_text(text, size, false);
    try_text(text, size, true);
    free(text);
    return 0;
}

#ifndef FUZZ_GUIDED

/* ---- the files that are mutated ------------------------------------------ */

struct piece {
    const char *text;
    int length;
};

struct source {
    char *text;
    struct piece *pieces; /* tokens, and the space between them */
    int count;
};

static struct source sources[400];
static int source_count;

/* Directives other than pragmas and line markers do not reach the rewriter. */
static char *read_source(const char *name)
{
    FILE *file = fopen(name, "r");
    struct buf b = {0};
    char line[4096];

    while (file && fgets(line, sizeof line, file) && b.size < SIZE_MAX_BYTES)
        if (line[0] != '#' || strstr(line, "pragma"))
            buf_puts(&b, line);
    if (file)
        fclose(file);
    buf_puts(&b, "\n");
    return b.data;
}

static void cut(struct source *s)
{
    struct lex lex;
    const char *at = s->text;

    lex_text(&lex, s->text, strlen(s->text), NULL);
    s->pieces = buf_alloc((size_t)(2 * lex.count + 2) * sizeof *s->pieces);
    for (int i = 0; i < lex.count; i++) {
        const struct lex_token *t = &lex.tokens[i];

        if (t->text > at)
            s->pieces[s->count++] = (struct piece){at, (int)(t->text - at)};
        s->pieces[s->count++] = (struct piece){t->text, t->length};
        at = t->text + t->length;
    }
    if (*at)
        s->pieces[s->count++] = (struct piece){at, (int)strlen(at)};
    lex_free(&lex);
}

static void add_source(const char *name)
{
    struct source *s = &sources[source_count];

    if (source_count == (int)(sizeof sources / sizeof sources[0]))
        return;
    s->text = read_source(name);
    cut(s);
    source_count += s->count > 0;
}

static void add_own_sources(void)
{
    static const char *const patterns[] = {"tests/frontend/*/*.cu",
                                           "tests/conformance/*.cu"};

    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t found;

        if (glob(patterns[i], 0, NULL, &found))
            continue;
        for (size_t j = 0; j < found.gl_pathc; j++)
            add_source(found.gl_pathv[j]);
        globfree(&found);
    }
}

/* ---- mutations ----------------------------------------------------------- */

static uint64_t state;

static int pick(int count)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (int)((z ^ z >> 31) % (uint64_t)count);
}

static const char *const words[] = {"__global__ void",
                                    "__device__",
                                    "__host__ __device__",
                                    "__shared__ int x[4]",
                                    "extern __shared__ float y[];",
                                    "__constant__ int c",
                                    "__managed__ int m",
                                    "__launch_bounds__(1, 2)",
                                    "__forceinline__",
                                    "k<<<1, 2>>>(3);",
                                    "<<<",
                                    ">>>",
                                    "<<<(1, 2), dim3(3)>>>",
                                    "k<T, 1>",
                                    "{",
                                    "}",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    "<",
                                    ">",
                                    ";",
                                    ",",
                                    "::",
                                    "->",
                                    "operator<<",
                                    "template<typename T, int N = (3 > 2)>",
                                    "template<>",
                                    "#pragma unroll\n",
                                    "#pragma omp parallel for\n",
                                    "# 1 \"a.cu\" 1\n",
                                    "# 7 \"a.h\" 3\n",
                                    "# 9 \"/vgpu/include/x.h\"\n",
                                    "R\"x(<<<)x\"",
                                    "\"<<<\"",
                                    "'\\''",
                                    "\"",
                                    "'",
                                    "/*",
                                    "*/",
                                    "//",
                                    "\\\n",
                                    "\n",
                                    "for (;;)",
                                    "for (auto x : y)",
                                    "while (1)",
                                    "do",
                                    "if (1)",
                                    "else",
                                    "switch (x)",
                                    "case 1:",
                                    "default:",
                                    "return",
                                    "[&](int x) mutable",
                                    "[=] __device__ ()",
                                    "struct S {",
                                    "class C final : public B {",
                                    "namespace n {",
                                    "constexpr",
                                    "static",
                                    "extern \"C\"",
                                    "asm(\"x\")",
                                    "try {",
                                    "catch (...)",
                                    "goto x;",
                                    "x:",
                                    "int a = {1}, *b[3], (*f)(int)",
                                    "noexcept(false)",
                                    "-> void",
                                    "__attribute__((unused))",
                                    "[[maybe_unused]]",
                                    "decltype(x)",
                                    "auto",
                                    "threadIdx.x",
                                    "printf(\"%d\", 1)",
                                    "assert(0)",
                                    "clock()",
                                    "memcpy",
                                    "sizeof",
                                    "0x1p3",
                                    "1'000",
                                    ".5e+3f",
                                    "u8R\"(",
                                    "\f",
                                    "\x80",
                                    "\x01"};
#define WORDS ((int)(sizeof words / sizeof words[0]))

static struct piece word(void)
{
    const char *text = words[pick(WORDS)];

    return (struct piece){text, (int)strlen(text)};
}

static const struct source *pick_source(void)
{
    return &sources[pick(source_count)];
}

/* A piece of any source, or a word. */
static struct piece any_piece(void)
{
    const struct source *s;

    if (!source_count || pick(2))
        return word();
    s = pick_source();
    return s->pieces[pick(s->count)];
}

static void add_piece(struct buf *b, struct piece p)
{
    buf_add(b, p.text, (size_t)p.length);
}

static void add_range(struct buf *b, const struct source *s)
{
    int from = pick(s->count), count = 1 + pick(60);

    for (int i = from; i < s->count && i < from + count; i++)
        add_piece(b, s->pieces[i]);
}

/* A source with a change every now and then. */
static void mutate(struct buf *b)
{
    const struct source *s = pick_source();
    int rare = 1 + pick(s->count), from = 0, to = s->count;

    if (pick(2)) {
        from = pick(s->count);
        to = from + 1 + pick(s->count - from);
    }
    for (int i = from; i < to && b->size < SIZE_MAX_BYTES; i++) {
        if (pick(rare)) {
            add_piece(b, s->pieces[i]);
            continue;
        }
        switch (pick(5)) {
        case 0: /* left out */
            break;
        case 1:
            add_piece(b, any_piece());
            break;
        case 2:
            add_piece(b, s->pieces[i]);
            add_piece(b, s->pieces[i]);
            break;
        case 3:
            add_range(b, pick_source());
            break;
        default:
            add_piece(b, s->pieces[i]);
            add_piece(b, any_piece());
            break;
        }
    }
}

static void make_words(struct buf *b)
{
    int count = 1 + pick(pick(4) ? 60 : 3000);

    for (int i = 0; i < count && b->size < SIZE_MAX_BYTES; i++) {
        add_piece(b, any_piece());
        if (pick(2))
            buf_puts(b, " ");
    }
}

/* One thing over and over: what is not linear shows. */
static void make_tower(struct buf *b)
{
    struct piece p[3] = {any_piece(), any_piece(), any_piece()};
    int count = 1 + pick(3), times = 1 + pick(4000);

    for (int i = 0; i < times && b->size < SIZE_MAX_BYTES; i++)
        for (int j = 0; j < count; j++) {
            add_piece(b, p[j]);
            buf_puts(b, j % 2 ? " " : "");
        }
}

/* Brackets that do not match are refused at once: most inputs get theirs
 * right, so that what comes after is tried too. */
static void balance(struct buf *b)
{
    char open[64], *text = b->data ? b->data : buf_copy_string("");
    size_t size = b->size;
    struct buf out = {0};
    struct lex lex;
    int depth = 0;
    const char *at = text;

    lex_text(&lex, text, size, NULL);
    for (int i = 0; i < lex.count; i++) {
        const struct lex_token *t = &lex.tokens[i];
        const char *in = t->length == 1 ? strchr("([{)]}", *t->text) : NULL;
        bool closes = in && strchr(")]}", *t->text);

        buf_add(&out, at, (size_t)(t->text - at));
        at = t->text + t->length;
        if (in && !closes && depth < 64)
            open[depth++] = *t->text == '(' ? ')' : *t->text == '[' ? ']' : '}';
        else if (closes && depth)
            buf_add(&out, &open[--depth], 1);
        if (!in || (!closes && depth < 64))
            buf_add(&out, t->text, (size_t)t->length);
    }
    buf_add(&out, at, (size_t)(text + size - at));
    while (depth)
        buf_add(&out, &open[--depth], 1);
    lex_free(&lex);
    free(text);
    *b = out;
}

static void flip_bytes(struct buf *b)
{
    for (int i = pick(4); i > 0 && b->size; i--)
        b->data[pick((int)b->size)] = (char)pick(256);
}

static void make_input(struct buf *b, uint64_t seed)
{
    int dice;

    state = seed;
    dice = pick(20);
    if (dice < 13 && source_count)
        mutate(b);
    else if (dice < 19)
        make_words(b);
    else
        make_tower(b);
    if (pick(4))
        balance(b);
    if (!pick(10))
        flip_bytes(b);
}

/* What was given back is kept for a while by the sanitizer, and is not the
 * rewriter's. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=16";
}

/* ---- many ---------------------------------------------------------------- */

/* What a batch tells of itself. */
static struct shared {
    uint64_t seed; /* it is there */
    double longest_s;
} * shared;
static long most_mb; /* of any batch */

static double clock_s(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void run_batch(uint64_t first)
{
    for (uint64_t seed = first; seed < first + BATCH; seed++) {
        struct buf b = {0};
        double start, took;

        shared->seed = seed;
        make_input(&b, seed);
        alarm(4 * LIMIT_S); /* a busy machine is no hang */
        start = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        LLVMFuzzerTestOneInput((const uint8_t *)(b.data ? b.data : ""), b.size);
        took = clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
        shared->longest_s = took > shared->longest_s ? took : shared->longest_s;
        must(took <= LIMIT_S, "too slow");
        buf_free(&b);
    }
}

static const char *program;
static char kept[512];

/* The seed means another input when a file of the repository has changed. */
static void keep_input(uint64_t seed)
{
    struct buf b = {0};
    FILE *out;

    snprintf(kept, sizeof kept, "%s-%" PRIu64 ".txt", program, seed);
    make_input(&b, seed);
    out = fopen(kept, "w");
    if (out) {
        fwrite(b.data, 1, b.size, out);
        fclose(out);
    }
    buf_free(&b);
}

static bool batch_is_fine(uint64_t first)
{
    struct rusage used;
    int status;
    pid_t child;

    shared->seed = first;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        run_batch(first);
        exit(0); /* and leaks are looked for */
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0)
        return false;
    most_mb = used.ru_maxrss / 1024 > most_mb ? used.ru_maxrss / 1024 : most_mb;
    if (!status)
        return true;
    keep_input(shared->seed);
    printf("not ok: seed %" PRIu64 ": %s %d: kept as %s\n", shared->seed,
           WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), kept);
    return false;
}

/* @count  so many at least; 0: as many as there are @seconds for */
static int fuzz_many(uint64_t seed, double seconds, long count)
{
    double start = clock_s(CLOCK_MONOTONIC);
    long inputs = 0, failed = 0;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    while (
        (count ? inputs < count : clock_s(CLOCK_MONOTONIC) - start < seconds) &&
        failed < 20) {
        if (batch_is_fine(seed)) {
            inputs += BATCH;
            seed += BATCH;
        } else { /* go on behind it */
            failed++;
            inputs += (long)(shared->seed - seed);
            seed = shared->seed + 1;
        }
    }
    printf("inputs %ld (%.0f a second), from %d files; the longest %.2f s, the "
           "most %ld MB\n",
           inputs, (double)inputs / (clock_s(CLOCK_MONOTONIC) - start),
           source_count, shared->longest_s, most_mb);
    if (most_mb > LIMIT_MB) {
        printf("not ok: %ld MB\n", most_mb);
        failed++;
    }
    printf("%ld passed, %ld failed\n", inputs, failed);
    return failed != 0;
}

static int run_one(uint64_t seed, bool verbose)
{
    struct buf b = {0};

    make_input(&b, seed);
    if (verbose && b.data)
        fwrite(b.data, 1, b.size, stdout);
    fflush(stdout);
    LLVMFuzzerTestOneInput((const uint8_t *)(b.data ? b.data : ""), b.size);
    buf_free(&b);
    return 0;
}

static int run_input(const char *name)
{
    char *data = buf_alloc(SIZE_MAX_BYTES);
    FILE *in = fopen(name, "r");
    size_t size = in ? fread(data, 1, SIZE_MAX_BYTES, in) : 0;

    if (in)
        fclose(in);
    LLVMFuzzerTestOneInput((const uint8_t *)data, size);
    free(data);
    return !in;
}

/* All options but --verbose have a value; other words are files to start from.
 */
int main(int argc, char **argv)
{
    uint64_t first = 0, seed = 0;
    bool one = false, verbose = false;
    double seconds = 10;
    long count = 0;

    program = argv[0];
    if (argc == 3 && !strcmp(argv[1], "--input"))
        return run_input(argv[2]);
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";

        if (!strcmp(argv[i], "--verbose")) {
            verbose = true;
            continue;
        }
        if (argv[i][0] != '-') {
            add_source(argv[i]);
            continue;
        }
        one = one || !strcmp(argv[i], "--seed");
        if (!strcmp(argv[i], "--seconds"))
            seconds = atof(value);
        else if (!strcmp(argv[i], "--count"))
            count = atol(value);
        else if (!strcmp(argv[i], "--first"))
            first = strtoull(value, NULL, 10);
        else
            seed = strtoull(value, NULL, 10);
        i++;
    }
    if (!source_count)
        add_own_sources();
    return one ? run_one(seed, verbose) : fuzz_many(first, seconds, count);
}

#endif
