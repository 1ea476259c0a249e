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

/* What is asked of a word, as words.def has it. */
enum lex_set {
    KEYWORD = 1 << 0,    /* stands where a name could, and is none */
    OPENS = 1 << 1,      /* an expression may begin behind it */
    LOOP = 1 << 2,       /* begins a loop */
    ASM = 1 << 3,        /* begins inline assembly */
    TAG = 1 << 4,        /* says that a type's name follows */
    CLASS = 1 << 5,      /* ... a class's */
    TYPE = 1 << 6,       /* of a type that C++ has itself */
    INTEGER = 1 << 7,    /* of an integer of 32 or 64 bits */
    CV = 1 << 8,         /* stands in a type, before or behind it */
    SPECIFIER = 1 << 9,  /* of a function's head, and not of its type */
    LAMBDA = 1 << 10,    /* between a lambda's `[]` and `{` */
    PARENS = 1 << 11,    /* parentheses behind it belong to no declarator */
    QUALIFIER = 1 << 12, /* CUDA's: removed */
    INDEX = 1 << 13,     /* threadIdx and its kin */
    DEVICE = 1 << 14,    /* device code has vgpu_ and it, instead */
    BOTH = 1 << 15,      /* CUDA has it for host and device */
    MATH = 1 << 16,      /* ... and counts what it takes (math.c) */
    FETCH = 1 << 17,     /* of a texture or surface */
    MEMORY = 1 << 18,    /* the checker has its own */
    ASSIGNS = 1 << 19,   /* to a name beside it; so does `=` */
    VOTES = 1 << 20,     /* waits for others of the warp */
    MEETS = 1 << 21,     /* ... of the block */
    SETTLED = 1 << 22,   /* an atomic that done again changes nothing */
    SUMS = 1 << 23,      /* an atomic whose order does not show */
    QUIET = 1 << 24,     /* writes nothing */
    ACTS = 1 << 25,      /* does more than to choose the way */
    TIMER = 1 << 26,     /* of a system header: sees the clock, waits, exits */
    ORDER = 1 << 27,     /* shows in which order threads run */
    RESISTS = 1 << 28,   /* keeps a device function from being inlined */
    FORBIDS = 1 << 29,   /* keeps the host's loops watched (host_loops.c) */
};

/* What a token is. A sign of one character is its character. */
enum lex_word {
    W_NONE, /* a number, a string, ... */
    W_BEFORE_SIGNS = 127,
#define SIGN(NAME, SPELLING, SETS) W_##NAME,
#define WORD(SPELLING, SETS)
#include "words.def"
    W_BEFORE_WORDS, /* no token's */
#define SIGN(NAME, SPELLING, SETS)
#define WORD(SPELLING, SETS) W_##SPELLING,
#include "words.def"
    W_OTHER, /* the first number of the text's own names */
};

enum lex_kind {
    LEX_END,  /* one, after the last token */
    LEX_NAME, /* identifiers and keywords */
    LEX_NUMBER,
    LEX_STRING, /* all kinds, raw ones too */
    LEX_CHAR,
    LEX_PUNCT, /* longest match, but see below */
};

/*
 * `<<<` is one token unless it follows `operator`, `<< <` too. `>` is always a
 * token of its own (`>>` is two, `>>=` is `>` and `>=`), with @glued to tell.
 */
struct lex_token {
    const char *text;
    int length;
    int word; /* enum lex_word; from W_OTHER on: the same for the same name */
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

struct lex_name {
    const char *text;
    int length;
    int file; /* the number of the file that is called so, from 1 */
};

struct lex {
    struct lex_token *tokens; /* @count, then a LEX_END */
    int count, capacity;
    struct lex_file *files;
    int num_files;
    struct lex_name *names; /* by their words' numbers */
    int num_names;
    int *slots; /* a table of the names: their numbers */
    unsigned num_slots;
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

/* Is @word in one of @sets, or in all that are? */
bool lex_in(int word, unsigned sets);

#endif
