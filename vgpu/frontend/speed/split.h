/*
 * split.h: what split.c finds out about a kernel, for who writes it.
 */
#ifndef VGPU_FRONTEND_SPLIT_H
#define VGPU_FRONTEND_SPLIT_H

#include "parts.h"

#define MOST_SPLIT_VARIABLES 48
#define MOST_SPLIT_PLACES    48

/* A variable of the kernel's that its barriers may see: a parameter, or one
 * that is declared beside a barrier. */
struct split_variable {
    int name;               /* its token, where it is declared */
    int base, base_end;     /* the words of its type; a parameter's: -1 */
    int begin;              /* ... and of its declarator, `*p[2]` */
    int end;                /* behind that, before its initial value */
    int value;              /* its `=`, `(` or `{`, or -1 */
    int past;               /* behind the declaration's part that is its own */
    int scope_end;          /* it is seen up to there */
    int header, header_end; /* the loop's that declares it; 0: none does */
    bool is_auto, is_constant, array, reference, object;
    enum split_kind {
        SPLIT_SAME,   /* for all threads, and never changed */
        SPLIT_MOVING, /* ... and changed for all at once */
        SPLIT_AGAIN,  /* computed again from threadIdx and such */
        SPLIT_KEPT,   /* each thread has its own */
    } kind;
};

/* Where something may be changed for all threads at once. */
struct split_place {
    int from, to;
};

/* A kernel while it is looked at, and while it is written. */
struct split {
    struct speed *s;
    const struct parse *p;
    const struct code *code;
    int open, close;
    struct split_variable variables[MOST_SPLIT_VARIABLES];
    int num_variables;
    struct split_place places[MOST_SPLIT_PLACES];
    int num_places;
    bool fits;
    unsigned effects; /* since the last barrier: split_effects.c */
    unsigned left;    /* ... where a loop is left in its middle */
    unsigned next;    /* ... or its round */
    /* split_write.c */
    struct buf *out; /* NULL: it is only looked at */
    int line, num_parts;
};

/* ---- split_names.c ---- */

bool split_has(const struct parse *p, int i, int end, int word);
/* Behind an assignment's sign at @i, or 0 where there is none. */
int split_behind_assignment(const struct parse *p, int i);
/* Behind the words of a type at @i, or @i if none begins there. @object: it is
 * none of C++'s own */
int split_type_end(const struct parse *p, int i, int end, bool *object);
/* May it stand between those and the name? */
bool split_is_pointer_sign(const struct parse *p, int i);
/* Does the statement [i, end) declare variables? */
bool split_declares(const struct split *sp, int i, int end);
/* NULL: there is one of that name, or no room. */
struct split_variable *split_add_variable(struct split *sp, int name);
/* Those that [i, end), without its `;`, declares. */
void split_add_declared(struct split *sp, int i, int end, int scope_end);
/* The variable that token @i names, or NULL. */
struct split_variable *split_variable_at(struct split *sp, int i);
/* Is @v named behind token @to, up to its scope's end? */
bool split_is_alive(const struct split *sp, const struct split_variable *v,
                    int to);
/* Is [i, end) the same whenever it is computed; without @threads for all of
 * them? @moving: now. */
bool split_is_plain(struct split *sp, int i, int end, bool threads,
                    bool moving);
/* ... and can it stand behind a `<`, which is all that it is compared by? */
bool split_is_limit(struct split *sp, int i, int end);
/* `x = ...`, `x *= ...`, `x++`, `++x`, all in [i, end), for all threads: the
 * variable's token, else -1. */
int split_moved_name(struct split *sp, int i, int end);
/* Does the statement [i, end) change something for all threads at once? */
bool split_is_move(struct split *sp, int i, int end);
/* `if (the same for all) break;` and its kin: the word, or 0. */
int split_is_exit(struct split *sp, int i, int end);
/* All are known: of which kind is each? */
void split_find_kinds(struct split *sp);

/* Can the token at @i end an operand? Then `&` and `*` behind it have two. */
bool split_ends_operand(const struct parse *p, int i);

/* ---- split_effects.c ---- */

/* What memory does [i, end) touch? */
unsigned split_effects(struct split *sp, int i, int end);
/* Does it show whether all threads do the one before any does the other? */
bool split_effects_meet(unsigned a, unsigned b);

/* ---- split.c ---- */

/* What stands for all threads, once: types, what is __shared__. */
bool split_is_common(const struct split *sp, int i, int end);
/* Behind the statement at @i. */
int split_statement_end(const struct parse *p, int i, int end);
/* Go through the statements in [from, to), and write them if @sp->out.
 * @tail  nothing but the kernel's end is behind them */
void split_block(struct split *sp, int from, int to, bool tail);

/* ---- split_write.c ---- */

/* The whole second copy: a function for vgpu/split.h, to be freed. */
char *split_write(struct split *sp);
/* A part between two barriers, [from, to). */
void split_write_part(struct split *sp, int from, int to);
/* Tokens as they are, [from, to). */
void split_write_tokens(struct split *sp, int from, int to);
/* What the block that opens at token @i counts, for all threads. */
void split_write_count(struct split *sp, int i);

#endif
