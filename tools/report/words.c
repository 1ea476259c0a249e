/* words.c: texts of a lab's folder
 *
 * The words stand in Markdown and in the state that other tools keep; they are
 * quoted and never written anew here. Only as much of Markdown is known as the
 * hints use.
 */
#include "words.h"

#include "utf8.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/input_file.h"

enum { LARGEST = 1 << 20 };

/* What is longer than the limit is cut: these are files that people write. */
char *words_read_file(const char *path)
{
    FILE *in = input_file_read(path, LLONG_MAX);
    char *text = in ? malloc(LARGEST + 1) : NULL;

    if (text)
        text[fread(text, 1, LARGEST, in)] = '\0';
    if (in)
        fclose(in);
    return text;
}

static char *read_of_lab(const char *lab, const char *name)
{
    char path[600];

    snprintf(path, sizeof path, "labs/%.200s/%s", lab, name);
    return words_read_file(path);
}

/* The folder's name where the README has no heading: a lab in the making is
 * shown, too. */
void words_title(const char *lab, char *title, size_t size)
{
    char *text = read_of_lab(lab, "README.md");

    snprintf(title, size, "%s", lab);
    if (text && strncmp(text, "# ", 2) == 0) {
        text[strcspn(text, "\r\n")] = '\0';
        snprintf(title, size, "%s", text + 2);
    }
    free(text);
}

/* As the grader counts (grader/grade/workplace.c): a number behind "TODO ", in
 * the student's file. */
unsigned words_first_todo(const char *lab)
{
    char *text = read_of_lab(lab, "lab.cu");
    unsigned todo = 0;

    for (const char *at = text; at && todo == 0; at = strstr(at + 1, "TODO ")) {
        if (strncmp(at, "TODO ", 5) == 0 && isdigit((unsigned char)at[5]))
            todo = (unsigned)strtoul(at + 5, NULL, 10);
    }
    free(text);
    return todo;
}

/* build/state/hints/NN holds lines "TODO SHOWN". */
static unsigned hints_shown(const char *lab, unsigned todo)
{
    char path[64];
    unsigned shown = 1;
    char *text;

    snprintf(path, sizeof path, "build/state/hints/%.2s", lab);
    text = words_read_file(path);
    for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
        unsigned number, steps;

        if (sscanf(line, "%u %u", &number, &steps) == 2 && number == todo &&
            steps > 1)
            shown = steps;
    }
    free(text);
    return shown;
}

/* A line of Markdown: `code`, **strong** and *stressed* words. */
static void put_inline(const char *line, size_t len, struct out *o)
{
    /* The longer of two that begin alike comes first. */
    static const struct {
        const char *mark, *name;
    } kinds[] = {{"`", "code"}, {"**", "strong"}, {"*", "em"}};
    const char *end = line + len, *open = NULL;

    while (line < end) {
        char one[5] = {0};
        size_t step = tl_utf8_length(line, UTF8_TERMINATED);
        bool marked = false;

        for (size_t i = 0; i < 3 && !marked; i++) {
            size_t size = strlen(kinds[i].mark);

            if (strncmp(line, kinds[i].mark, size) != 0 ||
                (open && open != kinds[i].name) ||
                (!open && !strstr(line + size, kinds[i].mark)))
                continue;
            tl_out_print(o, open ? "</%s>" : "<%s>", kinds[i].name);
            open = open ? NULL : kinds[i].name;
            line += size;
            marked = true;
        }
        if (marked)
            continue;
        memcpy(one, line, step ? step : 1);
        tl_out_xml(o, one);
        line += step ? step : 1;
    }
    if (open)
        tl_out_print(o, "</%s>", open);
}

/* Paragraphs, and code between fences. The element that is open is kept by
 * name; an empty line outside of code closes it.
 */
static void put_markdown(const char *text, const char *end, struct out *o)
{
    const char *open = NULL;

    for (const char *next; text < end; text = next) {
        size_t len = strcspn(text, "\n");
        bool fence = strncmp(text, "```", 3) == 0;
        bool code = open && strcmp(open, "pre") == 0;
        const char *want = len == 0 ? NULL : "p";

        next = text + len + (text[len] == '\n');
        if (fence)
            want = code ? NULL : "pre";
        else if (code)
            want = "pre";
        if (open != want && open)
            tl_out_print(o, "</%s>\n", open);
        if (open != want && want)
            tl_out_print(o, "<%s>", want);
        else if (want && !fence)
            tl_out_text(o, "\n");
        open = want;
        if (want && !fence)
            put_inline(text, len, o);
    }
    if (open)
        tl_out_print(o, "</%s>\n", open);
}

/* The text between a heading's line and the next heading. */
static const char *end_of_part(const char *text)
{
    const char *end = strstr(text, "\n#");

    return end ? end + 1 : text + strlen(text);
}

/* hints.md has a "## TODO 2: ..." for each gap and in it "### " steps, from a
 * nudge to nearly the answer. A student who has not asked yet sees the first.
 */
void words_put_hints(const char *lab, unsigned todo, struct out *o)
{
    char *text = read_of_lab(lab, "hints.md"), heading[40];
    const char *at;
    unsigned shown = hints_shown(lab, todo);

    snprintf(heading, sizeof heading, "\n## TODO %u:", todo);
    at = text && todo ? strstr(text, heading) : NULL;
    at = at ? strchr(at + 1, '\n') : NULL;
    for (unsigned step = 0; at && step < shown; step++) {
        const char *title = strstr(at, "\n### ");
        const char *other = strstr(at, "\n## ");

        if (!title || (other && other < title))
            break;
        title += 5;
        at = title + strcspn(title, "\n");
        tl_out_print(o, "<h4>Hint for TODO %u: ", todo);
        put_inline(title, (size_t)(at - title), o);
        tl_out_text(o, "</h4>\n");
        if (*at)
            put_markdown(at + 1, end_of_part(at), o);
        at = end_of_part(at) - 1;
    }
    free(text);
}

/* The file is the quiz's own, but anybody can edit it: numbers that cannot be
 * are taken for none. */
bool words_quiz(const char *lab, unsigned *right, unsigned *questions)
{
    char path[64], *text;
    bool known;

    snprintf(path, sizeof path, "build/state/quiz/%.2s", lab);
    text = words_read_file(path);
    known = text && sscanf(text, "%u %u", right, questions) == 2 &&
            *questions > 0 && *right <= *questions;
    free(text);
    return known;
}
