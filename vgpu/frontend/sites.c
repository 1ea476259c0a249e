/*
 * sites.c: the places of calls, in WebAssembly's assembly (sites.h).
 *
 * clang says where it is by lines `.loc FILE LINE COLUMN`, and names files by
 * `.file NUMBER "FOLDER" "NAME"`. A place that was named once is not named
 * again: a program has a few hundred of them.
 */
#include "sites.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct place {
    unsigned file, line;
};

struct sites {
    struct buf *out;
    struct list files; /* by number, as the assembler writes them: with \ */
    struct place *places;
    size_t count;
    struct place now;
    bool debug; /* in a section for debuggers */
};

/* A line of the text, less its end. */
struct line {
    const char *at, *end;
};

static void skip_blanks(struct line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
}

/* The next word is @word: go past it. */
static bool take(struct line *line, const char *word)
{
    size_t size = strlen(word);
    size_t left;

    skip_blanks(line);
    left = (size_t)(line->end - line->at);
    if (left < size || memcmp(line->at, word, size) ||
        (left > size && !strchr(" \t,:", line->at[size])))
        return false;
    line->at += size;
    return true;
}

static bool take_number(struct line *line, unsigned *number)
{
    const char *begin;

    skip_blanks(line);
    begin = line->at;
    *number = 0;
    while (line->at < line->end && *line->at >= '0' && *line->at <= '9')
        *number = *number * 10 + (unsigned)(*line->at++ - '0');
    return line->at > begin;
}

/* Return: what stands between the quotes, or NULL. */
static char *take_string(struct line *line)
{
    struct buf text = {0};
    const char *at;

    skip_blanks(line);
    if (line->at == line->end || *line->at != '"')
        return NULL;
    for (at = line->at + 1; at < line->end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < line->end;
    if (at >= line->end)
        return NULL;
    buf_add(&text, line->at + 1, (size_t)(at - line->at - 1));
    line->at = at + 1;
    return text.data ? text.data : buf_copy_string("");
}

/* ---- places -------------------------------------------------------------- */

/* As name_path() of vgpu/check/lines_dwarf.c: the path as the compiler was
 * given it; absolute folders say nothing to a reader. */
static void add_file(struct sites *s, struct line line)
{
    char *folder, *name;
    unsigned number;

    if (!take_number(&line, &number) || number > 100000)
        return;
    folder = take_string(&line);
    name = take_string(&line);
    while ((unsigned)s->files.count <= number)
        list_add(&s->files, "?");
    free(s->files.items[number]);
    if (!name) {
        name = folder ? folder : buf_copy_string("?");
        folder = buf_copy_string("");
    }
    if (*name == '/') {
        s->files.items[number] = buf_copy_string(strrchr(name, '/') + 1);
    } else if (!*folder || *folder == '/' || !strcmp(folder, ".")) {
        s->files.items[number] = buf_copy_string(name);
    } else {
        struct buf path = {0};

        buf_printf(&path, "%s/%s", folder, name);
        s->files.items[number] = path.data;
    }
    free(folder);
    free(name);
}

/* Line 0 is code that no line has asked for; it belongs to what is around. */
static void note_place(struct sites *s, struct line line)
{
    struct place place;

    if (take_number(&line, &place.file) && take_number(&line, &place.line) &&
        place.line && place.file < (unsigned)s->files.count)
        s->now = place;
}

/* Most calls have the place of one of the last. */
static size_t place_number(struct sites *s)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->places[i].file == s->now.file &&
            s->places[i].line == s->now.line)
            return i;
    if ((s->count & (s->count - 1)) == 0)
        s->places = buf_resize(s->places, (s->count ? 2 * s->count : 1) *
                                              sizeof *s->places);
    s->places[s->count] = s->now;
    return s->count++;
}

/* The stack of operands may hold the call's arguments: what is put on top of
 * them is taken off again. */
static void write_site(struct sites *s)
{
    if (s->now.line)
        buf_printf(s->out, "\ti32.const\t.Lvgpu_places+%zu\n",
                   place_number(s) * 8);
    else
        buf_puts(s->out, "\ti32.const\t0\n");
    buf_puts(s->out, "\tglobal.set\t__vgpu_pc\n");
}

static void write_places(struct sites *s)
{
    if (!s->count)
        return;
    buf_puts(s->out, "\t.section\t.rodata..Lvgpu_places,\"\",@\n"
                     "\t.type\t.Lvgpu_places,@object\n"
                     "\t.p2align\t2, 0x0\n"
                     ".Lvgpu_places:\n");
    for (size_t i = 0; i < s->count; i++)
        buf_printf(s->out, "\t.int32\t.Lvgpu_file%u\n\t.int32\t%u\n",
                   s->places[i].file, s->places[i].line);
    buf_printf(s->out, "\t.size\t.Lvgpu_places, %zu\n", s->count * 8);
    for (int i = 0; i < s->files.count; i++)
        buf_printf(s->out,
                   "\t.section\t.rodata..Lvgpu_file%d,\"S\",@\n"
                   "\t.type\t.Lvgpu_file%d,@object\n"
                   ".Lvgpu_file%d:\n"
                   "\t.asciz\t\"%s\"\n"
                   "\t.size\t.Lvgpu_file%d, .-.Lvgpu_file%d\n",
                   i, i, i, s->files.items[i], i, i);
}

/* ---- lines --------------------------------------------------------------- */

/* memory.h has the assembler rename them, where it can. */
static const char *renamed(struct line *line)
{
    static const char *const names[][2] = {{"memcpy", "vgpu_memcpy"},
                                           {"memmove", "vgpu_memmove"},
                                           {"memset", "vgpu_memset"},
                                           {"memcmp", "vgpu_memcmp"},
                                           {"bcmp", "vgpu_memcmp"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (take(line, names[i][0]))
            return names[i][1];
    return NULL;
}

/* A call, or a division, which ends a program that divides by zero. */
static bool has_place(struct line line)
{
    static const char *const words[] = {
        "call",      "call_indirect", "i32.div_s", "i32.div_u", "i32.rem_s",
        "i32.rem_u", "i64.div_s",     "i64.div_u", "i64.rem_s", "i64.rem_u"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take(&line, words[i]))
            return true;
    return false;
}

/* A name stands behind one of these words. */
static void write_line(struct sites *s, struct line line)
{
    static const char *const before[] = {"call", "i32.const", ".functype",
                                         ".int32"};
    const struct line whole = line;
    const char *name = NULL;

    for (size_t i = 0; i < sizeof before / sizeof *before && !name; i++) {
        line = whole;
        if (take(&line, before[i]) && (name = renamed(&line)))
            buf_printf(s->out, "\t%s\t%s", before[i], name);
    }
    if (!name)
        line = whole;
    buf_add(s->out, line.at, (size_t)(line.end - line.at));
    buf_puts(s->out, "\n");
}

static void do_line(struct sites *s, struct line line)
{
    struct line rest = line;

    if (take(&rest, ".section")) {
        skip_blanks(&rest);
        s->debug = rest.end - rest.at > 7 && !memcmp(rest.at, ".debug_", 7);
    }
    if (take(&rest, ".file")) {
        add_file(s, rest);
    } else if (take(&rest, ".loc")) {
        note_place(s, rest);
    } else if (!s->debug || take(&rest, ".weak")) { /* stands behind all */
        if (has_place(rest))
            write_site(s);
        else if (take(&rest, "end_function"))
            s->now.line = 0;
        write_line(s, line);
    }
}

void sites_add(const char *text, size_t size, struct buf *out)
{
    struct sites s = {.out = out};
    const char *end = text + size;

    buf_puts(out, "\t.globaltype\t__vgpu_pc, i32\n");
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        if (!stop)
            stop = end;
        do_line(&s, (struct line){text, stop});
        text = stop + (stop < end);
    }
    write_places(&s);
    free(s.places);
    list_free(&s.files);
}
