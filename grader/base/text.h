/* text.h: text that grows, and a few words about strings and files */
#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* As tl_out_bytes() and tl_out_print(); but without memory the program ends:
 * nothing sensible is left to do. */
void text_add(struct out *text, const char *data, size_t length);
void text_printf(struct out *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_vprintf(struct out *text, const char *format, va_list args);
void text_clear(struct out *text);
/* Return: the text, "" when nothing was added. */
const char *text_string(const struct out *text);

/* Locals that are freed where their block ends: OWNED char *path = ..., what
 * malloc() made or NULL; and OWNED_TEXT words = {0}. */
#define OWNED      __attribute__((cleanup(text_drop)))
#define OWNED_TEXT __attribute__((cleanup(tl_out_free))) struct out
static inline void text_drop(const void *owned)
{
    void *memory;

    memcpy(&memory, owned, sizeof memory);
    free(memory);
}

/* FNV-1a, from where @state came to. */
#define TEXT_HASH UINT64_C(0xcbf29ce484222325) /* at first */
uint64_t text_hash(uint64_t state, const char *text, size_t length);

/* Is it this word? @pattern as a shell has them: "cuda*Query". */
bool text_matches(const char *word, const char *pattern);

/*
 * A value in "key=value" fields with @between between them, which end with the
 * line. Return: where it begins, @length bytes long; NULL without that key.
 */
const char *text_find_field(const char *fields, const char *key, char between,
                            size_t *length);

/* A file, not read on once there are more than @limit bytes: so a length above
 * it says that the file is too large. Of an empty one the text is "", not NULL.
 * Return: false with errno if unreadable or no file, see vgpu/input_file.h. */
bool text_read_file(struct out *text, const char *path, size_t limit);

/* A formatted string of its own, to be freed. */
char *text_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
