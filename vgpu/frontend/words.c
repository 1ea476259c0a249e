/*
 * words.c: where each name stands.
 *
 * What is known of a name is kept with it, so that whoever meets it again need
 * not look through all that has been read.
 */
#include "parse.h"

bool is_plain(const struct parse *p, int i)
{
    return is_name(p, i) && !is_a(p, i, KEYWORD);
}

void words_index(struct parse *p)
{
    p->links = buf_alloc((size_t)(p->lex.count + 1) * sizeof *p->links);
    p->words = buf_alloc((size_t)p->lex.num_names * sizeof *p->words);
    for (int i = 0; i < p->lex.count; i++) {
        struct link *link = &p->links[i];
        struct word *word = word_of(p, i);

        if (!is_plain(p, i))
            continue;
        link->bare = word->bare;
        link->before = word->last;
        if (word->last)
            p->links[word->last].next = i;
        word->last = i;
        if (mark(p, i + 1) != '(' && !is(p, i + 1, W_LAUNCH))
            word->bare = i;
    }
}

struct word *word_of(const struct parse *p, int i)
{
    return &p->words[is_plain(p, i) ? token(p, i)->word : 0];
}
