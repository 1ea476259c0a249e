/*
 * lacking.c: libraries of the toolkit that are not there.
 */
#include "lacking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"

/* How names of headers begin, and names in programs, small or capital: those
 * of a namespace end with it. */
static const struct library {
    const char *header, *name, *word;
    bool is_namespace;
} libraries[] = {
    {"thrust/", "Thrust", "thrust", true},
    {"cub/", "CUB", "cub", true},
    {"cuda/", "libcu++", "cuda", true},
    {"nv/", "libcu++", "NV_IF_TARGET", false},
    {"cublas", "cuBLAS", "cublas", false},
    {"curand", "cuRAND", "curand", false},
    {"cufft", "cuFFT", "cufft", false},
    {"cusparse", "cuSPARSE", "cusparse", false},
    {"cusolver", "cuSOLVER", "cusolver", false},
    {"cudnn", "cuDNN", "cudnn", false},
    {"nccl.h", "NCCL", "nccl", false},
    {"nvrtc.h", "NVRTC", "nvrtc", false},
    {"nvml.h", "NVML", "nvml", false},
    {"npp", "NPP", "npp", false},
    {"cuda_fp8", "8-bit floating point", "__nv_fp8", false},
    {"cudaTypedefs.h", "the CUDA driver API", "PFN_", false},
};

/* Where a header was taken for an empty one. */
static struct taken {
    const struct library *library;
    char *place; /* FILE:LINE of its #include */
    char *header;
} * taken;
static int num_taken;

/* libcu++ gives its headers no ending: cuda/tools.h is somebody else's. */
static const struct library *library_of(const char *header, size_t length)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const struct library *l = &libraries[i];

        if (!strncmp(header, l->header, strlen(l->header)) &&
            (strcmp(l->name, "libcu++") || !memchr(header, '.', length)))
            return l;
    }
    return NULL;
}

static char *copy(const char *at, size_t length)
{
    struct buf out = {0};

    buf_add(&out, at, length);
    return out.data;
}

static void take(const struct library *l, const char *place, size_t place_size,
                 const char *header)
{
    BUF_ROOM(taken, num_taken);
    taken[num_taken].library = l;
    taken[num_taken].place = copy(place, place_size);
    taken[num_taken++].header = buf_copy_string(header);
}

static bool is_taken(const char *header)
{
    for (int i = 0; i < num_taken; i++)
        if (!strcmp(taken[i].header, header))
            return true;
    return false;
}

/* "FILE:LINE:COLUMN: fatal error: H: No such file" or "... 'H' file not found".
 * A header with `..` in it would lie who knows where. */
static char *header_of(const char *line, size_t length)
{
    static const char words[] = ": fatal error: ";
    const char *at = strstr(line, words);
    const struct library *l;
    size_t place, size;
    char *header;

    if (!at || at >= line + length)
        return NULL;
    at += sizeof words - 1;
    at += *at == '\'';
    size = strcspn(at, ":' \n");
    l = library_of(at, size);
    header = copy(at, size);
    if (!l || strstr(header, "..") || is_taken(header)) {
        free(header);
        return NULL;
    }
    place = strcspn(line, ":") + 1;
    take(l, line, place + strspn(line + place, "0123456789"), header);
    return header;
}

char *lacking_header(const char *messages)
{
    while (messages && *messages) {
        size_t length = strcspn(messages, "\n");
        char *header = header_of(messages, length);

        if (header)
            return header;
        messages += length + (messages[length] == '\n');
    }
    return NULL;
}

/* ---- its names ----------------------------------------------------------- */

/* The first name in quotes: 'a', or as gcc has it in UTF-8. */
static const char *quoted(const char *line, size_t length)
{
    static const char open[] = "\342\200\230";

    for (size_t i = 0; i + 3 < length; i++) {
        if (line[i] == '\'')
            return line + i + 1;
        if (!memcmp(line + i, open, 3))
            return line + i + 3;
    }
    return NULL;
}

static bool is_of(const struct library *l, const char *name)
{
    size_t size = strlen(l->word);

    return !strncasecmp(name, l->word, size) &&
           !(l->is_namespace &&
             strspn(name + size, "abcdefghijklmnopqrstuvwxyz_"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"));
}

/* Parts of CUDA itself; `*` stands for the rest of a name. Of members only the
 * type that lacks them says that they are CUDA's. */
static const struct part {
    const char *what, *of, *names; /* each name with a blank behind it */
} parts[] = {
    {"green contexts", NULL,
     "CUdevResource* CUdevSm* CUdevWorkqueue* CU_DEV_RESOURCE* CU_DEV_SM* "
     "CUgreenCtx CU_GREEN_CTX* cuGreenCtx* cuDevResource* cuDevSmResource* "
     "cuDeviceGetDevResource cuCtxGetDevResource cuCtxFromGreenCtx "
     "cuStreamGetGreenCtx cudaDevResource* cudaDevSm* cudaExecutionContext* "
     "cudaExecutionCtx* cudaGreenCtx* cudaDeviceGetDevResource "},
    {"tensor maps", NULL, "CUtensorMap* cuTensorMap* CU_TENSOR_MAP* "},
    {"multicast objects", NULL, "CUmulticast* cuMulticast* CU_MULTICAST* "},
    {"virtual memory management", NULL,
     "CUmemGenericAllocationHandle CUmemAllocationProp CUmemAccessDesc "
     "CU_MEM_ALLOC* CU_MEM_ACCESS* "},
    {"linking of modules", NULL, "CUlinkState CUjitInput* "},
};

static bool is_part(const struct part *part, const char *line, size_t length,
                    const char *name, size_t size)
{
    const char *of = part->of ? strstr(line, part->of) : line;

    if (!of || of >= line + length)
        return false;
    for (const char *known = part->names; *known;
         known += strcspn(known, " ") + 1) {
        const size_t same = strcspn(known, "* ");

        if (!strncmp(name, known, same) && (known[same] == '*' || size == same))
            return true;
    }
    return false;
}

/* `NAME (WHAT)` for a part of CUDA whose name the message at @line does not
 * know, else NULL. What the compiler would offer instead is none. */
static const char *lacking_part(const char *line, size_t length)
{
    static char text[200];
    const char *guess = strstr(line, "did you mean");
    const size_t end =
        guess && guess < line + length ? (size_t)(guess - line) : length;
    const char *name = quoted(line, end);

    for (; name; name = quoted(name, (size_t)(line + end - name))) {
        const size_t size =
            strspn(name, "abcdefghijklmnopqrstuvwxyz_"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (is_part(&parts[i], line, length, name, size)) {
                snprintf(text, sizeof text, "%.*s (%s)", (int)size, name,
                         parts[i].what);
                return text;
            }
    }
    return NULL;
}

static bool is_unknown(const char *line, size_t length)
{
    static const char *const says[] = {
        " not declared",         " not been declared", " does not name a type",
        "undeclared identifier", "unknown type name",  " no member named ",
        " is not a member of ",  "no type named ",     " is incomplete",
        "incomplete type",
    };

    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        const char *at = strstr(line, says[i]);

        if (at && at < line + length)
            return true;
    }
    return false;
}

const char *lacking_library(const char *line, size_t length)
{
    const char *name = quoted(line, length);

    for (int i = 0; name && i < num_taken; i++)
        if (is_of(taken[i].library, name))
            return taken[i].library->name;
    return is_unknown(line, length) ? lacking_part(line, length) : NULL;
}

void lacking_print(void)
{
    for (int i = 0; i < num_taken; i++)
        fprintf(stderr,
                "%s: note: #include <%s>: %s is not supported by the virtual "
                "GPU; the header was taken for an empty one\n",
                taken[i].place, taken[i].header, taken[i].library->name);
}
