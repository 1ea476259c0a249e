/*
 * diagnose.c: makes the host compiler's messages fit the student's file.
 *
 * The compiler has seen rewritten text: its file and line are right, thanks to
 * line markers, but the line that it would show and the column are not the
 * student's. So it is told to show neither, and the line is printed from the
 * file itself.
 */
#include "diagnose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lacking.h"

void diagnose_add_flags(struct list *command, int clang)
{
    if (clang)
        list_adds(command, "-fno-caret-diagnostics", "-fno-show-column", NULL);
    else
        list_adds(command, "-fno-diagnostics-show-caret", "-fno-show-column",
                  NULL);
}

/* ---- messages of the compiler -------------------------------------------- */

/* "file:12: error: ...": its line number, and the file's length; else 0. */
static int message_place(const char *line, size_t length, size_t *file)
{
    for (size_t i = 1; i + 2 < length; i++) {
        char *after;
        long number;

        if (line[i] != ':' || !isdigit((unsigned char)line[i + 1]))
            continue;
        number = strtol(line + i + 1, &after, 10);
        if (strncmp(after, ": error: ", 9) &&
            strncmp(after, ": warning: ", 11) &&
            strncmp(after, ": fatal error: ", 15))
            continue;
        *file = i;
        return number > 0 && number < 100000000 ? (int)number : 0;
    }
    return 0;
}

/* The file as it is now: what the compiler saw of it was preprocessed and
 * rewritten. */
static void print_source(const char *file, size_t length, int number)
{
    char *path = buf_alloc(length + 1);
    char *text = NULL;
    size_t capacity = 0;
    FILE *f;

    memcpy(path, file, length);
    f = fopen(path, "r");
    while (f && number > 0 && getline(&text, &capacity, f) >= 0)
        number--;
    if (f && number == 0 && text) {
        text[strcspn(text, "\r\n")] = '\0';
        fprintf(stderr, "    | %s\n", text);
    }
    if (f)
        fclose(f);
    free(text);
    free(path);
}

/* Lines about the function that a kernel's body has become. */
static bool is_noise(const char *line, size_t length)
{
    static const char tail[] = ": In lambda function:";
    size_t size = sizeof tail - 1;

    return length >= size && !memcmp(line + length - size, tail, size);
}

/* Is @word in the line at @at? */
static bool contains(const char *at, size_t length, const char *word)
{
    return memmem(at, length, word, strlen(word));
}

/* What a header of ours refuses has said where it is used and why; that the
 * header declares it helps nobody. */
static bool is_refusal(const char *at, size_t length)
{
    return contains(at, length,
                    " is unavailable: not supported by the virtual");
}
static bool is_about_refusal(const char *at, size_t length)
{
    return contains(at, length, ": note: ") &&
           (contains(at, length, "declared here") ||
            contains(at, length, "explicitly marked unavailable"));
}

/* Names that a message has of a program for a CUDA before 13: see
 * vgpu/older.h. */
static bool is_about_older(const char *at, size_t length)
{
    static const char *const names[] = {
        "clockRate",
        "memoryClockRate",
        "deviceOverlap",
        "computeMode",
        "kernelExecTimeoutEnabled",
        "singleToDoublePrecisionPerfRatio",
        "cooperativeMultiDeviceLaunch",
        "maxTexture1DLinear",
        "cudaThreadSynchronize",
        "cudaThreadExit",
        "to \342\200\230cudaMemLocation",
        "to 'cudaMemLocation'",
        "\342\200\230__shfl",
        "'__shfl",
        "\342\200\230__ballot\342\200\231",
        "'__ballot'",
        "\342\200\230__any\342\200\231",
        "'__any'",
        "\342\200\230__all\342\200\231",
        "'__all'",
        "\342\200\230texture\342\200\231",
        "'texture'",
        "\342\200\230surface\342\200\231",
        "'surface'",
        "cudaBindSurface",
        "cudaBindTexture",
        "cudaUnbindTexture",
        "textureReference",
        "cudaGraphExecUpdateResult",
        "cudaGraphEdgeData",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (contains(at, length, names[i]))
            return true;
    return false;
}

/* The first name in quotes at or behind @at: where it begins, and its size. */
static const char *quoted_name(const char *at, const char *end, size_t *size)
{
    while (at < end && *at != '\'' && strncmp(at, "\342\200\230", 3))
        at++;
    if (at >= end)
        return NULL;
    at += *at == '\'' ? 1 : 3;
    *size = strspn(at, "abcdefghijklmnopqrstuvwxyz_"
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    return at;
}

/* Is what the compiler offers for an unknown name nearly that name? Else it is
 * a guess, and the name may be one that the virtual GPU lacks. */
static bool is_slip(const char *at, size_t length)
{
    static const char words[] = "did you mean";
    const char *end = at + length;
    const char *offer = memmem(at, length, words, sizeof words - 1);
    size_t size = 0, offered = 0, same = 0, tail = 0, longer;
    const char *name = quoted_name(at, end, &size);

    offer = offer ? quoted_name(offer, end, &offered) : NULL;
    if (!offer || !name)
        return false;
    while (same < size && same < offered && name[same] == offer[same])
        same++;
    while (tail < size - same && tail < offered - same &&
           name[size - 1 - tail] == offer[offered - 1 - tail])
        tail++;
    longer = size > offered ? size : offered;
    return longer - same - tail <= 2;
}

/* The name of CUDA's, as cuGreenCtxCreate or CUdevResource, that the error at
 * @at says is unknown, or NULL; its @size. Where the compiler has another name
 * to offer it may be a slip. */
static const char *unknown_name(const char *at, size_t length, size_t *size)
{
    static const char *const starts[] = {"cuda", "cu", "CU"};
    const char *name;

    if (is_slip(at, length))
        return NULL;
    if (!contains(at, length, " not declared") &&
        !contains(at, length, " not been declared") &&
        !contains(at, length, " does not name a type") &&
        !contains(at, length, "undeclared identifier") &&
        !contains(at, length, "unknown type name"))
        return NULL;
    name = quoted_name(at, at + length, size);
    for (size_t i = 0; name && i < 3; i++) {
        const char *rest = name + strlen(starts[i]);

        if (!strncmp(name, starts[i], strlen(starts[i])) &&
            ((*rest >= 'A' && *rest <= 'Z') != (*name == 'C')))
            return name;
    }
    return NULL;
}

/* Names of a library that is not there, each line once: what else the compiler
 * says follows from that. Return: false if there are none. */
static bool print_lacking(const char *at)
{
    const char *said = NULL;

    while (at && *at) {
        size_t length = strcspn(at, "\n");
        size_t file;
        int number = message_place(at, length, &file);
        const char *library = number && contains(at, length, ": error: ")
                                  ? lacking_library(at, length)
                                  : NULL;

        if (library && (!said || strncmp(said, at, strcspn(said, " ")))) {
            fprintf(stderr,
                    "%.*s:%d: error: vgpucc: %s is not supported by the "
                    "virtual GPU\n",
                    (int)file, at, number, library);
            print_source(at, file, number);
        }
        said = library ? at : said;
        at += length + (at[length] == '\n');
    }
    return said;
}

/* Every line of the compiler's, whatever it is about, but for what names our
 * own functions, and what it says twice. */
void diagnose_messages(const char *at)
{
    const char *refusal = NULL;
    const char *unknown = NULL;
    size_t unknown_size = 0;
    bool older = false, error = false;

    if (print_lacking(at)) {
        lacking_print();
        return;
    }
    while (at && *at) {
        size_t length = strcspn(at, "\n");
        size_t file;
        int number = message_place(at, length, &file);
        bool again = refusal && is_refusal(at, length) &&
                     !strncmp(refusal, at, length + 1);

        if (!again && !is_noise(at, length) &&
            !(refusal && is_about_refusal(at, length)))
            fprintf(stderr, "%.*s\n", (int)length, at);
        if (number && !again)
            print_source(at, file, number);
        if (is_refusal(at, length))
            refusal = at;
        error = error || contains(at, length, ": error: ");
        older = older || (number && is_about_older(at, length));
        if (!unknown && number)
            unknown = unknown_name(at, length, &unknown_size);
        at += length + (at[length] == '\n');
    }
    if (error)
        lacking_print();
    if (older)
        fputs("vgpucc: note: CUDA 13 no longer has this; for programs of older "
              "releases set VGPU_CUDA=11 or add -DVGPU_CUDA=11\n",
              stderr);
    else if (unknown)
        fprintf(stderr,
                "vgpucc: note: '%.*s': if nvcc knows this name, the virtual "
                "GPU does not have it; see \"What is not modelled\" in "
                "docs/virtual-gpu.md\n",
                (int)unknown_size, unknown);
}
