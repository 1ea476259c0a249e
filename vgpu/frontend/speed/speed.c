/*
 * speed.c: goes through what was read, for each part in its turn.
 */
#include "speed.h"

#include <stdlib.h>
#include <string.h>

#include "parts.h"

struct known *known_of(const struct speed *s, int i)
{
    return &s->known[is_plain(s->p, i) ? token(s->p, i)->word : 0];
}

/* What may be a flag is known from there on where it is declared. */
static void write_host(struct speed *s)
{
    for (int i = 0; i < s->p->num_code; i++)
        if (s->p->code[i].kind == CODE_DECLARATION)
            host_loops_declared(s, &s->p->code[i]);
        else if (s->p->code[i].kind == CODE_FUNCTION)
            host_loops_write(s, &s->p->code[i]);
    host_loops_subscripts(s->p);
}

/* The loops [from, to) of the kernel @code: in a kernel that is split nobody
 * waits, so it is not where one may be long. */
static void write_kernel_loops(struct speed *s, struct code *code, int from,
                               int to)
{
    bool is_long = false;

    for (int n = from; n < to; n++)
        is_long |= loops_may_be_long(s, &s->p->loops[n]);
    if (is_long) {
        free(code->split);
        code->split = NULL;
    }
    for (int n = from; n < to && !code->split; n++)
        loops_write(s, &s->p->loops[n]);
}

/* Threads that wait for each other go on in another order: not in a kernel that
 * shows it. Loops come in the order of their kernels. */
static void write_loops(struct speed *s)
{
    const struct parse *p = s->p;

    for (int i = 0, n = 0, from; i < p->num_code; i++) {
        struct code *code = &p->code[i];

        for (from = n; n < p->num_loops && code->head.global &&
                       p->loops[n].kernel == code->head.begin;)
            n++;
        if (code->runner && !strcmp(code->runner, "vgpu_run_unwatched"))
            write_kernel_loops(s, code, from, n);
    }
}

/* What may change while a kernel runs; and is there a `~T()`? */
static void note_variables(struct speed *s)
{
    const struct parse *p = s->p;

    for (int n = 0; n < p->num_code; n++) {
        const struct head *h = &p->code[n].head;

        s->destructors |= h->name > 0 && mark(p, h->name - 1) == '~';
        for (int i = h->begin; p->code[n].kind == CODE_DECLARATION &&
                               (h->device || h->managed) && i < p->code[n].open;
             i++)
            known_of(s, i)->varies = true;
    }
}

void speed_write(struct parse *p)
{
    struct speed s = {.p = p};

    s.known = buf_alloc((size_t)p->lex.num_names * sizeof *s.known);
    if (!p->options->host_only) {
        for (int i = 0; i < p->num_code; i++)
            lanes_note(&s, &p->code[i]);
        for (int i = 0; i < p->num_code; i++)
            unwatched_note(&s, &p->code[i]);
        lanes_finish(&s);
        note_variables(&s);
    }
    write_host(&s);
    if (!p->options->host_only) {
        unwatched_finish(&s);
        write_loops(&s);
    }
    free(s.known);
    free(s.lanes);
    free(s.functions);
}
