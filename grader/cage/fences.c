/* fences.c: which of the cage's fences this machine has */
#include "cage/fences.h"

#include <stdio.h>

#include "cage/calls.h"
#include "cage/fence.h"
#include "cage/view.h"

const char *fences_missing(void)
{
    static char names[64];
    const struct {
        const char *name;
        bool is_there;
    } fences[] = {
        {"landlock", fence_version() > 0},
        {"seccomp", calls_are_there()},
        {"namespaces", view_is_there()},
    };
    int length = 0;

    names[0] = '\0';
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        if (!fences[i].is_there)
            length += snprintf(names + length, sizeof names - (size_t)length,
                               "%s%s", length ? ", " : "", fences[i].name);
    return names;
}
