/*
 * parse.h: what the parts of the rewriter share. See README.md for the whole.
 *
 * The parts walk the tokens once and note edits; rewrite.c applies them.
 *   edits.c          what is changed, all in one list
 *   scope.c          namespaces and classes: functions, kernels, variables
 *   body.c           statements: costs, lambdas, what only device code may do
 *   idle.c           loops that wait for what others write
 *   stub.c           what becomes of a kernel's definition
 *   configuration.c  what becomes of a launch
 *   names.c          calls from where they are not allowed
 *   sides.c          what else nvcc refuses, or warns of, for its two sides
 *   math.c           math functions and divisions, which take longer
 *   ptx.c            inline assembly
 *   handles.c        what the program calls its streams and events
 *   words.c          where each name stands
 *   dropped.c        calls of CUDA whose code the program does not take
 *   settle.c         where host code hands over what it counted
 *   shared.c         which __shared__ variable a name means
 *   var.c            __shared__, __device__, __constant__ and __managed__
 *   speed/           what makes programs quick; can be left out
 */
#ifndef VGPU_PARSE_H
#define VGPU_PARSE_H

#include "buf.h"
#include "edits.h"
#include "lex.h"
#include "rewrite.h"

enum role {
    ROLE_NONE,
    ROLE_ANGLE, /* < or > around template arguments */
    ROLE_USED,  /* has its edit; leave it alone */
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
    int class_open; /* the `{` of the last class of that name, or 0 */
    /* shared.c: the last __shared__ variable of that name, from 1; the last
     * body in which it was met, its `{`. */
    int shared, seen_in;
};

/* Where else a token's name stands. */
struct link {
    int before, next; /* the last and the next token that has it, or 0 */
    int bare;         /* the last one before it that is not called, or 0 */
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
    int bounds;  /* the `(` of __launch_bounds__, -1 */
    int cluster; /* the `(` of __cluster_dims__, -1 */
};

/* What was read, in its order, each after what is in it: for who looks at it
 * when all is known. */
struct code {
    enum {
        CODE_FUNCTION,
        CODE_LAMBDA,      /* of device code, in a host function; has no name */
        CODE_DECLARATION, /* of anything else, with its initial value */
    } kind;
    struct head head;
    int open;           /* the body's `{`; a declaration's `;` */
    bool in_c;          /* in an extern "C" */
    const char *runner; /* what runs this kernel; NULL: what runs any */
    char *split;        /* ... and its second copy, or NULL */
};

/* A kernel's `for` without divisions. */
struct kernel_loop {
    int kernel; /* its first token */
    int begin, end;
    int count; /* what a round costs */
};

struct parse {
    const char *text; /* the whole */
    size_t size;
    struct lex lex;
    const struct rewrite_options *options;
    unsigned char *roles; /* one per token */
    struct edits edits;
    struct shared *shared;
    int num_shared;
    struct code *code;
    int num_code;
    struct kernel_loop *loops;
    int num_loops;
    struct buf looks; /* idle.c: the lines of loops that only look */
    struct link *links;
    struct word *words; /* by their numbers; 0: of no name */
    struct buf errors, warnings;
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
    bool looks;  /* nothing else is in it; */
    bool loop;   /* ... and what is read does not tell by itself */
    bool votes;  /* ... and each round waits for others of the warp, */
    bool meets;  /* ... or of the block */
    bool writes; /* ... and keeps what it has looked at */
    bool counts; /* ... or its rounds, for nobody in there */
    bool rounds; /* of the host: nobody but the runtime is told of them */
};

/* Operations found so far for one place of the text. */
struct cost {
    int behind; /* the token behind which they are added, or -1 */
    int count;
    int slots;        /* of divisions in device code */
    bool own;         /* needs a vgpu_cost of its own */
    bool braces;      /* the place needs a `{` */
    bool loud;        /* what was read last needs the clock */
    struct idle idle; /* of a loop that waits: see idle.c */
};

/* A part of an if's, for's, ... header, where operations are handed over. */
struct header {
    int at;        /* ahead of this token, or -1 */
    bool declares; /* ... behind it */
    int end;
};

/* ---- rewrite.c: tokens, edits, errors ------------------------------------ */

/* Any @i may be asked for: there is an end all around. */
const struct lex_token *token(const struct parse *p, int i);
/* Token @i is that sign or word. */
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

/* Tokens [from, to) on one line. */
void flatten(const struct parse *p, int from, int to, struct buf *out);

/* "file:line: error: vgpucc: ..." for token @i. */
void refuse(struct parse *p, int i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ... "warning: vgpucc: ..." */
void warn(struct parse *p, int i, const char *format, ...)
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
/* Note the lines of the loop [i, past), which only looks; write what is noted.
 */
void idle_note(struct parse *p, int i, int past);
void idle_write(const struct parse *p, struct buf *out);

void kernel_rewrite(struct parse *p, const struct head *h, int open);
/* How a kernel's lambda has parameters that are objects, and how it names them.
 */
void kernel_held(const struct parse *p, const struct head *h,
                 struct buf *captures, struct buf *references);
/* What stands between a lambda's parameters and its type: clang wants the
 * attribute first, gcc last. */
const char *lambda_words(const struct parse *p);
/* Remember it. */
void note_code(struct parse *p, const struct code *code);

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

/* Remember the function that @h declares. */
void names_note(struct parse *p, const struct head *h);
/* Refuse the call of the name at @i if it is one that nvcc refuses. */
void names_check(struct parse *p, const struct function *f, int i);

/* Where the function runs that the name at @i means. */
enum where names_where(const struct parse *p, int i);

/* Look through all that was read for what nvcc refuses. */
void sides_check(struct parse *p);

/* Guess what each name is. */
void settle_index(struct parse *p);
/* @name is a function that host code may call. */
void settle_note(struct parse *p, int name, enum settle_kind kind);
/* May what token @i names, or calls, look at the clock? */
bool settle_is_loud(const struct parse *p, int i);
/* Hand over before the statement [begin, past). */
void settle_statement(struct parse *p, struct function *f, int begin, int past,
                      enum spot spot);
/* Find a place in the expression or declaration [i, end) of a header. */
struct header settle_header(struct parse *p, int i, int end);
/* Hand over there. */
void settle_expression(struct parse *p, struct function *f,
                       const struct header *header);
/* Hand over before the destructor of what [from, past) declares runs. */
void settle_object(struct parse *p, struct function *f, int from, int past);

/* Where a __shared__ variable is declared. */
enum shared_place { SHARED_OUTSIDE, SHARED_IN_DEVICE, SHARED_IN_KERNEL };
/* [i, semicolon) declares __shared__ variables, for what is up to @end.
 * @open  the `{` of the kernel they are in */
void var_shared(struct parse *p, int i, int semicolon, int end,
                enum shared_place place, int open);
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
