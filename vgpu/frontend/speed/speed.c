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

/* Threads that wait for each other go on in another order: not in a kernel that
 * shows it. Loops come in the order of their kernels. */
static void write_loops(struct speed *s)
{
    const struct parse *p = s->p;

    for (int i = 0, n = 0; i < p->num_code; i++) {
        const struct code *code = &p->code[i];
        const bool suits =
            code->runner && !strcmp(code->runner, "vgpu_run_unwatched");

        for (; n < p->num_loops && code->head.global &&
               p->loops[n].kernel == code->head.begin;
             n++)
            if (suits)
                loops_write(s, &p->loops[n]);
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
