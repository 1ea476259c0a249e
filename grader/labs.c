/* labs.c: the labs that can be graded */
#include "lab.h"

#include <string.h>

extern const struct lab_rules lab_08;

const struct lab_rules *const lab_all[] = {&lab_08, NULL};

const struct lab_rules *lab_find(const char *name)
{
    for (size_t i = 0; lab_all[i]; i++)
        if (strcmp(lab_all[i]->name, name) == 0 ||
            (strlen(name) == 2 && strncmp(lab_all[i]->name, name, 2) == 0))
            return lab_all[i];
    return NULL;
}
