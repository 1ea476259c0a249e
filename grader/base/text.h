/* text.h: text that grows, and a few words about strings and files */
#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is empty. @data ends with a zero byte once anything was added. */
struct text {
    char *data;
    size_t length, room;
};

/* Without memory the program ends: nothing sensible is left to do. */
void text_add(struct text *text, const char *data, size_t length);
void text_printf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_clear(struct text *text);
void text_free(struct text *text);
/* Return: the text, "" when nothing was added. */
const char *text_string(const struct text *text);

/* Is it this word? With a star at the end of @pattern: does it begin so? */
bool text_matches(const char *word, const char *pattern);

/*
 * A value in "key=value" fields with @between between them, which end with the
 * line. Return: where it begins, @length bytes long; NULL without that key.
 */
const char *text_find_field(const char *fields, const char *key, char between,
                            size_t *length);

/* A file, not read on once there are more than @limit bytes: so a length above
 * it says that the file is too large. Return: false if unreadable. */
bool text_read_file(struct text *text, const char *path, size_t limit);

/* A formatted string of its own, to be freed. */
char *text_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
