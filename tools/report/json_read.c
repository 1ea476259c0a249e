/* json_read.c: a strict reader of JSON
 *
 * For the files that the grader writes, which a student could write as well. So
 * it reads the whole language and no more, each value is checked when it is
 * made, and depth, size and number of values have limits. It is written by
 * recursive descent: one function for each rule of RFC 8259, and r->at is
 * always behind what was read.
 */
#include "json_read.h"

#include "utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/input_file.h"

#define TOO_LARGE "larger than 16 MiB"

struct reader {
    const char *at, *end;
    size_t line, values;
    unsigned depth;
    struct json_error *err;
};

/* Return: false, for the callers. The first error is the one that counts: after
 * it nothing more is read. */
static bool fail(struct reader *r, const char *text)
{
    r->err->line = r->line;
    snprintf(r->err->text, sizeof r->err->text, "%s", text);
    return false;
}

/* Lines are counted here: nowhere else may a newline stand. */
static void skip_space(struct reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
        r->line += *r->at == '\n';
}

/* Is the next character this one? Then step over it. */
static bool take(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

/* ---- strings ------------------------------------------------------------- */

/* @code is a character and no surrogate: 1 to 4 bytes. */
static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

/* Either case, by setting the bit in which they differ. */
static bool take_hex(struct reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;

        if (c >= '0' && c <= '9')
            *code = *code * 16 + (unsigned)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            *code = *code * 16 + (unsigned)((c | 32) - 'a' + 10);
        else
            return fail(r, "\\u needs four hexadecimal digits");
    }
    return true;
}

/* Behind "\u"; half a pair needs its other half. */
static bool take_code(struct reader *r, unsigned *code)
{
    unsigned low;

    if (!take_hex(r, code))
        return false;
    if (*code == 0)
        return fail(r, "a string holds \\u0000");
    if (*code < 0xd800 || *code > 0xdfff)
        return true;
    if (*code > 0xdbff || !take_word(r, "\\u"))
        return fail(r, "half a surrogate pair");
    if (!take_hex(r, &low))
        return false;
    if (low < 0xdc00 || low > 0xdfff)
        return fail(r, "half a surrogate pair");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static bool take_escape(struct reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : 0;
    const char *known = c ? strchr(from, c) : NULL;
    unsigned code;

    if (known) {
        *(*to)++ = into[known - from];
        return true;
    }
    if (c != 'u')
        return fail(r, "an unknown escape in a string");
    if (!take_code(r, &code))
        return false;
    *to = put_utf8(*to, code);
    return true;
}

/* Behind the first quote. No escape is shorter than what it stands for. */
static bool read_string(struct reader *r, char **string)
{
    const char *quote = r->at;
    char *to;

    while (quote < r->end && *quote != '"')
        quote += *quote == '\\' && quote + 1 < r->end ? 2 : 1;
    to = *string = malloc((size_t)(quote - r->at) + 1);
    if (!to)
        return fail(r, "out of memory");
    while (r->at < r->end && *r->at != '"') {
        size_t len = tl_utf8_length(r->at, (size_t)(r->end - r->at));

        if ((unsigned char)*r->at < 0x20)
            return fail(r, "a control character in a string");
        if (len == 0)
            return fail(r, "a string is not UTF-8");
        if (take(r, '\\')) {
            if (!take_escape(r, &to))
                return false;
            continue;
        }
        memcpy(to, r->at, len);
        to += len;
        r->at += len;
    }
    *to = '\0';
    return take(r, '"') || fail(r, "a string does not end");
}

/* ---- values -------------------------------------------------------------- */

static size_t skip_digits(struct reader *r)
{
    const char *from = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

/* The rule of the standard first, because strtod() takes more (hexadecimal,
 * "inf", spaces), and then strtod() on a copy, because the text need not end
 * behind the number. No locale is set, so its point is a point.
 */
static bool read_number(struct reader *r, double *number)
{
    const char *from = r->at;
    char text[64];
    size_t len;

    take(r, '-');
    if (!take(r, '0') && skip_digits(r) == 0)
        return fail(r, "not a JSON value");
    if (take(r, '.') && skip_digits(r) == 0)
        return fail(r, "a number without digits behind its point");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        if (skip_digits(r) == 0)
            return fail(r, "a number without digits in its exponent");
    }
    len = (size_t)(r->at - from);
    if (len >= sizeof text)
        return fail(r, "a number of too many digits");
    memcpy(text, from, len);
    text[len] = '\0';
    *number = strtod(text, NULL);
    return isfinite(*number) || fail(r, "a number is too large");
}

static bool read_value(struct reader *r, struct json *value);

/* One more item. Return: NULL with the error set. */
static struct json *add_item(struct reader *r, struct json *parent)
{
    if (++r->values > JSON_MAX_VALUES) {
        fail(r, "too many values");
        return NULL;
    }
    if (parent->num == parent->room) {
        size_t room = parent->room ? parent->room * 2 : 4;
        struct json *more = realloc(parent->items, room * sizeof *more);

        if (!more) {
            fail(r, "out of memory");
            return NULL;
        }
        parent->items = more;
        parent->room = room;
    }
    parent->items[parent->num] = (struct json){.kind = JSON_NULL};
    return &parent->items[parent->num++];
}

/* Readers differ in which of two equal keys they take: so there must be one.
 * The new item is the last one, and is not compared with itself. */
static bool read_key(struct reader *r, const struct json *object,
                     struct json *item)
{
    skip_space(r);
    if (!take(r, '"'))
        return fail(r, "a key is not a string");
    if (!read_string(r, &item->key))
        return false;
    for (size_t i = 0; i + 1 < object->num; i++)
        if (strcmp(object->items[i].key, item->key) == 0)
            return fail(r, "a key is given twice");
    skip_space(r);
    return take(r, ':') || fail(r, "':' is missing behind a key");
}

/* Behind the first bracket. */
static bool read_items(struct reader *r, struct json *value, char last)
{
    if (++r->depth > JSON_MAX_DEPTH)
        return fail(r, "nested too deep");
    skip_space(r);
    while (value->num > 0 || !take(r, last)) {
        struct json *item = add_item(r, value);

        if (!item || (last == '}' && !read_key(r, value, item)) ||
            !read_value(r, item))
            return false;
        skip_space(r);
        if (take(r, last))
            break;
        if (!take(r, ','))
            return fail(r, last == '}' ? "',' or '}' is missing"
                                       : "',' or ']' is missing");
    }
    r->depth--;
    return true;
}

/* What begins with nothing else must be a number. Where it fails, the value may
 * be half made; json_parse() frees the whole tree.
 */
static bool read_value(struct reader *r, struct json *value)
{
    skip_space(r);
    if (take(r, '"')) {
        value->kind = JSON_STRING;
        return read_string(r, &value->string);
    }
    if (take(r, '{')) {
        value->kind = JSON_OBJECT;
        return read_items(r, value, '}');
    }
    if (take(r, '[')) {
        value->kind = JSON_ARRAY;
        return read_items(r, value, ']');
    }
    value->kind = take_word(r, "true")    ? JSON_TRUE
                  : take_word(r, "false") ? JSON_FALSE
                  : take_word(r, "null")  ? JSON_NULL
                                          : JSON_NUMBER;
    return value->kind != JSON_NUMBER || read_number(r, &value->number);
}

/* Trailing text is an error, so that two values in one file are not taken for
 * the first. */
bool json_parse(const char *text, size_t len, struct json *value,
                struct json_error *err)
{
    struct reader r = {.at = text, .end = text + len, .line = 1, .err = err};
    bool good;

    *value = (struct json){.kind = JSON_NULL};
    if (len > JSON_MAX_BYTES)
        return fail(&r, TOO_LARGE);
    good = read_value(&r, value);
    if (good) {
        skip_space(&r);
        good = r.at == r.end || fail(&r, "more text behind the value");
    }
    if (!good)
        json_free(value);
    return good;
}

/* One byte more than allowed is read, so that json_parse() sees that it is too
 * large. */
bool json_read_file(const char *path, struct json *value,
                    struct json_error *err)
{
    FILE *in = input_file_read(path, JSON_MAX_BYTES);
    char *text = in ? malloc(JSON_MAX_BYTES + 1) : NULL;
    bool good = false;

    *value = (struct json){.kind = JSON_NULL};
    *err = (struct json_error){0, "out of memory"};
    if (!in) {
        snprintf(err->text, sizeof err->text, "%s",
                 errno == EFBIG ? TOO_LARGE : input_file_words(errno));
        return false;
    }
    if (text) {
        size_t len = fread(text, 1, JSON_MAX_BYTES + 1, in);

        if (ferror(in))
            snprintf(err->text, sizeof err->text, "%s", strerror(errno));
        else
            good = json_parse(text, len, value, err);
    }
    fclose(in);
    free(text);
    return good;
}

/* Depth is limited, so that this recursion is. */
void json_free(struct json *value)
{
    for (size_t i = 0; i < value->num; i++)
        json_free(&value->items[i]);
    free(value->items);
    free(value->string);
    free(value->key);
    *value = (struct json){.kind = JSON_NULL};
}

/* ---- members ------------------------------------------------------------- */

/* The first of its kind is the only one: read_key sees to that. */
const struct json *json_get(const struct json *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->num; i++)
        if (strcmp(object->items[i].key, key) == 0)
            return &object->items[i];
    return NULL;
}

/* Whoever asks names what holds where there is no such member or one of another
 * kind: a grade that somebody edited is read as far as it makes sense. */
const char *json_string(const struct json *object, const char *key,
                        const char *other)
{
    const struct json *value = json_get(object, key);

    return value && value->kind == JSON_STRING ? value->string : other;
}

double json_number(const struct json *object, const char *key, double other)
{
    const struct json *value = json_get(object, key);

    return value && value->kind == JSON_NUMBER ? value->number : other;
}

bool json_bool(const struct json *object, const char *key, bool other)
{
    const struct json *value = json_get(object, key);

    if (!value || (value->kind != JSON_TRUE && value->kind != JSON_FALSE))
        return other;
    return value->kind == JSON_TRUE;
}
