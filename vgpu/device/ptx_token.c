/*
 * ptx_token.c: PTX text as tokens, and what is made of few of them: numbers,
 * types, variables.
 */
#include "ptx_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens -------------------------------------------------------------- */

void ptx_fail(struct ptx_reader *r, enum ptx_error error)
{
    if (!r->error)
        r->error = error;
}

void ptx_skip_blanks(struct ptx_reader *r)
{
    for (;;) {
        if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *end = strstr(r->at + 2, "*/");

            for (; r->at < (end ? end + 2 : r->at + strlen(r->at)); r->at++)
                r->line += *r->at == '\n';
        } else if (isspace((unsigned char)*r->at)) {
            r->line += *r->at++ == '\n';
        } else {
            return;
        }
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_$%.", c);
}

/* Words and numbers with the dots that are in them, strings, single signs. */
void ptx_next(struct ptx_reader *r)
{
    size_t length = 0;

    ptx_skip_blanks(r);
    if (*r->at == '"')
        length = strcspn(r->at + 1, "\"\n") + 2;
    else
        while (r->at[length] && is_word(r->at[length]))
            length++;
    if (!length && *r->at)
        length = 1;
    if (length >= PTX_WORD || r->error) {
        ptx_fail(r, PTX_SYNTAX);
        r->token[0] = '\0';
        return;
    }
    memcpy(r->token, r->at, length);
    r->token[length] = '\0';
    r->at += length;
}

bool ptx_is(const struct ptx_reader *r, const char *token)
{
    return !strcmp(r->token, token);
}

bool ptx_take(struct ptx_reader *r, const char *token)
{
    if (!ptx_is(r, token))
        return false;
    ptx_next(r);
    return true;
}

void ptx_want(struct ptx_reader *r, const char *token)
{
    if (!ptx_take(r, token))
        ptx_fail(r, PTX_SYNTAX);
}

/* Up to and over the bracket that ends what begins here. */
void ptx_skip_brackets(struct ptx_reader *r, const char *open,
                       const char *close)
{
    int depth = 0;

    do {
        depth += ptx_is(r, open) - ptx_is(r, close);
        if (!r->token[0])
            ptx_fail(r, PTX_SYNTAX);
        ptx_next(r);
    } while (depth && !r->error);
}

void ptx_take_name(struct ptx_reader *r, char *to)
{
    if (!isalpha((unsigned char)r->token[0]) && !strchr("_$%", r->token[0]))
        ptx_fail(r, PTX_SYNTAX);
    memcpy(to, r->token, PTX_WORD);
    ptx_next(r);
}

/* 12, -3, 0x1f, 4U; 0f3f800000 and 1.0 are bits of floats. */
int64_t ptx_take_number(struct ptx_reader *r)
{
    const bool minus = ptx_take(r, "-");
    const char *t = r->token;
    const bool bits = t[0] == '0' && strchr("fFdD", t[1]) && t[1];
    char *end;
    int64_t value;

    if (!isdigit((unsigned char)t[0])) {
        ptx_fail(r, PTX_SYNTAX);
        return 0;
    }
    value = (int64_t)strtoull(bits ? t + 2 : t, &end, bits ? 16 : 0);
    if (*end == '.') {
        const double d = strtod(t, &end);

        memcpy(&value, &d, sizeof value);
    }
    if (*end && strcmp(end, "U") != 0)
        ptx_fail(r, PTX_SYNTAX);
    ptx_next(r);
    return minus ? -value : value;
}

/* ---- types and variables --------------------------------------------------
 */

/* "u32", of which the dot is gone. */
bool ptx_read_type(const char *word, struct ptx_type *type)
{
    const int bits = atoi(word + 1);

    if (!strcmp(word, "pred")) {
        *type = (struct ptx_type){'p', 1};
        return true;
    }
    if (!strchr("usbf", word[0]) ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return false;
    if (word[0] == 'f' && bits < 32)
        return false;
    *type = (struct ptx_type){word[0], (uint8_t)(bits / 8)};
    return true;
}

bool ptx_read_space(const char *word, enum ptx_space *space)
{
    static const char *const names[] = {"",       "global", "const",
                                        "shared", "local",  "param"};

    for (unsigned i = PTX_GLOBAL; i <= PTX_PARAM; i++)
        if (!strcmp(names[i], word)) {
            *space = (enum ptx_space)i;
            return true;
        }
    return false;
}

struct ptx_variable *ptx_find_variable(const struct ptx_reader *r,
                                       const char *name)
{
    if (r->kernel)
        for (struct ptx_variable *v = r->kernel->variables; v; v = v->next)
            if (!strcmp(v->name, name))
                return v;
    for (struct ptx_variable *v = r->module->variables; v; v = v->next)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

/* `= 7` or `= {1, 2, {3, 4}}`: one element after another. */
static void read_initial(struct ptx_reader *r, struct ptx_variable *v,
                         size_t element)
{
    int depth = 0;
    size_t at = 0;

    v->initial = calloc(1, v->bytes + 8);
    do {
        depth += ptx_is(r, "{") - ptx_is(r, "}");
        if (r->token[0] && strchr("{},", r->token[0])) {
            ptx_next(r);
            continue;
        }
        const int64_t value = ptx_take_number(r);

        if (at + element > v->bytes || !v->initial) {
            ptx_fail(r, PTX_SYNTAX);
            return;
        }
        memcpy(v->initial + at, &value, element);
        at += element;
    } while (depth && !r->error);
}

/* From the type on: `.align 4 .b8 name[24] = {...}`. Return: NULL, or what is
 * in no list yet. */
struct ptx_variable *ptx_take_variable(struct ptx_reader *r)
{
    struct ptx_variable *v = calloc(1, sizeof *v);
    struct ptx_type type = {0, 0};
    size_t elements = 1, lanes = 1;
    bool pointer = false; /* what follows says of what it points to */

    while (v && r->token[0] == '.' && !r->error) {
        char word[PTX_WORD];

        memcpy(word, r->token + 1, PTX_WORD - 1);
        ptx_next(r);
        if (!strcmp(word, "align")) {
            const size_t align = (size_t)ptx_take_number(r);

            v->align = pointer ? v->align : align;
        } else if (!strcmp(word, "attribute")) {
            v->managed = strstr(r->at, "managed") == r->at + 1;
            ptx_skip_brackets(r, "(", ")");
        } else if (!strcmp(word, "v2") || !strcmp(word, "v4")) {
            lanes = (size_t)(word[1] - '0');
        } else if (!strcmp(word, "ptr")) {
            pointer = true;
        } else if (!ptx_read_type(word, &type) &&
                   !ptx_read_space(word, &v->space)) {
            ptx_fail(r, PTX_SYNTAX);
        }
    }
    if (!v || !type.bytes) {
        ptx_fail(r, PTX_SYNTAX);
        free(v);
        return NULL;
    }
    v->name = strdup(r->token);
    ptx_next(r);
    while (ptx_take(r, "[")) {
        elements *= ptx_is(r, "]") ? 0 : (size_t)ptx_take_number(r);
        ptx_want(r, "]");
    }
    v->bytes = type.bytes * lanes * elements;
    if (!v->align)
        v->align = type.bytes * lanes;
    if (ptx_take(r, "="))
        read_initial(r, v, type.bytes);
    return v;
}
