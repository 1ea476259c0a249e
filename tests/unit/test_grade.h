/* test_grade.h: cases as a judge sees them, made from words */
#ifndef TEST_GRADE_H
#define TEST_GRADE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "case/case.h"
#include "judge/judge.h"
#include "judge/words.h"

/* A case that returned, with what the driver reported. */
struct made_case {
    struct lab_case rules;
    struct evidence evidence;
    struct case_run run;
};

static inline struct case_run *make_case(struct made_case *made,
                                         const char *params, const char *facts)
{
    memset(made, 0, sizeof *made);
    made->rules.name = "a case";
    made->run.rules = &made->rules;
    made->run.evidence = &made->evidence;
    made->run.params = params;
    made->run.backend = BACKEND_VGPU;
    made->run.ran = true;
    made->run.rounds = 1;
    facts_read(&made->run.facts[0], facts);
    return &made->run;
}

static inline void free_case(struct made_case *made,
                             struct judgement *judgement)
{
    tl_out_free(&made->run.facts[0]);
    tl_out_free(&judgement->seen);
}

#endif
