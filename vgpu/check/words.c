/*
 * words.c: a report's kind and fields, and what is written of them
 */
#include "words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *sort, *name, *words, *also;
} kinds[VGPU_NUM_REPORTS] = {
#define REPORT(SORT, NAME, WORDS, ALSO)                                        \
    [VGPU_REPORT_##NAME] = {#SORT, #NAME, WORDS, ALSO},
#include "vgpu/report.def"
};

static const struct {
    const char *name, *words;
} doers[] = {
#define DOES(NAME, WORDS) [VGPU_DOES_##NAME] = {#NAME, WORDS},
#include "vgpu/report.def"
};

static const struct field {
    const char *name;
    size_t at; /* in the report */
    bool is_number;
} fields[] = {
#define NUMBER(NAME, MEANING) {#NAME, offsetof(struct vgpu_report, NAME), true},
#define TEXT(NAME, MEANING)   {#NAME, offsetof(struct vgpu_report, NAME), false},
#include "vgpu/report.def"
};
#define NUM_FIELDS (sizeof fields / sizeof *fields)

const char *vgpu_report_name(enum vgpu_report_kind kind)
{
    return kinds[kind].name;
}

const char *vgpu_report_sort(enum vgpu_report_kind kind)
{
    return kinds[kind].sort;
}

const char *vgpu_does_name(enum vgpu_does does)
{
    return doers[does].name;
}

const char *vgpu_does_words(enum vgpu_does does)
{
    return doers[does].words;
}

/* Text that a program made, too, goes into lines that are taken apart by tabs
 * and newlines. */
void vgpu_report_clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

/* Is @name, of @length, one of those between the blanks? */
static bool is_named(const char *names, const char *name, size_t length)
{
    for (; *names; names += strspn(names, " ")) {
        const size_t one = strcspn(names, " ");

        if (one == length && !memcmp(names, name, length))
            return true;
        names += one;
    }
    return false;
}

static bool has(enum vgpu_report_kind kind, const char *name)
{
    const size_t length = strlen(name);
    const char *at = kinds[kind].words;

    while ((at = strchr(at, '{')) != NULL) {
        at++;
        if (!strncmp(at, name, length) && at[length] == '}')
            return true;
    }
    return is_named(kinds[kind].also, name, length);
}

/* The value in letters, @room being for a number; NULL where there is none. */
static const char *value_of(const struct field *field,
                            const struct vgpu_report *report, char room[24])
{
    const char *const at = (const char *)report + field->at;

    if (!field->is_number)
        return *(const char *const *)at;
    snprintf(room, 24, "%" PRId64, *(const int64_t *)at);
    return room;
}

static const struct field *find_field(const char *name, size_t length)
{
    for (size_t i = 0; i < NUM_FIELDS; i++)
        if (!strncmp(fields[i].name, name, length) && !fields[i].name[length])
            return &fields[i];
    return NULL;
}

/* As much of @length bytes as has room behind @at; the end is kept for a 0. */
static size_t put(char *text, size_t size, size_t at, const char *from,
                  size_t length)
{
    const size_t room = size - 1 - at;

    length = length < room ? length : room;
    memcpy(text + at, from, length);
    return at + length;
}

char *vgpu_report_words(char *text, size_t size, enum vgpu_report_kind kind,
                        const struct vgpu_report *report)
{
    const char *words = kinds[kind].words;
    size_t at = 0;

    while (*words) {
        const size_t plain = strcspn(words, "{");
        const size_t length = words[plain] ? strcspn(words + plain, "}") : 0;
        const struct field *const field =
            length ? find_field(words + plain + 1, length - 1) : NULL;
        char room[24];
        const char *const value = field ? value_of(field, report, room) : NULL;

        at = put(text, size, at, words, plain);
        if (value)
            at = put(text, size, at, value, strlen(value));
        words += plain + (length ? length + 1 : 0);
    }
    text[at] = '\0';
    vgpu_report_clean(text);
    return text;
}

size_t vgpu_report_fields(char *text, size_t size, enum vgpu_report_kind kind,
                          const struct vgpu_report *report)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < NUM_FIELDS; i++) {
        char room[24];
        const char *const value = has(kind, fields[i].name)
                                      ? value_of(&fields[i], report, room)
                                      : NULL;
        const int more = value ? snprintf(text + length, size - length,
                                          "\t%s=%s", fields[i].name, value)
                               : 0;

        if (more > 0 && (size_t)more < size - length) {
            vgpu_report_clean(text + length + 1);
            length += (size_t)more;
        } else {
            text[length] = '\0';
        }
    }
    return length;
}
