/*
 * exceptions_wasm.c: `throw` in a browser. The C++ library there has no
 * exceptions: what is thrown ends the program, in the words of a program where
 * nothing catches it, and with the line.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt.h"
#include "vgpu/caller.h"

/* Of the C++ ABI: how a std::type_info begins. */
struct type {
    const void *functions;
    const char *name;
};

VGPU_PUBLIC void *__cxa_allocate_exception(size_t size);
VGPU_PUBLIC void __cxa_free_exception(void *thrown);
VGPU_PUBLIC void *__cxa_init_primary_exception(void *thrown,
                                               const struct type *type,
                                               void (*destroy)(void *));
VGPU_PUBLIC _Noreturn void __cxa_throw(void *thrown, const struct type *type,
                                       void (*destroy)(void *));
VGPU_PUBLIC _Noreturn void __cxa_rethrow(void);
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

void *__cxa_allocate_exception(size_t size)
{
    void *const thrown = malloc(size);

    if (!thrown)
        abort();
    return thrown;
}

void __cxa_free_exception(void *thrown)
{
    free(thrown);
}

/* One that std::promise keeps, and perhaps never throws. */
void *__cxa_init_primary_exception(void *thrown, const struct type *type,
                                   void (*destroy)(void *))
{
    (void)type;
    (void)destroy;
    return thrown;
}

static _Noreturn void end(uintptr_t pc)
{
    vgpu_check_crash(VGPU_REPORT_crash_exception, pc,
                     &(struct vgpu_report){.code = SIGABRT});
    abort();
}

void __cxa_throw(void *thrown, const struct type *type, void (*destroy)(void *))
{
    const uintptr_t pc = (uintptr_t)VGPU_CALLER();
    const char *const name = __cxa_demangle(type->name, NULL, NULL, NULL);

    (void)thrown;
    (void)destroy;
    fflush(stdout);
    fprintf(stderr, "terminate called after throwing an instance of '%s'\n",
            name ? name : type->name);
    end(pc);
}

void __cxa_rethrow(void)
{
    end((uintptr_t)VGPU_CALLER());
}
