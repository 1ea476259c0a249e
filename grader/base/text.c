/* text.c: text that grows, and a few words about strings and files */
#include "base/text.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/input_file.h"

static void need(const struct out *text)
{
    if (!text->failed)
        return;
    fputs("grade: out of memory\n", stderr);
    exit(2);
}

void text_add(struct out *text, const char *data, size_t length)
{
    tl_out_bytes(text, data, length);
    need(text);
}

void text_vprintf(struct out *text, const char *format, va_list args)
{
    tl_out_vprint(text, format, args);
    need(text);
}

void text_printf(struct out *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

void text_clear(struct out *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

const char *text_string(const struct out *text)
{
    return text->data ? text->data : "";
}

bool text_read_file(struct out *text, const char *path, size_t limit)
{
    const int fd = input_file_open(path, LLONG_MAX);
    char part[65536];
    ssize_t got = 0;

    if (fd < 0)
        return false;
    text_add(text, "", 0); /* of an empty file it is no NULL */
    while (text->length < limit && (got = read(fd, part, sizeof part)) > 0)
        text_add(text, part, (size_t)got);
    close(fd);
    return got >= 0;
}

uint64_t text_hash(uint64_t state, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        state = (state ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return state;
}

bool text_matches(const char *word, const char *pattern)
{
    return fnmatch(pattern, word, FNM_NOESCAPE) == 0;
}

/* One reader for parameters, a checker's lines and the values of a finding: a
 * key is whole from separator to '=', so that "n" is not found in "len=3". */
const char *text_find_field(const char *fields, const char *key, char between,
                            size_t *length)
{
    const char ends[] = {between, '\n', '\0'};
    const size_t name = strlen(key);

    for (const char *at = fields; at && *at; at++) {
        const size_t field = strcspn(at, ends);

        if (strncmp(at, key, name) == 0 && at[name] == '=') {
            *length = field - name - 1;
            return at + name + 1;
        }
        at += field;
        if (*at != between)
            return NULL;
    }
    return NULL;
}

char *text_format(const char *format, ...)
{
    struct out text = {0};
    va_list args;

    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    return text.data;
}
