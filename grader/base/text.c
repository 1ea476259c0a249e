/* text.c: text that grows, and a few words about strings and files */
#include "base/text.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/input_file.h"

/* Room for the zero byte is always counted in: text_add may end the data with
 * one at any time. Doubling keeps a text that grows byte by byte linear. */
static void reserve(struct text *text, size_t more)
{
    size_t room = text->room ? text->room : 256;

    while (room < text->length + more + 1)
        room *= 2;
    if (room == text->room)
        return;
    text->data = realloc(text->data, room);
    if (text->data == NULL) {
        fputs("grade: out of memory\n", stderr);
        exit(2);
    }
    text->room = room;
}

void text_add(struct text *text, const char *data, size_t length)
{
    reserve(text, length);
    if (length > 0)
        memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

/* Formatted twice, once for its length: a compiler's message or a trace is of
 * any size, and nothing here is ever cut. */
void text_vprintf(struct text *text, const char *format, va_list args)
{
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length > 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

bool text_read_file(struct text *text, const char *path, size_t limit)
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

/* Never NULL: what a caller frees and prints is a string also when nothing was
 * formatted into it. */
char *text_format(const char *format, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    if (text.data == NULL)
        text_add(&text, "", 0);
    return text.data;
}
