/*
 * rewrite.c: the rewriter's entry, and what its parts share.
 *
 * Text is read once, from the first token to the last; what is to be changed is
 * noted (edits.h), and changed at the end. Then speed/ looks at what was read.
 */
#include "rewrite.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "speed/speed.h"

/* ---- tokens -------------------------------------------------------------- */

const struct lex_token *token(const struct parse *p, int i)
{
    return &p->lex.tokens[i < 0 || i > p->lex.count ? p->lex.count : i];
}

bool is(const struct parse *p, int i, int word)
{
    return token(p, i)->word == word;
}

bool is_a(const struct parse *p, int i, unsigned sets)
{
    return lex_in(token(p, i)->word, sets);
}

bool is_same(const struct parse *p, int a, int b)
{
    return token(p, a)->word && token(p, a)->word == token(p, b)->word;
}

bool begins_with(const struct parse *p, int i, const char *prefix)
{
    size_t length = strlen(prefix);

    return (size_t)token(p, i)->length >= length &&
           !memcmp(token(p, i)->text, prefix, length);
}

char mark(const struct parse *p, int i)
{
    const int word = token(p, i)->word;

    return word < W_BEFORE_SIGNS ? (char)word : '\0';
}

bool is_name(const struct parse *p, int i)
{
    return token(p, i)->kind == LEX_NAME;
}

/* The next token on the same level: a bracket with all that it holds is one
 * step. */
int skip(const struct parse *p, int i)
{
    int match = token(p, i)->match;

    return match > i ? match + 1 : i + 1;
}

/* On this level only: what lies between brackets is stepped over. */
int find(const struct parse *p, int i, int end, char c)
{
    while (i < end && mark(p, i) != c)
        i = skip(p, i);
    return i < end ? i : end;
}

/* Where `<` is known to open template arguments or parameters; template_end
 * finds out whether it does. */
int angle_end(const struct parse *p, int i, int end)
{
    int depth = 0;

    while (i < end) {
        char c = mark(p, i);

        if (c == '<')
            depth++;
        else if (c == '>' && !--depth)
            return i + 1;
        else if (c == ';' || c == '}')
            break;
        i = skip(p, i);
    }
    return end;
}

/* May token @i stand inside template arguments? */
static bool suits_template(const struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);

    if (t->kind != LEX_PUNCT)
        return t->kind != LEX_END && !is(p, i, W_return);
    if (t->length == 1)
        return strchr("<>,*&+-/%([", *t->text);
    if (is(p, i, W_ANDAND))
        return mark(p, i + 1) == '>' || mark(p, i + 1) == ',';
    return is(p, i, W_SCOPE) || is(p, i, W_ELLIPSIS) || is(p, i, W_SHIFT);
}

static bool follows_template(const struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);

    if (t->kind != LEX_PUNCT)
        return t->kind == LEX_NAME;
    if (t->length == 1)
        return strchr("({,)>;&*[]=.", *t->text);
    return is(p, i, W_SCOPE) || is(p, i, W_ANDAND) || is(p, i, W_ELLIPSIS) ||
           is(p, i, W_LAUNCH);
}

/*
 * `a < b > (c)` may be a template or two comparisons. It is taken for a
 * template where all that stands between could be template arguments and what
 * follows the `>` could follow a type or a function's name. The marks are kept:
 * the next one who looks at these tokens gets the same answer.
 */
int template_end(struct parse *p, int i, int end)
{
    int depth = 0, limit = i + 256;

    if (!is_name(p, i - 1))
        return -1;
    for (int j = i; j < end && j < limit && suits_template(p, j);
         j = skip(p, j)) {
        if (mark(p, j) == '<')
            depth++;
        if (mark(p, j) != '>' || --depth)
            continue;
        if (!follows_template(p, j + 1))
            return -1;
        p->roles[i] = p->roles[j] = ROLE_ANGLE;
        return j + 1;
    }
    return -1;
}

/* On one line: what is moved must not move the lines of what follows it. */
void flatten(const struct parse *p, int from, int to, struct buf *out)
{
    for (int i = from; i < to; i++) {
        if (i > from && !token(p, i)->glued)
            buf_puts(out, " ");
        for (int k = 0; k < token(p, i)->length; k++)
            buf_add(out,
                    token(p, i)->text[k] == '\n' ? " " : &token(p, i)->text[k],
                    1);
    }
}

/* ---- errors -------------------------------------------------------------- */

/* The token's file as the compiler would print it. */
static void add_place(struct parse *p, int i, const char *kind, struct buf *out)
{
    const struct lex_token *t = token(p, i);

    if (t->file >= 0) {
        const struct lex_file *file = &p->lex.files[t->file];

        for (int k = 1; k < file->length - 1; k++) {
            if (file->name[k] == '\\' && k + 2 < file->length)
                k++;
            buf_add(out, &file->name[k], 1);
        }
    } else {
        buf_puts(out, "<input>");
    }
    buf_printf(out, ":%d: %s: vgpucc: ", t->line, kind);
}

/* A text that goes wrong at one place often does at many: the first twenty are
 * told. */
void refuse(struct parse *p, int i, const char *format, ...)
{
    char text[512];
    va_list args;

    if (p->num_errors++ >= 20)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_place(p, i, "error", &p->errors);
    buf_printf(&p->errors, "%s\n", text);
}

void warn(struct parse *p, int i, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_place(p, i, "warning", &p->warnings);
    buf_printf(&p->warnings, "%s\n", text);
}

/* ---- words to remove, and what is not supported -------------------------- */

/* Near it: no head has so many words. */
static bool has_inline(const struct parse *p, int i)
{
    for (int j = i - 1; j >= 0 && j > i - 40 && is_name(p, j); j--)
        if (is(p, j, W_inline))
            return true;
    for (int j = i + 1; j < i + 40 && is_name(p, j); j++)
        if (is(p, j, W_inline) || is(p, j, W___forceinline__))
            return true;
    return false;
}

/* Their arguments may be expressions that mean nothing to the host compiler:
 * what counts of them has been read. */
static void drop_with_parens(struct parse *p, int i)
{
    int end = mark(p, i + 1) == '(' ? skip(p, i + 1) : i + 1;

    for (; i < end; i++)
        edit_drop(p, i);
}

/* Qualifiers that are left when the parts have taken theirs. */
static void rewrite_qualifier(struct parse *p, int i)
{
    if (is_a(p, i, QUALIFIER))
        edit_drop(p, i);
    if (is(p, i, W___launch_bounds__) || is(p, i, W___maxnreg__) ||
        is(p, i, W___cluster_dims__) || is(p, i, W___block_size__))
        drop_with_parens(p, i);
    if (mark(p, i - 1) == '(' || mark(p, i - 1) == ',')
        return; /* __attribute__((__noinline__)) */
    if (is(p, i, W___noinline__))
        edit_replace(p, i, "__attribute__((noinline))");
    if (is(p, i, W___forceinline__))
        edit_replace(p, i,
                     has_inline(p, i)
                         ? "__attribute__((always_inline))"
                         : "inline __attribute__((always_inline))");
}

/* A call of a texture or surface function that device code does not have here:
 * of mipmaps, cubemaps, gathers. */
static bool lacks_fetch(const struct parse *p, int i)
{
    static const char *const starts[] = {"tex1D",      "tex2D",      "tex3D",
                                         "texCubemap", "surf1D",     "surf2D",
                                         "surf3D",     "surfCubemap"};
    bool begins = false;

    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
        begins |= begins_with(p, i, starts[s]);
    return begins && !is_a(p, i, FETCH) &&
           (mark(p, i + 1) == '(' || mark(p, i + 1) == '<');
}

/* What the word at @i stands for if the virtual GPU lacks it, else NULL. */
static const char *unsupported(const struct parse *p, int i)
{
    if (lacks_fetch(p, i))
        return "texture memory with mipmaps, cubemaps or gathers";
    if (is(p, i + 1, W_SCOPE) && (is(p, i, W_thrust) || is(p, i, W_cub)))
        return is(p, i, W_thrust) ? "Thrust" : "CUB";
    if (is(p, i, W_experimental) && is(p, i - 1, W_SCOPE) &&
        is(p, i - 2, W_wmma))
        return "a matrix of 4 bits or 1 bit (wmma::experimental)";
    return NULL;
}

/* What the macro clock64() leaves: `vgpu_clock64(vgpu_c)`. */
static bool is_clock(const struct parse *p, int i)
{
    if (is(p, i, W_vgpu_c))
        i -= 2;
    return i >= 0 && is(p, i, W_vgpu_clock64) && is(p, i + 1, '(') &&
           is(p, i + 2, W_vgpu_c) && is(p, i + 3, ')');
}

/* Last, so that whatever is left over now belongs to no construct that was
 * understood: it is removed where that is right, or refused by name. */
static void finish_words(struct parse *p)
{
    int line = -1;

    for (int i = 0; i < p->lex.count; i++) {
        const char *what;

        if (is(p, i, W_LAUNCH) && p->roles[i] != ROLE_USED)
            refuse(p, i, "a kernel launch is not supported here");
        /* Whoever could name its counters could stop its clock. */
        if (is_name(p, i) && begins_with(p, i, "vgpu_") && !is_clock(p, i))
            refuse(p, i, "names that begin with vgpu_ are the virtual GPU's");
        /* What it makes known before main is told from theirs by it. */
        if (is(p, i, W_init_priority) || is(p, i, W___init_priority__))
            refuse(p, i, "init_priority is the virtual GPU's");
        if (!is_name(p, i) || p->roles[i] == ROLE_USED)
            continue;
        if (is(p, i, W___shared__))
            refuse(p, i, "a __shared__ variable is not supported here");
        if (begins_with(p, i, "__"))
            rewrite_qualifier(p, i);
        if (is(p, i, W___CUDA_ARCH__))
            refuse(p, i,
                   "__CUDA_ARCH__ may only stand in #if and #ifdef: the host's "
                   "compilation does not have it");
        what = unsupported(p, i);
        if (what && token(p, i)->line != line) {
            refuse(p, i, "%s is not supported by the virtual GPU", what);
            line = token(p, i)->line;
        }
    }
}

/* A kernel is run by what any can be run by, but where it is known to need
 * less. */
static void write_runners(struct parse *p)
{
    for (int i = 0; i < p->num_code; i++)
        if (p->code[i].kind == CODE_FUNCTION && p->code[i].head.global)
            edit_behind(p, p->code[i].open, LAYER_RUN, " ::%s",
                        p->code[i].split    ? p->code[i].split
                        : p->code[i].runner ? p->code[i].runner
                                            : "vgpu_run_kernel");
}

/* At the line that is likely to be wrong. */
static void refuse_brackets(struct parse *p, int opener, int closer)
{
    if (opener < 0)
        refuse(p, closer, "'%c' closes nothing", mark(p, closer));
    else if (closer < 0)
        refuse(p, opener, "the '%c' opened here is never closed",
               mark(p, opener));
    else if (mark(p, opener) != '{')
        refuse(p, opener,
               "the '%c' opened here is not closed before the '%c' of line %d",
               mark(p, opener), mark(p, closer), token(p, closer)->line);
    else
        refuse(p, closer, "'%c' does not close the '{' of line %d",
               mark(p, closer), token(p, opener)->line);
}

/* What clang does with them, the checker has to know (check/unwritten.c). */
#define BIT_FIELDS                                                             \
    "extern \"C\" __attribute__((weak)) const char vgpu_bit_fields = 1;"

/* ---- the entry ----------------------------------------------------------- */

static void parse_free(struct parse *p)
{
    edits_free(p);
    for (int i = 0; i < p->num_code; i++)
        free(p->code[i].split);
    free(p->shared);
    free(p->code);
    free(p->loops);
    buf_free(&p->looks);
    free(p->words);
    free(p->links);
    free(p->roles);
    lex_free(&p->lex);
}

/* After the last line, as no line of the text may move. */
static void write_behind(const struct parse *p,
                         const struct rewrite_options *options, bool ended,
                         struct buf *out)
{
    const bool fields = p->bit_fields && options->for_clang;

    if (!ended && (fields || p->looks.data))
        buf_puts(out, "\n");
    buf_puts(out, fields ? BIT_FIELDS : "");
    idle_write(p, out);
}

/* Brackets first: everything else relies on each having its partner. */
int rewrite_text(const char *text, size_t size,
                 const struct rewrite_options *options,
                 struct rewrite_result *result)
{
    struct parse p = {.options = options, .text = text, .size = size};
    struct buf out = {0};
    int opener, closer;

    memset(result, 0, sizeof *result);
    lex_text(&p.lex, text, size, options->own_dir);
    p.roles = buf_alloc((size_t)p.lex.count + 1);
    if (lex_match_brackets(&p.lex, &opener, &closer)) {
        refuse_brackets(&p, opener, closer);
    } else {
        words_index(&p);
        settle_index(&p);
        scope_read(&p, 0, p.lex.count, false);
        if (!options->plain)
            speed_write(&p);
        write_runners(&p);
        if (!options->host_only) {
            handles_name(&p);
            finish_words(&p);
            if (options->strict)
                sides_check(&p);
        }
    }
    if (!p.num_errors) {
        edits_apply(&p, &out);
        write_behind(&p, options, size && text[size - 1] == '\n', &out);
        result->quick = p.quick;
        result->text = out.data;
        result->size = out.size;
    }
    result->errors = p.errors.data;
    result->warnings = p.warnings.data;
    result->num_errors = p.num_errors;
    parse_free(&p);
    return result->num_errors ? -1 : 0;
}

void rewrite_result_free(struct rewrite_result *result)
{
    free(result->text);
    free(result->errors);
    free(result->warnings);
    memset(result, 0, sizeof *result);
}
