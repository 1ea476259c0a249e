/* names.c: what the name of a file that was handed in says
 *
 * Students' programs come as browsers, mail and course sites leave them: in
 * upper case, with ".txt" behind, with the number of a copy. None of that is
 * the student's mistake.
 */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHARS = 256 };

static bool cut_end(char *text, const char *end)
{
    const size_t length = strlen(text), ending = strlen(end);

    if (length <= ending || strcmp(text + length - ending, end) != 0)
        return false;
    text[length - ending] = '\0';
    return true;
}

/* The "(1)" of "lab (1)". */
static bool cut_number(char *text)
{
    char *const open = strrchr(text, '(');
    const size_t digits = open ? strspn(open + 1, "0123456789") : 0;

    if (digits == 0 || open == text || strcmp(open + 1 + digits, ")") != 0)
        return false;
    *open = '\0';
    return true;
}

/* What a system puts behind the name of a copy. */
static void cut_marks(char *text)
{
    static const char *const words[] = {
        " - copy",  " copy",  "_copy",    "-copy",  " - kopie", " kopie",
        " - copia", " copia", " - copie", " copie", " "};
    bool cut = true;

    while (cut) {
        cut = cut_number(text);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            cut = cut_end(text, words[i]) || cut;
    }
}

/* Leave the stem of what can be a submission. Return: can it? */
static bool cut_code(char *text)
{
    bool code = false;

    cut_marks(text);
    if (cut_end(text, ".txt"))
        cut_marks(text);
    while (cut_end(text, ".cu")) {
        code = true;
        cut_marks(text);
    }
    return code;
}

static bool is_nobody(const char *name)
{
    static const char *const names[] = {"__macosx", "thumbs.db", "desktop.ini"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return name[0] == '.' || name[0] == '\0';
}

static bool is_document(const char *name)
{
    static const char *const ends[] = {
        "pdf",   "md",   "png",  "jpg",  "jpeg", "gif",  "svg",  "doc", "docx",
        "odt",   "html", "htm",  "csv",  "json", "xml",  "xlsx", "log", "trace",
        "flags", "rtf",  "pptx", "heic", "tex",  "webp", "url",  "mp4"};
    const char *const dot = strrchr(name, '.');

    if (strcmp(name, "flags") == 0 || strcmp(name, "flags.txt") == 0)
        return true;
    for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(dot + 1, ends[i]) == 0)
            return true;
    return false;
}

/* Return: a number of one or two digits at the start of a text, or -1. */
static int number_at(const char *text)
{
    const size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 2)
        return -1;
    return digits == 1 ? text[0] - '0' : 10 * (text[0] - '0') + text[1] - '0';
}

/* "08", "08_uneven_chunks", and anywhere "lab08", "Lab 8", "lab_08". */
static int read_lab(const char *stem)
{
    const size_t digits = strspn(stem, "0123456789");
    const char *at = stem;
    int lab = -1;

    if (stem[digits] == '\0' || (digits == 2 && stem[2] == '_'))
        lab = number_at(stem);
    for (; lab < 0 && (at = strstr(at, "lab")); at += 3)
        if (at == stem || !isalpha((unsigned char)at[-1]))
            lab = number_at(at + 3 + strspn(at + 3, " _-."));
    return lab;
}

struct name name_read(const char *file)
{
    struct name n = {NAME_OTHER, -1, false};
    char text[MOST_CHARS];
    size_t i;

    for (i = 0; file[i] && i + 1 < sizeof text; i++)
        text[i] = (char)tolower((unsigned char)file[i]);
    text[i] = '\0';
    if (is_nobody(text))
        n.kind = NAME_NOBODY;
    else if (is_document(text))
        n.kind = NAME_DOCUMENT;
    else if (cut_code(text))
        n.kind = NAME_CODE;
    if (n.kind != NAME_NOBODY)
        n.lab = read_lab(text);
    n.is_lab = n.kind == NAME_CODE && strcmp(text, "lab") == 0;
    return n;
}

unsigned name_stem(const char *file)
{
    static const char *const ends[] = {".txt", ".cu", ".gz", ".xz", ".tar"};
    const char *const dot = strrchr(file, '.');
    size_t length = strlen(file);
    bool cut = false;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t ending = strlen(ends[i]);
        size_t k = 0;

        if (length <= ending)
            continue;
        while (k < ending &&
               tolower((unsigned char)file[length - ending + k]) == ends[i][k])
            k++;
        if (k == ending) {
            length -= ending;
            cut = true;
        }
    }
    if (!cut && dot && dot != file)
        length = (size_t)(dot - file);
    return (unsigned)length;
}
