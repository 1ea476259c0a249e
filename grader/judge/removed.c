/* removed.c: members of cudaDeviceProp that CUDA 13 has no more */
#include "judge/finding.h"

#include <string.h>

static const struct {
    const char *member, *instead;
} removed[] = {
    {"clockRate", "cudaDevAttrClockRate"},
    {"deviceOverlap", "cudaDevAttrAsyncEngineCount"},
    {"kernelExecTimeoutEnabled", "cudaDevAttrKernelExecTimeout"},
    {"computeMode", "cudaDevAttrComputeMode"},
    {"memoryClockRate", "cudaDevAttrMemoryClockRate"},
    {"maxTexture1DLinear", "cudaDevAttrMaxTexture1DLinearWidth"},
    {"singleToDoublePrecisionPerfRatio",
     "cudaDevAttrSingleToDoublePrecisionPerfRatio"},
};

/* "no member named 'x'", with quotes of some kind, or "has no member "x"". */
static const char *find_member(const char *messages, size_t *length)
{
    const char *at = strstr(messages, "no member");

    if (at == NULL || strstr(messages, "cudaDeviceProp") == NULL)
        return NULL;
    at += strlen("no member");
    if (strncmp(at, " named", 6) == 0)
        at += 6;
    at += strcspn(at, "'\"\n");
    at += *at != '\0';
    *length = strcspn(at, "'\"\n");
    return at;
}

struct finding finding_removed_member(const char *messages)
{
    size_t length;
    const char *const at = find_member(messages, &length);

    for (size_t i = 0; at && i < sizeof removed / sizeof *removed; i++)
        if (strlen(removed[i].member) == length &&
            strncmp(at, removed[i].member, length) == 0)
            return mistake_with("removed-member", "member=%s\ninstead=%s",
                                removed[i].member, removed[i].instead);
    return finding_none();
}
