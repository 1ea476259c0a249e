/* lines.c: source lines of the program's calls, found with addr2line */
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
#define MAX_DEPTH 16
#define MAX_TEXT  1024

struct place {
    const void *frame;
    char *function, *line; /* line is NULL where it is not known */
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

    places = calloc(store_all.num_stacks * STORE_FRAMES + 1, sizeof(*places));
    if (!places)
        return;
    for (size_t i = 0; i < store_all.num_stacks; i++)
        for (int k = 0; k < STORE_FRAMES; k++)
            if (store_all.stacks[i].frames[k])
                places[num++].frame = store_all.stacks[i].frames[k];
    qsort(places, num, sizeof(*places), order_places);
    for (size_t i = 0; i < num; i++)
        if (kept == 0 || places[kept - 1].frame != places[i].frame)
            places[kept++] = places[i];
    num_places = kept;
}

/* Within the working folder a relative name, elsewhere the last part. */
static char *short_line(char *line)
{
    char folder[MAX_TEXT];
    char *space = strchr(line, ' '), *slash = strrchr(line, '/');
    size_t len;

    if (space)
        *space = '\0'; /* " (discriminator 2)" */
    if (line[0] == '?' || strstr(line, ":?") || strstr(line, ":0"))
        return NULL;
    if (strstr(line, ".stub.c:"))
        return NULL;
    if (getcwd(folder, sizeof(folder))) {
        len = strlen(folder);
        if (strncmp(line, folder, len) == 0 && line[len] == '/')
            return strdup(line + len + 1);
    }
    return strdup(slash ? slash + 1 : line);
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

/* addr2line -f answers with two lines for each address. */
static void read_answers(FILE *in)
{
    char function[MAX_TEXT], line[MAX_TEXT];

    for (size_t i = 0; i < num_places; i++) {
        if (!fgets(function, sizeof(function), in) ||
            !fgets(line, sizeof(line), in))
            return;
        function[strcspn(function, "\n")] = '\0';
        line[strcspn(line, "\n")] = '\0';
        places[i].function = strdup(function);
        places[i].line = short_line(line);
    }
}

/* Both files by descriptor: the program's may have lost its name. */
static void ask(int program, int addresses)
{
    char command[160];
    FILE *in;

    snprintf(command, sizeof(command),
             "exec addr2line -f -e /proc/self/fd/%d </proc/self/fd/%d "
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

const char *lines_of(const void *const *frames, size_t num, const char *skip)
{
    for (size_t i = 0; i < num && frames[i]; i++) {
        struct place key = {.frame = frames[i]};
        struct place *place = num_places ? bsearch(&key, places, num_places,
                                                   sizeof(key), order_places)
                                         : NULL;

        if (!place || !place->line || !place->function ||
            strstr(place->function, "__device_stub__") ||
            (*skip && strcmp(place->function, skip) == 0))
            continue;
        return place->line;
    }
    return NULL;
}

void lines_clear(void)
{
    for (size_t i = 0; i < num_places; i++) {
        free(places[i].function);
        free(places[i].line);
    }
    free(places);
    places = NULL;
    num_places = 0;
}
