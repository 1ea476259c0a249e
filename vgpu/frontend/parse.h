/*
 * parse.h: what the parts of the rewriter share. See rewrite.h for the whole.
 *
 * The parts walk the tokens once and note edits; rewrite.c applies them.
 *   scope.c          namespaces and classes: functions, kernels, variables
 *   body.c           statements: costs, lambdas, what only device code may do
 *   stub.c           what becomes of a kernel's definition
 *   configuration.c  what becomes of a launch
 *   names.c          calls from where they are not allowed
 *   math.c           math functions and divisions, which take longer
 *   lanes.c          device functions that are done for many threads at once
 *   loops.c          loops of a kernel that many threads do at once
 *   unwatched.c      kernels that run without call-backs, too
 *   calls.c          which device functions may call which
 *   sums.c           atomics that do not show the order of their blocks
 *   host_loops.c     functions of the host that do
 *   handles.c        what the program calls its streams and events
 *   words.c          where each name stands
 *   dropped.c        calls of CUDA whose code the program does not take
 *   settle.c         where host code hands over what it counted
 *   shared.c         which __shared__ variable a name means
 *   var.c            __shared__, __device__, __constant__ and __managed__
 */
#ifndef VGPU_PARSE_H
#define VGPU_PARSE_H

#include "buf.h"
#include "lex.h"
#include "rewrite.h"

enum role {
    ROLE_NONE,
    ROLE_ANGLE, /* < or > around template arguments */
    ROLE_USED,  /* has its edit; leave it alone */
};

/* What is put in at one place of the text, from the outside to the inside. */
enum layer {
    LAYER_COPY,      /* a definition of its own, ahead of another one */
    LAYER_WORD,      /* a word of a head */
    LAYER_FRAME,     /* what a function's whole body is put into */
    LAYER_GANG,      /* what a device function does first of all */
    LAYER_NAMES,     /* variables of a whole body */
    LAYER_COUNT,     /* what a block adds to its counter */
    LAYER_STATEMENT, /* ahead of a statement */
    LAYER_LOOP,      /* a loop's second form */
    LAYER_CODE,      /* within a statement */
};

/*
 * Of several edits at one place, first come those behind the token that ends
 * there, then those ahead of the one that begins, then that one's own. On each
 * side what closes goes from the inside to the outside, then what opens from
 * the outside to the inside (@rank). Of one rank, the first is first.
 */
enum side { SIDE_BEHIND, SIDE_AHEAD, SIDE_TOKEN };

struct edit {
    const char *at;
    int drop; /* bytes of the text to leave out */
    enum side side;
    int rank, order;
    char *text; /* put before them, or NULL */
};

/* A __shared__ variable. */
struct shared {
    int name; /* token */
    int end;  /* behind what it is declared in */
    int serial;
    bool dynamic;
    int before; /* the last one of that name, from 1; 0: none */
};

/* Where a function runs. */
enum where {
    WHERE_NOWHERE, /* no function of the user's */
    WHERE_HOST,
    WHERE_DEVICE,
    WHERE_KERNEL,
    WHERE_UNKNOWN, /* on both, or not to be told */
};

/* Where a statement stands. */
enum spot {
    SPOT_BLOCK,
    SPOT_SWITCH, /* between the labels of a switch */
    SPOT_ALONE,  /* without braces, behind if, else, for, ... */
};

/* What is known of a function of the user's. */
enum settle_kind {
    SETTLE_DECLARED,
    SETTLE_QUIET, /* no call in its body needs the clock */
    SETTLE_LOUD,
};

/* What is known of a name, wherever it stands; words.c. */
struct word {
    int last;       /* its last token */
    int bare;       /* ... that is not called */
    unsigned flags; /* settle.c */
    /* names.c: the user's functions that have it. */
    int declared; /* how many */
    enum where where;
    int space;  /* the innermost namespace's `{` of theirs that has a name */
    bool apart; /* no text is in all of their namespaces */
    int lane;   /* its lane function's number, from 1; 0: none */
    int class_open; /* the `{` of the last class of that name, or 0 */
    /* shared.c: the last __shared__ variable of that name, from 1; the last
     * body in which it was met, its `{`. */
    int shared, seen_in;
    /* sums.c: the last function that declares it __shared__; its end. */
    int shared_in, shared_array_in;
    /* loops.c: what a kernel has said of it. */
    struct {
        int kernel; /* its second token */
        int next;   /* the first token that was not looked at */
        bool declared, has_value, pointed;
    } number;
};

/* Where else a token's name stands. */
struct link {
    int before, next; /* the last and the next token that has it, or 0 */
    int bare;         /* the last one before it that is not called, or 0 */
};

/* A device function with a copy for lanes, and no way but one through it. */
struct lane_function {
    int name, open; /* tokens */
    int serial;
    int copy;    /* its edit */
    int head;    /* its edit, or -1 */
    bool simple; /* no loop, no if */
    bool needed; /* device code calls it */
};

/* A kernel, or a function that one may call. */
struct device_function {
    int name;       /* token, or -1 */
    int begin, end; /* its tokens */
    int edit;       /* inlining it; a kernel's: which way it is run; or -1 */
    bool kernel;
    bool declared; /* ... and not defined by this */
    bool is_inline, is_static;
    unsigned shows; /* SHOWS_...; when all is read: what it calls, too */
    bool sums;      /* shows it in what atomics leave that are its last */
    bool alone;     /* cannot be inlined */
    bool recursive; /* may call itself in the end */
    bool reached;   /* from a kernel that may run unwatched */
};

/* What a device function shows of the order in which blocks run. */
enum {
    SHOWS_ORDER = 1, /* in memory */
    SHOWS_MORE = 2,  /* ... and elsewhere, or nobody knows */
    SHOWS_FLAG = 4,  /* it may wait for a flag, and must be watched */
};

/* A loop's second form. */
struct step_loop {
    int edit;
    int begin; /* its kernel's first token */
};

struct parse {
    struct lex lex;
    const struct rewrite_options *options;
    unsigned char *roles; /* one per token */
    struct edit *edits;
    int num_edits, edit_capacity;
    struct shared *shared;
    int num_shared;
    struct lane_function *lane_functions;
    int num_lane_functions;
    struct device_function *device_functions;
    int num_device_functions;
    struct step_loop *step_loops;
    int num_step_loops;
    bool ordered; /* kernels show in which order their threads run */
    bool signals; /* a variable may be a flag */
    struct link *links;
    struct word *words;                 /* by their numbers; 0: of no name */
    int bindings_kernel, bindings_next; /* loops.c; as in struct word */
    bool bindings;
    struct buf errors;
    int num_errors;
    bool bit_fields; /* some class has them */
    bool quick;      /* something is written for speed alone */
    int serial;      /* the last number given out */
    int depth;       /* of the recursion */
    int named;       /* namespaces around what is read */
    int c_scopes;    /* extern "C" around it */
    int space;       /* the innermost one's `{` that has a name; 0: none */
    int class_open;  /* the innermost class's `{`; 0: none */
};

/* The function whose body is being read. */
struct function {
    int begin; /* its head's first token; a lambda's: that of what it is in */
    int head;  /* its own head's */
    int open;  /* its body's `{` */
    int class_open;               /* its class's, or 0 */
    const struct function *outer; /* what a lambda is in, or NULL */
    bool host;                    /* __host__ is written */
    bool device;                  /* runs on the device, too */
    bool kernel;
    bool main;    /* nvcc has a `return;` in it return 0 */
    bool costs;   /* its operations are counted */
    bool counted; /* ... and there are some */
    bool loud;    /* names what needs the clock */
    bool jumps;   /* has a goto */
};

/* A loop that only looks: see idle.c. */
struct idle {
    bool loop;   /* it is one */
    bool votes;  /* ... and each round waits for others of the warp, */
    bool meets;  /* ... or of the block */
    bool writes; /* ... and keeps what it has looked at */
    bool counts; /* ... or its rounds, for nobody in there */
};

/* Operations found so far for one place of the text. */
struct cost {
    int edit; /* where they are added, or -1 */
    int count;
    int slots;        /* of divisions in device code */
    bool own;         /* needs a vgpu_cost of its own */
    bool braces;      /* the place needs a `{` */
    bool loud;        /* what was read last needs the clock */
    struct idle idle; /* of a loop that waits: see idle.c */
};

/* A part of an if's, for's, ... header, where operations are handed over. */
struct header {
    int edit; /* or -1 */
    bool declares;
    int end;
};

/* A declaration's tokens up to its body, initialiser or `;`. */
struct head {
    int begin, end; /* [begin, end) */
    bool in_class;
    bool is_template;
    int arguments; /* the `<` of its template header, or -1 */
    int params;    /* the `(` of the parameters, or -1 */
    int name;      /* a function's name, or -1 */
    int init;      /* the first `=`, or -1 */
    int key;       /* class, struct or union, or -1 */
    bool is_enum;
    bool global, device, host, constant, managed, shared;
    bool constexpr_, inline_, extern_, void_;
    int bounds; /* the `(` of __launch_bounds__, -1 */
};

/* ---- rewrite.c: tokens, edits, errors ------------------------------------ */

/* Token @i is that sign or word. Any @i may be asked for. */
bool is(const struct parse *p, int i, int word);
/* ... one of @sets, enum lex_set. */
bool is_a(const struct parse *p, int i, unsigned sets);
/* Tokens @a and @b, names or signs, have the same text. */
bool is_same(const struct parse *p, int a, int b);
bool begins_with(const struct parse *p, int i, const char *prefix);
/* The character of a one-character punctuation, else 0. */
char mark(const struct parse *p, int i);
bool is_name(const struct parse *p, int i);
/* Index after the bracket that @i opens. */
int skip(const struct parse *p, int i);
/* Index of the first @c from @i on, outside of brackets; @end if none. */
int find(const struct parse *p, int i, int end, char c);
/* Index after the > for the < at @i, whatever is inside; @end if none. */
int angle_end(const struct parse *p, int i, int end);
/* The same if it looks like template arguments, else -1. Marks the two. */
int template_end(struct parse *p, int i, int end);

/* Reserve a place before token @i, or after token @i, for what opens there.
 * Return: the edit. */
int edit_at(struct parse *p, const char *at); /* a place in the text */
int edit_before(struct parse *p, int i, enum layer layer);
int edit_after(struct parse *p, int i, enum layer layer);
/* ... before token @i, a bracket, for what closes there. */
int edit_close(struct parse *p, int i, enum layer layer);
/* Set an edit's text; takes nothing over. */
void edit_set(struct parse *p, int edit, const char *text);
/* The same, for what is written for speed alone. */
void edit_quicken(struct parse *p, int edit, const char *text);
/* < 0 where @a is put in before @b. */
int edit_compare(const struct edit *a, const struct edit *b);
void edit_drop(struct parse *p, int i);
void edit_replace(struct parse *p, int i, const char *text);

/* Tokens [from, to) on one line. */
void flatten(const struct parse *p, int from, int to, struct buf *out);

/* "file:line: error: vgpucc: ..." for token @i. */
void refuse(struct parse *p, int i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- the parts ----------------------------------------------------------- */

/* Read declarations in [i, end). */
void scope_read(struct parse *p, int i, int end, bool in_class);
/* Read the class whose body opens at @open. */
void class_read(struct parse *p, int open);
/* If the statement at @i defines a type, read that. Return: after it, or @i. */
int scope_local_type(struct parse *p, int i, int end);

/*
 * Read a function's body.
 * @open   its `{`
 * @names  declare threadIdx and its kin where named
 */
void body_read(struct parse *p, struct function *f, int open, bool names);
/* Read an expression's tokens. @cost may be NULL. */
void body_scan(struct parse *p, struct function *f, int i, int end,
               struct cost *cost);
/* The `{` of the lambda whose `[` is at @i, or -1 if it is no lambda. */
int body_lambda(const struct parse *p, int i, int end);

/* Link the tokens of each name. */
void words_index(struct parse *p);
/* Is token @i a name that the program may have given? */
bool is_plain(const struct parse *p, int i);
/* The word of token @i; that of none is not to be changed. */
struct word *word_of(const struct parse *p, int i);
/* idle.c: what the loop at @i does, if it only looks. */
struct idle idle_loop(const struct parse *p, int i, int end);

/* Does the word at @i show in which order threads run? */
bool tells_order(const struct parse *p, int i);
bool tells_more(const struct parse *p, int i);
/* sums.c: is @i, an atomic's name in @f, one of the block's own memory? */
bool sums_own(const struct parse *p, const struct device_function *f, int i);
/* ... one that is the last thing that a thread does, for its effect alone? Not
 * in a loop. */
bool sums_last(const struct parse *p, const struct device_function *f, int i);
/* What @f declares __shared__ is noted; before sums_own(). */
void sums_note_shared(struct parse *p, const struct device_function *f);
/* Behind the loop whose word is token @i, or 0. */
int sums_loop_end(const struct parse *p, const struct device_function *f,
                  int i);

void kernel_rewrite(struct parse *p, const struct head *h, int open);

/* The `<<<` at token @i. @from: no callee begins before. */
void launch_rewrite(struct parse *p, const struct function *f, int from, int i,
                    int end);

/* The asm statement whose word is at @i. Return: how many instructions. */
int ptx_rewrite(struct parse *p, int i);

/* Have the runtime told the names of streams and events that are made. */
void handles_name(struct parse *p);

/* The simple statement [i, past) may drop the code that a call returns. */
void dropped_note(struct parse *p, int i, int past);

/* Is the name at @i a math function's, and is it called there, from device
 * code? */
bool math_is_call(const struct parse *p, int i);
/* What the operation at @i takes beyond being one, in vgpu/math.h's slots. */
int math_division_slots(const struct parse *p, int i);

/*
 * Write the device function @h, whose body was read, for lanes, if it can be.
 * @first  its first edit
 */
void lanes_write(struct parse *p, const struct head *h, int open, int first);

/* Device code may call what token @i names. */
void lanes_note_call(struct parse *p, int i);
/* All is read: keep what is needed. */
void lanes_finish(struct parse *p);

/*
 * Write the loop of a kernel at @i, which was read, for threads in step, if
 * they can do it so.
 * @begin  the kernel's first token
 * @past   behind the loop
 * @count  what a round costs
 * @edit   a place ahead of the loop
 */
void loops_write(struct parse *p, int begin, int i, int past, int count,
                 int edit);
/* Those of the kernel that begins at @begin are left as they are; -1: all. */
void loops_drop(struct parse *p, int begin);

/* Remember the kernel or device function @h with its body at @open. @run: a
 * kernel's edit that says how it is run. */
void unwatched_note(struct parse *p, const struct head *h, int open, int run);
void unwatched_lambda(struct parse *p, int begin, int end);
void unwatched_declared(struct parse *p, const struct head *h);
/* Sort device functions by name; find what each shows in the end, and whether
 * it calls itself. */
void calls_find(struct parse *p);
/* What those that are reached may call is reached, too. */
void calls_reach(struct parse *p);
/* All is read: write which kernels may run unwatched. */
void unwatched_finish(struct parse *p);

/*
 * Before and after the body at @open of the host's function @h is read: have it
 * compiled without call-backs, too. Return: whether it can be.
 */
bool host_loops_open(struct parse *p, const struct head *h, int open);
void host_loops_close(struct parse *p, int open);
/* [begin, end) declares variables or a type. */
void host_loops_declared(struct parse *p, int begin, int end);
/* What such functions call of the compiler's headers. */
void host_loops_subscripts(struct parse *p, const char *text, size_t size);

/* Remember the function that @h declares. */
void names_note(struct parse *p, const struct head *h);
/* Refuse the call of the name at @i if it is one that nvcc refuses. */
void names_check(struct parse *p, const struct function *f, int i);

/* Guess what each name is. */
void settle_index(struct parse *p);
/* @name is a function that host code may call. */
void settle_note(struct parse *p, int name, enum settle_kind kind);
/* May what token @i names, or calls, look at the clock? */
bool settle_is_loud(const struct parse *p, int i);
/* Hand over before a statement. @edit: in front of it; @past: after it. */
void settle_statement(struct parse *p, struct function *f, int edit, int past,
                      enum spot spot);
/* Reserve a place in the expression or declaration [i, end) of a header. */
struct header settle_header(struct parse *p, int i, int end);
/* Hand over there. */
void settle_expression(struct parse *p, struct function *f,
                       const struct header *header);
/* Hand over before the destructor of what [from, past) declares runs. */
void settle_object(struct parse *p, struct function *f, int from, int past);

/* Where a __shared__ variable is declared. */
enum shared_place { SHARED_OUTSIDE, SHARED_IN_DEVICE, SHARED_IN_KERNEL };
/* [i, semicolon) declares __shared__ variables, for what is up to @end. */
void var_shared(struct parse *p, int i, int semicolon, int end,
                enum shared_place place);
/* Is there a __shared__ outside of brackets in [i, end)? */
bool var_is_shared(const struct parse *p, int i, int end);

/* Remember the variable of that @name, to be seen up to token @end. */
void shared_note(struct parse *p, int name, int serial, bool dynamic, int end);
/* A reference to it. */
void shared_add_reference(struct parse *p, int name, int serial, bool dynamic,
                          struct buf *out);
/* References to variables of outside of @f that its body names, and a `{`
 * around what follows. */
void shared_references(struct parse *p, const struct function *f,
                       struct buf *out);
/* A declaration with __device__, __constant__ or __managed__, up to its `;`. */
void var_device(struct parse *p, const struct head *h, int semicolon);

#endif
