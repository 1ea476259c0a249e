/*
 * lanes.h: what lanes.c finds out about a function, for who writes its copy.
 */
#ifndef VGPU_FRONTEND_LANES_H
#define VGPU_FRONTEND_LANES_H

#include "parts.h"

#define MOST_VARIABLES 32
#define MOST_VALUES    4 /* VGPU_GANG_VALUES */

enum type { TYPE_NONE, TYPE_INTEGER, TYPE_FLOAT, TYPE_DOUBLE };

struct variable {
    int token;     /* its name, where it is declared */
    int type, end; /* its type's tokens; parameters only */
    bool common;
    bool assigned; /* parameters: changed in the body */
};

/* A function's body while it is looked at. */
struct lanes {
    struct speed *s;
    const struct parse *p;
    const struct head *head;
    int open, close;
    struct variable variables[MOST_VARIABLES];
    int num_variables, num_params;
    int result, result_end; /* the type of what is returned */
    bool loops, branches;
    bool again;     /* something became common */
    unsigned types; /* of lanes: bits of enum type */
};

/* A statement without its `;`, or what a header holds. */
struct piece {
    int from, to;
    bool header;
};

/* ---- lanes.c ---- */

/* Can it be done for many threads at once? Fills @l, but for s, p, head, open
 * and close. */
bool lanes_suited(struct lanes *l);
/* TYPE_NONE where token @i is no word of a type. */
enum type lanes_type(const struct parse *p, int i);
/* NULL where @i names none. */
struct variable *lanes_variable(struct lanes *l, int i);
/* The function that is called at @i: one without loops and ifs, so that it is
 * right for any lanes. NULL if it is none. */
const struct lane_function *lanes_callee(const struct speed *s, int i);
/* The piece at @i, or an empty one. Return: after it, and its `;` or `)`. */
int lanes_piece(struct lanes *l, int i, struct piece *piece);
/* Is it the same for all threads? */
bool lanes_common(struct lanes *l, const struct piece *piece);

#endif
