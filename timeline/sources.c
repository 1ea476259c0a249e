/* sources.c: the text of the source files that a trace names */
#define _POSIX_C_SOURCE 200809L
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static void find_names(const struct view *v, struct names *names)
{
    for (size_t i = 0; i < v->num_ops; i++)
        add_name(names, v->ops[i]->at);
    for (size_t i = 0; i < v->trace->num_calls; i++)
        add_name(names, v->trace->calls[i].at);
}

/* Return: the file's text, to be freed, or NULL. */
static char *read_source(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2, len;
    char *path = malloc(room), *text = NULL;
    struct stat info;
    FILE *in;

    if (!path)
        return NULL;
    snprintf(path, room, "%s/%s", folder, name);
    in = stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
                 info.st_size <= SOURCES_MAX_BYTES
             ? fopen(path, "r")
             : NULL;
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
