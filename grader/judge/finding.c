/* finding.c: a named mistake, and the end of the evidence for it */
#include "judge/finding.h"

#include "case/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding finding_none(void)
{
    struct finding finding;

    memset(&finding, 0, sizeof finding);
    return finding;
}

struct finding finding_misbehaved(enum child_end end)
{
    if (end == CHILD_PROCESSES)
        return mistake("starts-programs");
    if (end == CHILD_TAMPERED)
        return mistake("poses-as-driver");
    if (end == CHILD_THREADS)
        return mistake("thread-left");
    return finding_none();
}

bool finding_is(const struct finding *finding, const char *name)
{
    const size_t length = finding->id ? strcspn(finding->id, "/") : 0;

    return length > 0 && strlen(name) == length &&
           strncmp(finding->id, name, length) == 0;
}

struct finding mistake(const char *name)
{
    struct finding finding = finding_none();

    finding.id = name;
    return finding;
}

struct finding mistake_with(const char *name, const char *values, ...)
{
    struct finding finding = mistake(name);
    va_list args;

    va_start(args, values);
    vsnprintf(finding.values, sizeof finding.values, values, args);
    va_end(args);
    return finding;
}

struct finding mistake_at(const char *name, const char *at)
{
    return mistake_with(name, "at=%s", query_place(at));
}

struct finding mistake_first(const struct sign *signs)
{
    while (!signs->seen)
        signs++;
    return mistake(signs->mistake);
}

struct finding mistake_first_at(const struct sign_at *signs)
{
    while (!signs->seen)
        signs++;
    return signs->at ? mistake_at(signs->mistake, signs->at)
                     : mistake(signs->mistake);
}
