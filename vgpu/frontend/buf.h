/*
 * buf.h: growing byte buffers and memory that does not fail.
 */
#ifndef VGPU_BUF_H
#define VGPU_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* As malloc and friends, but the process ends with a message instead. */
void *buf_alloc(size_t bytes);
void *buf_resize(void *old, size_t bytes);
/* Room for one more behind the @count items of @list, where there is always
 * room for one less than a power of two. */
#define BUF_ROOM(list, count)                                                  \
    do {                                                                       \
        if (!((count) & ((count) + 1)))                                        \
            (list) = buf_resize((list),                                        \
                                ((size_t)(count) + 1) * 2 * sizeof *(list));   \
    } while (0)
char *buf_copy_string(const char *s);

struct buf {
    char *data; /* NUL-terminated, or NULL if empty */
    size_t size, capacity;
};

void buf_add(struct buf *b, const char *data, size_t size);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Memory of its own. */
char *buf_vformat(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));
void buf_free(struct buf *b);

/* A list of strings, NULL-terminated, as execvp wants. Owns its strings. */
struct list {
    char **items;
    int count, capacity;
};

void list_add(struct list *l, const char *s);
/* Several, with NULL behind. */
void list_adds(struct list *l, const char *s, ...) __attribute__((sentinel));
void list_addf(struct list *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void list_add_all(struct list *l, const struct list *from);
void list_free(struct list *l);

#endif
