/* spec.c: what a child is started with, in every form of the cage: the places
 * that it may see, and its environment */
#include "cage/child.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fence_add(struct fence *fence, enum fence_right right, const char *path)
{
    if (path == NULL || fence->count == MAX_FENCE || access(path, F_OK) != 0)
        return;
    fence->places[fence->count].path = strdup(path);
    fence->places[fence->count++].right = right;
}

void fence_add_below(struct fence *fence, enum fence_right right,
                     const char *root, const char *const *names)
{
    for (; *names; names++) {
        char *path = text_format("%s/%s", root, *names);

        fence_add(fence, right, path);
        free(path);
    }
}

void fence_free(struct fence *fence)
{
    for (int i = 0; i < fence->count; i++)
        free(fence->places[i].path);
    memset(fence, 0, sizeof *fence);
}

size_t child_keep_env(char **env, const char *const *names)
{
    size_t count = 0;

    for (; *names; names++)
        if (getenv(*names))
            env[count++] = text_format("%s=%s", *names, getenv(*names));
    return count;
}
