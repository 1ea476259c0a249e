/* trace_record.h: one line of a trace, split into keys and values */
#ifndef TIMELINE_TRACE_RECORD_H
#define TIMELINE_TRACE_RECORD_H

#include "trace_read.h"

struct record {
    const char *kind;
    size_t line, num_fields;
    struct {
        const char *key, *value;
    } fields[TRACE_MAX_KEYS];
    struct trace_error *err;
};

/* Split a line in place: terminate the words and decode the values.
 * @text  the line without its newline, len bytes, writable at text[len]
 * @err   kept in the record; every failure of this module is written there
 * Return: false where the line is not "kind key=value ...".
 */
bool tl_record_split(char *text, size_t len, size_t line, struct record *r,
                     struct trace_error *err);

/* Replace each %XX in place: what is decoded is shorter. %00 would end the text
 * early; it and what is no code stay as they are.
 * Return: is there none of these? */
bool tl_record_decode(char *value);

/* Set the record's error text. Return: false, so that callers can return it.
 */
bool tl_record_fail(struct record *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return: the value of a key, or NULL. */
const char *tl_record_get(const struct record *r, const char *key);

/* Fail since a key is missing. */
bool tl_record_lacks(struct record *r, const char *key);

/* Fetch a value into *out. All fail where the key is missing, and for a value
 * that is not what it should be. An index is a number below a limit. */
bool tl_record_number(struct record *r, const char *key, uint64_t *out);
bool tl_record_index(struct record *r, const char *key, unsigned limit,
                     unsigned *out);

/* The first number of a list "1,2,3". *rest moves behind it, to NULL after the
 * last.
 */
bool tl_record_next_number(struct record *r, const char *key, const char **rest,
                           uint64_t *out);

/* One word out of a list of num. *out is its position. */
bool tl_record_word(struct record *r, const char *key, const char *const *words,
                    unsigned num, unsigned *out);

#endif
