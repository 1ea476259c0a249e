/*
 * buf.c: growing byte buffers and memory that does not fail.
 *
 * The driver lives for a second and has nothing to save: without memory it says
 * so and ends, instead of handing an error through every part of the rewriter.
 */
#include "buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *memory)
{
    if (memory)
        return memory;
    fputs("vgpucc: error: out of memory\n", stderr);
    exit(1);
}

void *buf_alloc(size_t bytes)
{
    return check(calloc(1, bytes ? bytes : 1));
}

void *buf_resize(void *old, size_t bytes)
{
    return check(realloc(old, bytes ? bytes : 1));
}

char *buf_copy_string(const char *s)
{
    size_t size = strlen(s) + 1;

    return memcpy(buf_alloc(size), s, size);
}

/* Always room for a zero behind, so that data is a string, too. */
static void buf_reserve(struct buf *b, size_t more)
{
    size_t need = b->size + more + 1;

    if (need <= b->capacity)
        return;
    b->capacity = need * 2 < 256 ? 256 : need * 2;
    b->data = buf_resize(b->data, b->capacity);
}

void buf_add(struct buf *b, const char *data, size_t size)
{
    buf_reserve(b, size);
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

/* Measured, then written: nothing that is rewritten may be cut. */
static void print_into(struct buf *b, const char *format, va_list args)
{
    va_list again;
    int size;

    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0)
        return;
    buf_reserve(b, (size_t)size);
    vsnprintf(b->data + b->size, (size_t)size + 1, format, args);
    b->size += (size_t)size;
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_into(b, format, args);
    va_end(args);
}

char *buf_vformat(const char *format, va_list args)
{
    struct buf b = {0};

    print_into(&b, format, args);
    return b.data ? b.data : buf_copy_string("");
}

void buf_free(struct buf *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

/* Always a NULL behind: a list is an argument vector. */
static void list_take(struct list *l, char *s)
{
    if (l->count + 2 > l->capacity) {
        l->capacity = l->capacity ? l->capacity * 2 : 16;
        l->items = buf_resize(l->items, (size_t)l->capacity * sizeof(char *));
    }
    l->items[l->count++] = s;
    l->items[l->count] = NULL;
}

void list_add(struct list *l, const char *s)
{
    list_take(l, buf_copy_string(s));
}

void list_adds(struct list *l, const char *s, ...)
{
    va_list args;

    va_start(args, s);
    for (; s; s = va_arg(args, const char *))
        list_add(l, s);
    va_end(args);
}

void list_addf(struct list *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    list_take(l, buf_vformat(format, args));
    va_end(args);
}

void list_add_all(struct list *l, const struct list *from)
{
    for (int i = 0; i < from->count; i++)
        list_add(l, from->items[i]);
}

void list_free(struct list *l)
{
    for (int i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
    memset(l, 0, sizeof *l);
}
