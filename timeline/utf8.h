/* utf8.h: characters of a text that nobody has checked */
#ifndef TIMELINE_UTF8_H
#define TIMELINE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The text ends with a zero byte, which is no part of a longer character. */
#define UTF8_TERMINATED SIZE_MAX

/* Return: the bytes of the character at @text, of which there are @room; 0
 * where it is none: a stray or missing byte, a form that is too long, half of
 * a surrogate pair, above U+10FFFF, or @room 0.
 */
size_t tl_utf8_length(const char *text, size_t room);

#endif
