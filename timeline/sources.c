/* sources.c: the text of the source files that a trace names
 *
 * A page with source lines must be made where the sources are, but it may be
 * made from a trace of somebody else. Such a trace could name /etc/passwd or
 * ../../.ssh/id_rsa, and the page would carry it: names must stay inside the
 * folder that the caller gave. Symbolic links in there are the caller's own.
 */
#define _POSIX_C_SOURCE 200809L
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/input_file.h"

#define QUOTED_LINES 4

struct names {
    char *list[SOURCES_MAX_FILES];
    size_t num;
};

/* A relative name without "..": it stays inside the folder. */
static bool is_inside(const char *name)
{
    for (const char *p = name; p;
         p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2]))
            return false;
    return *name && *name != '/';
}

/* "file.cu:31" counts as file.cu. */
static void add_name(struct names *names, const char *at)
{
    const char *colon = strrchr(at, ':');
    size_t len = colon ? (size_t)(colon - at) : 0;
    char *name;

    if (len == 0)
        return;
    for (size_t i = 0; i < names->num; i++)
        if (strlen(names->list[i]) == len &&
            memcmp(names->list[i], at, len) == 0)
            return;
    name = names->num < SOURCES_MAX_FILES ? strndup(at, len) : NULL;
    if (name && is_inside(name))
        names->list[names->num++] = name;
    else
        free(name);
}

/* Of calls all, also outside of the region: a page shows the call that made an
 * operation. */
static void find_names(const struct view *v, struct names *names)
{
    for (size_t i = 0; i < v->num_ops; i++)
        add_name(names, v->ops[i]->at);
    for (size_t i = 0; i < v->trace->num_calls; i++)
        add_name(names, v->trace->calls[i].at);
}

/* Return: the file's text, to be freed, or NULL. */
/* Too large a file is no source that somebody reads. */
static char *read_source(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2, len;
    char *path = malloc(room), *text = NULL;
    FILE *in;

    if (!path)
        return NULL;
    snprintf(path, room, "%s/%s", folder, name);
    in = input_file_read(path, SOURCES_MAX_BYTES);
    free(path);
    if (!in)
        return NULL;
    text = malloc(SOURCES_MAX_BYTES + 1);
    if (text) {
        len = fread(text, 1, SOURCES_MAX_BYTES, in);
        text[len] = '\0';
    }
    fclose(in);
    return text;
}

/* As an array, so that a page finds a line by its number. The text is cut up.
 */
static void put_lines(char *text, struct out *o)
{
    tl_out_text(o, "[");
    for (char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        bool last = line[len] == '\0';

        line[len] = '\0';
        tl_out_text(o, line == text ? "\n" : ",\n");
        tl_out_json(o, line);
        line += len + !last;
    }
    tl_out_text(o, "]");
}

void tl_sources_put(const struct view *views, size_t num, const char *folder,
                    struct out *o)
{
    struct names names = {.num = 0};
    bool any = false;

    for (size_t i = 0; folder && i < num; i++)
        find_names(&views[i], &names);
    tl_out_text(o, "{");
    for (size_t i = 0; i < names.num; i++) {
        char *text = read_source(folder, names.list[i]);

        if (text) {
            tl_out_text(o, any ? "," : "");
            tl_out_json(o, names.list[i]);
            tl_out_text(o, ":");
            put_lines(text, o);
            any = true;
        }
        free(text);
        free(names.list[i]);
    }
    tl_out_text(o, "}");
}

/* The start of line number, counted from 1, or NULL. */
static char *find_line(char *text, unsigned long number)
{
    while (text && --number > 0) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && *text ? text : NULL;
}

/* Up to the end of a statement or the start of a block: a launch is mostly
 * longer than a line, and its arguments are what a hazard is about. The first
 * line's indentation is left out of all of them.
 */
static void quote_lines(char *line, unsigned long number, struct out *o)
{
    size_t indent = strspn(line, " \t");

    tl_out_text(o, "<pre class=\"quote\">");
    for (unsigned i = 0; i < QUOTED_LINES && line && *line; i++) {
        char *end = strchr(line, '\n');
        size_t len;

        if (end)
            *end = '\0';
        len = strlen(line);
        tl_out_print(o, "%s<span class=\"no\">%4lu</span>  ", i ? "\n" : "",
                     number + i);
        tl_out_xml(o, line + (strspn(line, " \t") < indent ? strspn(line, " \t")
                                                           : indent));
        if (len && strchr(";{}", line[len - 1]))
            break;
        line = end ? end + 1 : NULL;
    }
    tl_out_text(o, "</pre>");
}

bool tl_sources_quote(const char *at, const char *folder, struct out *o)
{
    struct names names = {.num = 0};
    const char *colon = strrchr(at, ':');
    unsigned long number = colon ? strtoul(colon + 1, NULL, 10) : 0;
    char *text, *line;

    if (!folder || number == 0)
        return false;
    add_name(&names, at);
    if (names.num == 0)
        return false;
    text = read_source(folder, names.list[0]);
    line = text ? find_line(text, number) : NULL;
    if (line)
        quote_lines(line, number, o);
    free(text);
    free(names.list[0]);
    return line;
}
