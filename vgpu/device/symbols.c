/*
 * symbols.c: variables declared __device__, __constant__ or __managed__.
 *
 * The front end puts them into sections of their own. The linker makes the
 * sections' ends known by name. Code refers to a variable by the one address
 * that the linker gave it, but each device has a variable of its own, with an
 * address that the host may ask for and hand to any call. So each device has a
 * copy of a section in the arena, and while it works, the same memory is mapped
 * over the section as well. Kernels run one at a time: nobody sees the change.
 */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu_check.h"
#include "vgpu_exec.h"

/* Only whole pages can be mapped: one of these comes last in each section, as
 * the library does behind the program, and has it begin and end with a page. */
#ifdef __aarch64__
#define PAGE 65536
#else
#define PAGE 4096
#endif
#define LAST(name)                                                             \
    __attribute__((section(#name), aligned(PAGE), used)) name##_last[PAGE]
static char LAST(vgpu_vars);
static const char LAST(vgpu_consts);

#define SECTION(name)                                                          \
    extern char __start_##name[] __attribute__((weak, visibility("hidden")));  \
    extern char __stop_##name[] __attribute__((weak, visibility("hidden")))
SECTION(vgpu_vars);
SECTION(vgpu_consts);
SECTION(vgpu_managed);

/* One of the two that exist once for each device. */
static struct section {
    char *start, *stop;
    void *initial;               /* as the program was loaded */
    struct vgpu_memory **copies; /* by device; NULL: not made yet */
    int num_copies;
    int in_place; /* whose copy is mapped here; 0 is nobody's, else + 1 */
} sections[2] = {
    {.start = __start_vgpu_vars, .stop = __stop_vgpu_vars},
    {.start = __start_vgpu_consts, .stop = __stop_vgpu_consts},
};
#define SECTIONS (sections + sizeof sections / sizeof *sections)

static size_t bytes_of(const struct section *s)
{
    return (size_t)(s->stop - s->start);
}

static void *require(void *memory)
{
    if (!memory) {
        fprintf(stderr, "vgpu: no memory for __device__ variables\n");
        abort();
    }
    return memory;
}

static struct vgpu_memory *copy_of(struct section *s, int device)
{
    const size_t bytes = bytes_of(s);
    struct vgpu_memory *made;

    if (!s->initial)
        s->initial = memcpy(require(malloc(bytes)), s->start, bytes);
    if (device >= s->num_copies) {
        s->copies = require(realloc((void *)s->copies,
                                    ((size_t)device + 1) * sizeof *s->copies));
        while (s->num_copies <= device)
            s->copies[s->num_copies++] = NULL;
    }
    if (s->copies[device])
        return s->copies[device];
    made = require(vgpu_memory_unnumbered(bytes, device, s->start));
    if (!vgpu_symbols_share(made->base, bytes))
        require(NULL);
    memcpy(made->base, s->initial, bytes);
    s->copies[device] = made;
    return made;
}

/* Has the program variables there, and can a device's be mapped? */
static bool is_used(const struct section *s)
{
    return bytes_of(s) > PAGE && (uintptr_t)s->start % PAGE == 0 &&
           bytes_of(s) % PAGE == 0;
}

/* Constants can be sealed: then they stay what they are, which is what they are
 * on each device unless the host changes one by name. */
void vgpu_symbols_activate(int device)
{
    for (struct section *s = sections; s < SECTIONS; s++) {
        struct vgpu_memory *copy;

        if (!is_used(s) || device < 0 || s->in_place == device + 1)
            continue;
        copy = copy_of(s, device);
        if (vgpu_symbols_show(s->start, copy->base, bytes_of(s)))
            s->in_place = device + 1;
        vgpu_check_alias(s->start, bytes_of(s), copy->base);
    }
}

void vgpu_symbols_done(void)
{
    for (struct section *s = sections; s < SECTIONS; s++)
        if (s->in_place && vgpu_symbols_take(s->copies[s->in_place - 1]->base,
                                             s->start, bytes_of(s)))
            s->in_place = 0;
}

void vgpu_symbols_watch(void)
{
    const size_t bytes = (size_t)((uintptr_t)__stop_vgpu_managed -
                                  (uintptr_t)__start_vgpu_managed);

    if (bytes)
        vgpu_memory_managed_variables(__start_vgpu_managed, bytes);
}

static bool within(const char *address, const char *start, const char *stop)
{
    return (uintptr_t)address >= (uintptr_t)start &&
           (uintptr_t)address < (uintptr_t)stop;
}

bool vgpu_symbols_contain(const void *address)
{
    return within(address, __start_vgpu_vars, __stop_vgpu_vars) ||
           within(address, __start_vgpu_consts, __stop_vgpu_consts) ||
           vgpu_symbols_managed(address);
}

bool vgpu_symbols_managed(const void *address)
{
    return within(address, __start_vgpu_managed, __stop_vgpu_managed);
}

struct vgpu_memory *vgpu_symbols_memory(const void *address, int device)
{
    for (struct section *s = sections; s < SECTIONS; s++)
        if (is_used(s) && within(address, s->start, s->stop))
            return copy_of(s, device);
    return NULL;
}

void vgpu_symbols_reset(int device)
{
    for (struct section *s = sections; s < SECTIONS; s++)
        if (device < s->num_copies && s->copies[device])
            memcpy(s->copies[device]->base, s->initial, bytes_of(s));
}
