/*
 * edits.c: what is changed in the text, all in one list.
 *
 * The text is read once, from the first token to the last, and is not changed
 * while it is read: parts note edits (so many bytes out here, this text in) in
 * whatever order they find them. So every part sees the program as it was
 * written. At the end the list is sorted by place and by what each edit is
 * (edits.h) and applied in one pass; the text between is passed on byte for
 * byte.
 */
#include "parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* At a place of the text as it was: no edit moves what another one names. */
static struct edit *add(struct parse *p, const char *at, enum side side)
{
    struct edits *all = &p->edits;

    BUF_ROOM(all->list, all->count);
    all->list[all->count] =
        (struct edit){.at = at, .side = side, .order = all->count};
    return &all->list[all->count++];
}

/* The text of an edit, from a format and what follows it. */
#define SET_TEXT(edit, format)                                                 \
    do {                                                                       \
        va_list args;                                                          \
        va_start(args, format);                                                \
        (edit)->text = buf_vformat(format, args);                              \
        va_end(args);                                                          \
    } while (0)

void edit_at(struct parse *p, const char *at, const char *format, ...)
{
    struct edit *edit = add(p, at, SIDE_AHEAD);

    SET_TEXT(edit, format);
}

void edit_before(struct parse *p, int i, enum layer layer, const char *format,
                 ...)
{
    struct edit *edit = add(p, token(p, i)->text, SIDE_AHEAD);

    edit->rank = (int)layer;
    SET_TEXT(edit, format);
}

void edit_behind(struct parse *p, int i, enum layer layer, const char *format,
                 ...)
{
    const struct lex_token *t = token(p, i);
    struct edit *edit = add(p, t->text + t->length, SIDE_BEHIND);

    edit->rank = (int)layer;
    SET_TEXT(edit, format);
}

void edit_close(struct parse *p, int i, enum layer layer, const char *format,
                ...)
{
    struct edit *edit = add(p, token(p, i)->text, SIDE_AHEAD);

    edit->rank = -1 - (int)layer;
    SET_TEXT(edit, format);
}

/* A token is dropped or replaced once; who comes first has his way. */
static struct edit *take_token(struct parse *p, int i)
{
    struct edit *edit;

    if (p->roles[i] == ROLE_USED)
        return NULL;
    p->roles[i] = ROLE_USED;
    edit = add(p, token(p, i)->text, SIDE_TOKEN);
    edit->drop = token(p, i)->length;
    return edit;
}

void edit_drop(struct parse *p, int i)
{
    take_token(p, i);
}

void edit_replace(struct parse *p, int i, const char *format, ...)
{
    struct edit *edit = take_token(p, i);

    if (edit)
        SET_TEXT(edit, format);
}

static int compare(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order - y->order;
}

void edits_sort(struct parse *p)
{
    if (p->edits.count)
        qsort(p->edits.list, (size_t)p->edits.count, sizeof *p->edits.list,
              compare);
}

/* From front to back: what is dropped twice is dropped once, and what is put in
 * there stays. */
void edits_apply(struct parse *p, struct buf *out)
{
    const char *at = p->text;

    for (int i = 0; i < p->lex.num_dropped; i++)
        add(p, p->lex.dropped[i].text, SIDE_TOKEN)->drop =
            p->lex.dropped[i].length;
    edits_sort(p);
    for (int i = 0; i < p->edits.count; i++) {
        const struct edit *e = &p->edits.list[i];

        if (e->at > at) {
            buf_add(out, at, (size_t)(e->at - at));
            at = e->at;
        }
        if (e->text)
            buf_puts(out, e->text);
        if (e->at + e->drop > at)
            at = e->at + e->drop;
    }
    buf_add(out, at, (size_t)(p->text + p->size - at));
}

void edits_free(struct parse *p)
{
    for (int i = 0; i < p->edits.count; i++)
        free(p->edits.list[i].text);
    free(p->edits.list);
}
