/*
 * lex.h: the tokens of the user's part of preprocessed C++.
 *
 * Text of system headers and of the virtual GPU's own headers yields no
 * tokens, and neither do line markers and pragmas. Never fails: what is no
 * token of C++ becomes a one-character LEX_PUNCT.
 */
#ifndef VGPU_LEX_H
#define VGPU_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum lex_kind {
    LEX_END,  /* one, after the last token */
    LEX_NAME, /* identifiers and keywords */
    LEX_NUMBER,
    LEX_STRING, /* all kinds, raw ones too */
    LEX_CHAR,
    LEX_PUNCT, /* longest match, but see below */
};

/*
 * `<<<` is one token unless it follows `operator`, `<< <` too: lex_is says that
 * it is "<<<". `>` is always a token of
 * its own (`>>` is two, `>>=` is `>` and `>=`), with @glued to tell.
 */
struct lex_token {
    const char *text;
    int length;
    int line;
    int file;  /* index in lex.files */
    int match; /* the bracket's partner, or -1 */
    unsigned char kind;
    bool glued;             /* nothing between it and the last */
    bool parallel;          /* follows an OpenMP parallel pragma */
    bool openmp;            /* follows any OpenMP pragma */
    unsigned char collapse; /* ... that makes so many nested loops one */
};

struct lex_file {
    const char *name; /* quoted, as in the line marker */
    int length;
    bool user;
    int entered_from; /* file and line that included it */
    int entered_line;
};

struct lex_span {
    const char *text;
    int length;
};

struct lex {
    struct lex_token *tokens; /* @count, then a LEX_END */
    int count, capacity;
    struct lex_file *files;
    int num_files;
    int *slots; /* a table of the files' names: their numbers, from 1 */
    int num_slots;
    struct lex_span *dropped; /* what only nvcc knows */
    int num_dropped;
};

/*
 * @text     stays the caller's and must outlive the tokens
 * @own_dir  files below this folder are not the user's; or NULL
 */
void lex_text(struct lex *lex, const char *text, size_t size,
              const char *own_dir);
void lex_free(struct lex *lex);

/*
 * Fill in `match` for (), [] and {}.
 * Return: 0, or -1 at the first bracket without a partner: @opener and
 * @closer are its token and the one met instead; either may be -1.
 */
int lex_match_brackets(struct lex *lex, int *opener, int *closer);

/* Is @token spelled @s? */
bool lex_is(const struct lex_token *token, const char *s);

#endif
