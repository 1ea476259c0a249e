/* out.h: text that grows in memory and reaches its file whole or not at all */
#ifndef TIMELINE_OUT_H
#define TIMELINE_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. After a failed allocation every call is without effect and
 * tl_out_write() fails, so that writers need not check each line.
 */
struct out {
    char *data; /* terminated; NULL while empty */
    size_t length, room;
    bool failed;
};

void tl_out_bytes(struct out *o, const char *bytes, size_t len);
void tl_out_text(struct out *o, const char *text);
void tl_out_vprint(struct out *o, const char *format, va_list args);
void tl_out_print(struct out *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tl_out_repeat(struct out *o, const char *text, size_t times);

/* Text of a trace, made safe for its place. Bytes that are not UTF-8 become
 * U+FFFD, control characters a question mark.
 * tl_out_plain: a terminal; tl_out_xml: XML text or a quoted attribute;
 * tl_out_json: a JSON string with its quotes, safe inside a <script>.
 */
void tl_out_plain(struct out *o, const char *text);
void tl_out_xml(struct out *o, const char *text);
void tl_out_json(struct out *o, const char *text);
/* @special: gives what stands for an ASCII character, or NULL: itself */
void tl_out_escaped(struct out *o, const char *text,
                    const char *(*special)(char c));

/* Write everything to a file: a temporary one in the same folder, renamed at
 * the end. What is not a regular file (a device, a pipe) and "-" (standard
 * output) is written directly.
 * Return: true, or false with errno set; the old file is then untouched.
 */
bool tl_out_write(const struct out *o, const char *path);

void tl_out_free(struct out *o);

#endif
