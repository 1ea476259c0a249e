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

/* "no member named 'x'", or "has no member "x"". */
struct finding finding_removed_member(const char *messages)
{
    const char *at = strstr(messages, "no member");

    if (strstr(messages, "cudaDeviceProp") == NULL)
        return finding_none();
    at = at ? strpbrk(at, "'\"\n") : NULL;
    for (size_t i = 0; at && i < sizeof removed / sizeof *removed; i++) {
        const size_t length = strlen(removed[i].member);

        if (strncmp(at + 1, removed[i].member, length) == 0 &&
            strchr("'\"", at[1 + length]))
            return mistake_with("removed-member", "member=%s\ninstead=%s",
                                removed[i].member, removed[i].instead);
    }
    return finding_none();
}
