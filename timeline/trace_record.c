/* trace_record.c: one line of a trace, split into keys and values
 *
 * A line is "kind key=value key=value ...", with one space between. Spaces,
 * control characters and "%" inside a value are percent-encoded, so that a line
 * needs no quotes and can be split by anything, for instance awk.
 *
 * Strict on purpose: what it accepts, others will write. Limits keep a damaged
 * line from costing more than its own length.
 */
#include "trace_record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tl_record_fail(struct record *r, const char *format, ...)
{
    va_list args;

    r->err->line = r->line;
    va_start(args, format);
    vsnprintf(r->err->text, sizeof r->err->text, format, args);
    va_end(args);
    /* The text may hold bytes of the file: nothing for a terminal. */
    for (char *p = r->err->text; *p; p++)
        if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
            *p = '?';
    return false;
}

/* Return: 0 to 15, or -1. */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool tl_record_decode(char *value)
{
    char *to = value;
    bool good = true;

    for (const char *from = value; *from; from++, to++) {
        const int high = *from == '%' ? hex_digit(from[1]) : -1;
        const int low = high < 0 ? -1 : hex_digit(from[2]);
        const bool coded = low >= 0 && high + low > 0;

        good = good && (coded || *from != '%');
        *to = coded ? (char)(high * 16 + low) : *from;
        from += coded ? 2 : 0;
    }
    *to = '\0';
    return good;
}

/* Kinds and keys: lower case, so that there is one spelling. */
static bool is_key(const char *word)
{
    if (*word < 'a' || *word > 'z')
        return false;
    for (; *word; word++)
        if (!(*word >= 'a' && *word <= 'z') &&
            !(*word >= '0' && *word <= '9') && *word != '_' && *word != '-')
            return false;
    return true;
}

/* "key=value", both terminated and decoded in place. An empty word comes from
 * two spaces. A key given twice could mean either value.
 */
static bool add_field(struct record *r, char *word)
{
    char *equals = strchr(word, '=');

    if (!equals)
        return tl_record_fail(r,
                              *word ? "'%.32s' is not key=value"
                                    : "two spaces, or a space at the end%s",
                              word);
    *equals = '\0';
    if (!is_key(word))
        return tl_record_fail(r, "'%.32s' cannot be a key", word);
    if (tl_record_get(r, word))
        return tl_record_fail(r, "key '%.32s' is given twice", word);
    if (r->num_fields == TRACE_MAX_KEYS)
        return tl_record_fail(r, "more than %d keys", TRACE_MAX_KEYS);
    if (!tl_record_decode(equals + 1))
        return tl_record_fail(
            r, "%.32s: '%%' not followed by two digits (01 to FF)", word);
    r->fields[r->num_fields].key = word;
    r->fields[r->num_fields++].value = equals + 1;
    return true;
}

/* All of the line is looked at before any of it is changed: a message may then
 * quote it. UTF-8 passes; what is below space does not, and could otherwise
 * reach a terminal.
 */
bool tl_record_split(char *text, size_t len, size_t line, struct record *r,
                     struct trace_error *err)
{
    r->kind = text;
    r->line = line;
    r->num_fields = 0;
    r->err = err;
    if (len > TRACE_MAX_LINE)
        return tl_record_fail(r, "line is longer than %d bytes",
                              TRACE_MAX_LINE);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return tl_record_fail(r, "control character 0x%02x at column %zu",
                                  (unsigned char)text[i], i + 1);
    text[len] = '\0';

    char *space = strchr(text, ' ');

    if (space)
        *space = '\0';
    if (!is_key(text))
        return tl_record_fail(r, "'%.32s' is not a kind of record", text);
    while (space) {
        char *word = space + 1;

        space = strchr(word, ' ');
        if (space)
            *space = '\0';
        if (!add_field(r, word))
            return false;
    }
    return true;
}

const char *tl_record_get(const struct record *r, const char *key)
{
    for (size_t i = 0; i < r->num_fields; i++)
        if (strcmp(r->fields[i].key, key) == 0)
            return r->fields[i].value;
    return NULL;
}

bool tl_record_lacks(struct record *r, const char *key)
{
    return tl_record_fail(r, "%.32s: key '%s' is missing", r->kind, key);
}

/* Digits and nothing else: no sign, no spaces, no hexadecimal, which strtoull()
 * would take. At least one digit. The limit is tested with each digit, and far
 * below 2^64, so that nothing overflows.
 */
static bool to_number(struct record *r, const char *key, const char *value,
                      uint64_t *out)
{
    uint64_t number = 0;

    for (const char *p = value; *p || p == value; p++) {
        if (*p < '0' || *p > '9')
            return tl_record_fail(r, "%s='%.40s' is not a number", key, value);
        number = number * 10 + (uint64_t)(*p - '0');
        if (number > TRACE_MAX_NUMBER)
            return tl_record_fail(r, "%s=%.40s is too large", key, value);
    }
    *out = number;
    return true;
}

bool tl_record_next_number(struct record *r, const char *key, const char **rest,
                           uint64_t *out)
{
    size_t len = strcspn(*rest, ",");
    char word[24];

    if (len >= sizeof word)
        return tl_record_fail(r, "%s=%.40s is too large", key, *rest);
    memcpy(word, *rest, len);
    word[len] = '\0';
    *rest = (*rest)[len] ? *rest + len + 1 : NULL;
    return to_number(r, key, word, out);
}

/* ---- values: what is there has to be right --------------------------------
 */

bool tl_record_number(struct record *r, const char *key, uint64_t *out)
{
    const char *value = tl_record_get(r, key);

    return value ? to_number(r, key, value, out) : tl_record_lacks(r, key);
}

bool tl_record_index(struct record *r, const char *key, unsigned limit,
                     unsigned *out)
{
    uint64_t number = 0;

    if (!tl_record_number(r, key, &number))
        return false;
    if (number >= limit)
        return tl_record_fail(r, "%s=%s is not below %u", key,
                              tl_record_get(r, key), limit);
    *out = (unsigned)number;
    return true;
}

/* The position in the list is the value of an enum, which the caller casts. */
bool tl_record_word(struct record *r, const char *key, const char *const *words,
                    unsigned num, unsigned *out)
{
    const char *value = tl_record_get(r, key);

    if (!value)
        return tl_record_lacks(r, key);
    for (*out = 0; *out < num; ++*out)
        if (strcmp(words[*out], value) == 0)
            return true;
    return tl_record_fail(r, "%s='%.40s' is not known", key, value);
}
