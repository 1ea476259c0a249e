/*
 * edits.h: what is put in and taken out, and what of it stands first.
 */
#ifndef VGPU_EDITS_H
#define VGPU_EDITS_H

struct parse;
struct buf;

/* What is put in at one place of the text, from the outside to the inside. */
enum layer {
    LAYER_COPY,      /* a definition of its own, ahead of another one */
    LAYER_WORD,      /* a word of a head */
    LAYER_SELF,      /* what a kernel says of itself */
    LAYER_RUN,       /* ... and by what it is run */
    LAYER_FRAME,     /* what a function's whole body is put into */
    LAYER_GANG,      /* what a device function does first of all */
    LAYER_NAMES,     /* variables of a whole body */
    LAYER_COUNT,     /* what a block adds to its counter */
    LAYER_STATEMENT, /* ahead of a statement */
    LAYER_LOOP,      /* a loop's second form */
    LAYER_CODE,      /* within a statement, and behind one */
    LAYER_NOTE,      /* ... what is said once of what stands there */
};

/*
 * Of several edits at one place, first come those behind the token that ends
 * there, then those ahead of the one that begins, then that one's own. On each
 * side what closes goes from the inside to the outside, then what opens from
 * the outside to the inside (@rank). Of one rank, the first that was noted is
 * first: what is inside is read first, and closes first.
 */
enum side { SIDE_BEHIND, SIDE_AHEAD, SIDE_TOKEN };

struct edit {
    const char *at;
    int drop; /* bytes of the text to leave out */
    enum side side;
    int rank, order;
    char *text; /* put before them, or NULL */
};

struct edits {
    struct edit *list;
    int count;
};

#define EDIT_FORMAT(n) __attribute__((format(printf, n, n + 1)))

/* Put text in before token @i, or behind it, for what opens there. */
void edit_before(struct parse *p, int i, enum layer layer, const char *format,
                 ...) EDIT_FORMAT(4);
void edit_behind(struct parse *p, int i, enum layer layer, const char *format,
                 ...) EDIT_FORMAT(4);
/* ... before token @i, a bracket, for what closes there. */
void edit_close(struct parse *p, int i, enum layer layer, const char *format,
                ...) EDIT_FORMAT(4);
/* ... at any place of the text. */
void edit_at(struct parse *p, const char *at, const char *format, ...)
    EDIT_FORMAT(3);
void edit_drop(struct parse *p, int i);
void edit_replace(struct parse *p, int i, const char *format, ...)
    EDIT_FORMAT(3);

/* Bring those that were noted into the order of the text. */
void edits_sort(struct parse *p);
/* Add the text with all edits to @out. */
void edits_apply(struct parse *p, struct buf *out);
void edits_free(struct parse *p);

#endif
