/*
 * ptx_reader.h: what the files share that read PTX text: tokens, types,
 * variables (ptx_token.c); kernels and their instructions (ptx_text.c).
 */
#ifndef VGPU_PTX_READER_H
#define VGPU_PTX_READER_H

#include "ptx.h"

#define PTX_WORD 128

struct ptx_reader {
    const char *at;
    unsigned line;
    char token[PTX_WORD]; /* the next one; "" at the end */
    enum ptx_error error;
    struct ptx_module *module;
    struct ptx_kernel *kernel; /* within its body or parameters */
    struct ptx_bank {          /* registers that are declared together */
        char name[PTX_WORD];
        unsigned first, count;
        bool numbered;
        struct ptx_bank *next;
    } * banks;
    struct ptx_label {
        char name[PTX_WORD];
        unsigned at; /* an instruction; UINT32_MAX: not there yet */
        struct ptx_label *next;
    } * labels;
    unsigned num_labels;
    char (*elsewhere)[PTX_WORD]; /* functions that are in no text */
    size_t num_elsewhere;
};

/* The first error counts; from then on there are no more tokens. */
void ptx_fail(struct ptx_reader *r, enum ptx_error error);
/* Words and numbers with the dots that are in them, strings, single signs. */
void ptx_next(struct ptx_reader *r);
void ptx_skip_blanks(struct ptx_reader *r);
bool ptx_is(const struct ptx_reader *r, const char *token);
/* Go over @token, if that is the next one; it must be. */
bool ptx_take(struct ptx_reader *r, const char *token);
void ptx_want(struct ptx_reader *r, const char *token);
/* Up to and over the bracket that ends what begins here. */
void ptx_skip_brackets(struct ptx_reader *r, const char *open,
                       const char *close);
void ptx_take_name(struct ptx_reader *r, char *to);
int64_t ptx_take_number(struct ptx_reader *r);

/* "u32", "shared": of what a dot stands before. Return: is it one? */
bool ptx_read_type(const char *word, struct ptx_type *type);
bool ptx_read_space(const char *word, enum ptx_space *space);
/* A variable's declaration, which is in no list yet; NULL: it was none. */
struct ptx_variable *ptx_take_variable(struct ptx_reader *r);
struct ptx_variable *ptx_find_variable(const struct ptx_reader *r,
                                       const char *name);

#endif
