/* lines.c: source lines of the program's calls, found with addr2line
 *
 * While the program runs only addresses are kept, which costs a few
 * microseconds for each call; what they mean is asked at the end, for all of
 * them at once. addr2line belongs to binutils and is there wherever nvcc can
 * link.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lines.h"

#include "store_data.h"

#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The runtime's own frames come first; each one costs the program time. */
#define MAX_DEPTH   16
#define MAX_TEXT    1024
#define MAX_INLINED 8

/* A frame is in a function, which may be inlined in another, and so on:
 * innermost first. */
struct place {
    const void *frame;
    int depth;
    char *functions[MAX_INLINED];
    char *lines[MAX_INLINED]; /* NULL where it is not known */
};

static struct place *places;
static size_t num_places;
static uintptr_t base, low, high; /* of the program in memory */

/* The first object is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    base = info->dlpi_addr;
    low = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = base + header->p_vaddr;

        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        if (start < low)
            low = start;
        if (start + header->p_memsz > high)
            high = start + header->p_memsz;
    }
    return 1;
}

/* backtrace() begins here and goes outwards; what is not in the program's own
 * code, the runtime and this library, is left out. So is code in libraries,
 * such as modules of Python.
 */
void lines_capture(const void **frames, size_t num)
{
    void *stack[MAX_DEPTH];
    int depth;
    size_t used = 0;

    if (high == 0)
        dl_iterate_phdr(find_program, NULL);
    depth = backtrace(stack, MAX_DEPTH);
    for (int i = 0; i < depth && used < num; i++)
        if ((uintptr_t)stack[i] >= low && (uintptr_t)stack[i] < high)
            frames[used++] = stack[i];
    while (used < num)
        frames[used++] = NULL;
}

static int order_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* All frames of the store, each once. */
static void collect(void)
{
    size_t num = 0, kept = 0;

    places =
        calloc((store_all.num_stacks + store_all.num_ranges) * STORE_FRAMES + 1,
               sizeof *places);
    if (!places)
        return;
    for (size_t i = 0; i < store_all.num_stacks + store_all.num_ranges; i++) {
        const void *const *frames =
            i < store_all.num_stacks
                ? store_all.stacks[i].frames
                : store_all.ranges[i - store_all.num_stacks].frames;

        for (int k = 0; k < STORE_FRAMES && frames[k]; k++)
            places[num++].frame = frames[k];
    }
    qsort(places, num, sizeof *places, order_places);
    for (size_t i = 0; i < num; i++)
        if (kept == 0 || places[kept - 1].frame != places[i].frame)
            places[kept++] = places[i];
    num_places = kept;
}

/* Of a kernel's stub, and of what the toolkit's headers define (cudaMalloc of a
 * type, the calls of NVTX), no line says anything: their caller's does. */
static bool is_of_the_toolkit(const char *line)
{
    static const char *const parts[] = {".stub.c:", "/cuda_runtime", "/nvtx3/",
                                        NULL};

    for (int i = 0; parts[i]; i++)
        if (strstr(line, parts[i]))
            return true;
    return false;
}

/* Some lines of NAME.cu are in tmpxft_NUMBERS-6_NAME.cudafe1.cpp, which nvcc
 * makes of it; their number is that of NAME.cu. Return: NULL, it is not so. */
static char *original_line(const char *name)
{
    const char *own = strchr(name, '-'), *end = strstr(name, ".cudafe1.cpp:");
    char *line;

    own = own ? strchr(own, '_') : NULL;
    if (strncmp(name, "tmpxft_", 7) != 0 || !own || !end || own > end)
        return NULL;
    own++;
    if (asprintf(&line, "%.*s.cu:%s", (int)(end - own), own,
                 strchr(end, ':') + 1) < 0)
        return NULL;
    return line;
}

char *lines_short(char *line)
{
    char folder[MAX_TEXT], *original;
    char *space = strchr(line, ' '), *slash = strrchr(line, '/');
    const char *const name = slash ? slash + 1 : line;
    size_t len;

    if (space)
        *space = '\0'; /* " (discriminator 2)" */
    if (line[0] == '?' || strstr(line, ":?") || strstr(line, ":0"))
        return NULL;
    if (is_of_the_toolkit(line))
        return NULL;
    original = original_line(name);
    if (original)
        return original;
    if (getcwd(folder, sizeof folder)) {
        len = strlen(folder);
        if (strncmp(line, folder, len) == 0 && line[len] == '/')
            return strdup(line + len + 1);
    }
    return strdup(name);
}

/* A return address stands behind the call: one byte back is in it. In memory,
 * because a program need not have a folder that it may write to. */
static int write_addresses(void)
{
    const int fd = memfd_create("addresses", 0);

    for (size_t i = 0; fd >= 0 && i < num_places; i++)
        dprintf(fd, "%#lx\n",
                (unsigned long)((uintptr_t)places[i].frame - base - 1));
    return fd;
}

/* addr2line -a -i -f answers with the address, then with two lines for each
 * function there, the inner ones first. */
static void read_answers(FILE *in)
{
    char function[MAX_TEXT], line[MAX_TEXT];
    struct place *place = NULL;
    size_t next = 0;

    while (fgets(function, sizeof function, in)) {
        if (strncmp(function, "0x", 2) == 0) {
            place = next < num_places ? &places[next++] : NULL;
            continue;
        }
        if (!fgets(line, sizeof line, in))
            return;
        if (!place || place->depth == MAX_INLINED)
            continue;
        function[strcspn(function, "\n")] = '\0';
        line[strcspn(line, "\n")] = '\0';
        place->functions[place->depth] = strdup(function);
        place->lines[place->depth++] = lines_short(line);
    }
}

/* Both files by descriptor: the program's may have lost its name. */
static void ask(int program, int addresses)
{
    char command[160];
    FILE *in;

    snprintf(command, sizeof command,
             "exec addr2line -a -i -f -e /proc/self/fd/%d </proc/self/fd/%d "
             "2>/dev/null",
             program, addresses);
    in = popen(command, "r");
    if (!in)
        return;
    read_answers(in);
    pclose(in);
}

void lines_resolve(void)
{
    int program, addresses;

    collect();
    if (num_places == 0)
        return;
    program = open("/proc/self/exe", O_RDONLY);
    addresses = write_addresses();
    if (program >= 0 && addresses >= 0)
        ask(program, addresses);
    if (program >= 0)
        close(program);
    if (addresses >= 0)
        close(addresses);
}

/* A launch is made in a stub that nvcc writes: it has the kernel's name, and
 * its caller is where the student wrote <<< >>>. NVTX is functions in headers,
 * those of C++ in a namespace: where they are not inlined, addr2line takes them
 * for functions of the program's own file.
 */
static bool is_between(const char *function, const char *skip)
{
    return strstr(function, "__device_stub__") ||
           (*skip && strcmp(function, skip) == 0) ||
           strncmp(function, "nvtx", 4) == 0 || strstr(function, "5nvtx3");
}

/* Innermost first, so that a call inside an inlined function has that line. */
static const char *line_in(const struct place *place, const char *skip)
{
    for (int i = 0; i < place->depth; i++)
        if (place->lines[i] && place->functions[i] &&
            !is_between(place->functions[i], skip))
            return place->lines[i];
    return NULL;
}

const char *lines_of(const void *const *frames, size_t num, const char *skip)
{
    for (size_t i = 0; i < num && frames[i]; i++) {
        const struct place key = {.frame = frames[i]};
        const struct place *place =
            num_places
                ? bsearch(&key, places, num_places, sizeof key, order_places)
                : NULL;
        const char *line = place ? line_in(place, skip) : NULL;

        if (line)
            return line;
    }
    return NULL;
}

void lines_clear(void)
{
    for (size_t i = 0; i < num_places; i++)
        for (int k = 0; k < places[i].depth; k++) {
            free(places[i].functions[k]);
            free(places[i].lines[k]);
        }
    free(places);
    places = NULL;
    num_places = 0;
}
