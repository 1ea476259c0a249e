/*
 * names.c: what the program calls its streams and events, for the trace.
 *
 * The front end sees `cudaEventCreate(&copied[i])` and hands on the words
 * "copied[]" with the value of i (frontend/handles.c); the next create call
 * with that address takes them.
 */
#include "rt.h"

#include <stdio.h>
#include <string.h>

VGPU_PUBLIC void vgpu_note_name(const void *slot, const char *words,
                                long long a, long long b, long long c);

static VGPU_OWN struct {
    const void *slot;
    char name[VGPU_NAME_BYTES];
} noted;

/* Each "[]" of the words gets the next index. */
void vgpu_note_name(const void *slot, const char *words, long long a,
                    long long b, long long c)
{
    const long long index[] = {a, b, c};
    size_t used = 0, num = 0;

    noted.slot = slot;
    for (; *words && used + 24 < sizeof noted.name; words++) {
        noted.name[used++] = *words;
        if (*words == '[' && num < 3)
            used +=
                (size_t)snprintf(noted.name + used, 22, "%lld", index[num++]);
    }
    noted.name[used] = '\0';
}

void vgpu_names_take(const void *slot, char name[VGPU_NAME_BYTES])
{
    const bool known = slot && noted.slot == slot;

    snprintf(name, VGPU_NAME_BYTES, "%s", known ? noted.name : "");
    noted.slot = NULL;
}
