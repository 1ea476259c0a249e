/* finding.c: a named mistake, and the end of the evidence for it */
#include "judge/finding.h"

#include "case/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct finding finding_none(void)
{
    return (struct finding){.id = NULL};
}

struct finding finding_misbehaved(enum child_end end)
{
    static const char *const names[] = {
        [CHILD_PROCESSES] = "starts-programs",
        [CHILD_TAMPERED] = "poses-as-driver",
        [CHILD_THREADS] = "thread-left",
        [CHILD_CROWD] = "too-many-threads",
    };

    return mistake(names[end]);
}

bool finding_is(const struct finding *finding, const char *name)
{
    const size_t length = finding->id ? strcspn(finding->id, "/") : 0;

    return length > 0 && strlen(name) == length &&
           strncmp(finding->id, name, length) == 0;
}

struct finding mistake(const char *name)
{
    return (struct finding){.id = name};
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

struct finding mistake_among(const struct sign *signs, size_t count)
{
    while (count > 0 && !signs->seen)
        count--, signs++;
    return count > 0 && signs->at ? mistake_at(signs->mistake, signs->at)
                                  : mistake(count > 0 ? signs->mistake : NULL);
}
