/* json_read.h: a strict reader of JSON (RFC 8259), for files of the grader
 *
 * Beyond the standard it refuses: keys given twice, U+0000 in strings, numbers
 * that a double cannot hold, and what is above the limits below.
 */
#ifndef REPORT_JSON_READ_H
#define REPORT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_MAX_BYTES  ((size_t)16 << 20)
#define JSON_MAX_DEPTH  32
#define JSON_MAX_VALUES 1000000

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json {
    enum json_kind kind;
    char *key;          /* within an object, else NULL */
    char *string;       /* of a JSON_STRING: UTF-8, terminated */
    double number;      /* of a JSON_NUMBER */
    struct json *items; /* of an array or object */
    size_t num, room;
};

struct json_error {
    size_t line;
    char text[120];
};

/* Read a text of len bytes.
 * @value  filled on success, to be freed with json_free(); else null
 */
bool json_parse(const char *text, size_t len, struct json *value,
                struct json_error *err);

/* The same from a file. A file that cannot be read has line 0. */
bool json_read_file(const char *path, struct json *value,
                    struct json_error *err);

void json_free(struct json *value);

/* Return: the member of an object, or NULL: not there, or no object. */
const struct json *json_get(const struct json *object, const char *key);

/* Members of the expected kind, or what is given for the others. */
const char *json_string(const struct json *object, const char *key,
                        const char *other);
double json_number(const struct json *object, const char *key, double other);
bool json_bool(const struct json *object, const char *key, bool other);

#endif
