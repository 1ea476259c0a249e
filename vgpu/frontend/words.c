/*
 * words.c: all names of the text, each once.
 *
 * What is known of a name is kept with it, so that whoever meets it again need
 * not look through all that has been read.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

static unsigned hash_of(const struct lex_token *t)
{
    unsigned hash = 2166136261u;

    for (int k = 0; k < t->length; k++)
        hash = (hash ^ (unsigned char)t->text[k]) * 16777619u;
    return hash;
}

/* The slot of the table @slots that has token @i's word, or an empty one. */
static int *find_slot(const struct parse *p, int *slots, unsigned mask, int i)
{
    const struct lex_token *t = &p->lex.tokens[i];
    unsigned at = hash_of(t) & mask;

    for (; slots[at]; at = (at + 1) & mask) {
        const struct word *word = &p->words[slots[at]];

        if (word->length == t->length &&
            !memcmp(word->text, t->text, (size_t)t->length))
            break;
    }
    return &slots[at];
}

static int add_word(struct parse *p, int i)
{
    struct word *word;

    if (!(p->num_words & (p->num_words - 1)))
        p->words =
            buf_resize(p->words, (size_t)p->num_words * 2 * sizeof *p->words);
    word = &p->words[p->num_words];
    memset(word, 0, sizeof *word);
    word->text = p->lex.tokens[i].text;
    word->length = p->lex.tokens[i].length;
    return p->num_words++;
}

/* At most half of the table is used. The first word is no name's. */
void words_index(struct parse *p)
{
    unsigned size = 64;
    int *slots;

    while (size < (unsigned)p->lex.count * 2)
        size *= 2;
    slots = buf_alloc(size * sizeof *slots);
    p->tokens = buf_alloc((size_t)(p->lex.count + 1) * sizeof *p->tokens);
    p->num_words = 1;
    p->words = buf_alloc(sizeof *p->words);
    for (int i = 0; i < p->lex.count; i++) {
        struct token *token = &p->tokens[i];
        struct word *word;
        int *slot;

        if (!is_name(p, i) || is_keyword(p, i))
            continue;
        slot = find_slot(p, slots, size - 1, i);
        if (!*slot)
            *slot = add_word(p, i);
        word = &p->words[*slot];
        token->word = *slot;
        token->bare = word->bare;
        token->before = word->last;
        if (word->last)
            p->tokens[word->last].next = i;
        word->last = i;
        if (mark(p, i + 1) != '(' && !is(p, i + 1, "<<<"))
            word->bare = i;
    }
    free(slots);
}

struct word *word_of(const struct parse *p, int i)
{
    return &p->words[i < 0 || i >= p->lex.count ? 0 : p->tokens[i].word];
}
