/*
 * fault.c: accesses that no device or no host may make
 *
 * A kernel may use device memory of its own device, that of others with peer
 * access, pinned and managed memory, and what the device library says is its
 * own: shared memory, its stacks, its arguments. The program's global variables
 * are let through, since a compiler reads constants there. The host may use
 * anything but device memory.
 *
 * Source: guide, "Unified Virtual Address Space", "Peer-to-Peer Memory Access".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

/*
 * The device library's word on its own memory: shared memory, the stacks of
 * fibers, copies of arguments. Without it every address outside the arena
 * is taken for one of these.
 */
__attribute__((weak)) bool vgpu_exec_owns(const void *address);

#define LINE  256
#define PLACE 512

uintptr_t fault_allowed[FAULT_ALLOWED];
static vgpu_fault_fn *handler;

static VGPU_OWN uintptr_t stack_lo, stack_hi;

void vgpu_check_set_fault(vgpu_fault_fn *fault)
{
    handler = fault;
}

/* ---- memory outside the arena ------------------------------------------ */

void fault_begin(void)
{
    memset(fault_allowed, 0xFF, sizeof fault_allowed);
}

/* A host pointer: on the heap, or in a frame of the code that launched. */
static bool is_host_pointer(uintptr_t address)
{
    if (address < PAGE_BYTES || access_nowhere(address))
        return true;
    if (!vgpu_exec_owns || vgpu_exec_owns((void *)address))
        return false;
    if (!stack_hi)
        whose_stack(&stack_lo, &stack_hi);
    if (address >= stack_lo && address < stack_hi)
        return address > check_thread.stack_top;
    return !whose_program(address);
}

/* The answer is remembered by the page, for this operation: to ask costs a walk
 * over all loaded objects. Not for a page that is watched, whose accesses must
 * come here to be recorded. */
bool fault_permits_outside(uintptr_t address)
{
    uintptr_t number = address >> PAGE_SHIFT;
    struct vgpu_memory *memory;

    if (check_thread.device < 0)
        return true;
    if (fault_outside_known(address))
        return true;
    memory = memory_find(address);
    if (memory && memory->kind == VGPU_MEM_REGISTERED)
        return true;
    if (is_host_pointer(address))
        return false;
    if (!outside_maybe(address))
        fault_allowed[number % FAULT_ALLOWED] = number;
    return true;
}

bool fault_permits(const struct vgpu_memory *memory)
{
    int device = check_thread.device;

    if (memory->kind != VGPU_MEM_DEVICE)
        return true;
    if (device < 0)
        return false;
    return memory->device == device ||
           (device < 64 && (memory->peers >> device & 1));
}

/* ---- messages ---------------------------------------------------------- */

static const char *verb_of(unsigned kind)
{
    return kind == VGPU_READ    ? "reads"
           : kind == VGPU_WRITE ? "writes"
                                : "updates";
}

static void describe_memory(const struct vgpu_memory *memory, char *text,
                            size_t size)
{
    char line[LINE];

    if (!memory->id) {
        snprintf(text, size, "the %s of device %d",
                 memory->owner ? "variables" : "heap", memory->device);
        return;
    }
    snprintf(text, size, "buffer %" PRIu32 " (%zu bytes, %s, from %s)",
             memory->id, memory->bytes, memory_kind_name(memory->kind),
             vgpu_line_format(memory->pc, line, sizeof line));
}

/* Where @address is, in words. */
static void describe_place(uintptr_t address, size_t bytes, char *text,
                           size_t size)
{
    struct vgpu_memory *memory = memory_find_near(address);
    char buffer[PLACE], line[LINE];
    uintptr_t offset;

    if (!memory) {
        snprintf(text, size, "at %#" PRIxPTR ", which no buffer holds",
                 address);
        return;
    }
    offset = address - (uintptr_t)memory->base;
    describe_memory(memory, buffer, sizeof buffer);
    if (memory->free_pc)
        snprintf(text, size, "at byte %" PRIuPTR " of %s, freed at %s", offset,
                 buffer, vgpu_line_format(memory->free_pc, line, sizeof line));
    else if (offset + bytes <= memory->bytes)
        snprintf(text, size, "at byte %" PRIuPTR " of %s", offset, buffer);
    else
        snprintf(text, size, "at byte %" PRIuPTR ", past the end of %s", offset,
                 buffer);
}

/* The most likely mistake first: a null pointer, a pointer to host memory, an
 * address that is odd, another device's memory, and only then a place in or
 * near a buffer. */
static void describe_device_fault(uintptr_t address, size_t bytes,
                                  unsigned kind, char *text, size_t size)
{
    struct vgpu_memory *memory = memory_find(address);
    char place[PLACE + LINE];

    if (address < PAGE_BYTES) {
        snprintf(text, size, "%s %zu bytes through a null pointer",
                 verb_of(kind), bytes);
        return;
    }
    if (!arena_contains((void *)address)) {
        snprintf(text, size,
                 "%s %zu bytes of pageable host memory, which a kernel "
                 "cannot use",
                 verb_of(kind), bytes);
        return;
    }
    describe_place(address, bytes, place, sizeof place);
    if (kind == FAULT_ODD) {
        snprintf(text, size,
                 "uses %zu bytes %s: the address is not a multiple of %zu",
                 bytes, place, bytes);
        return;
    }
    if (memory && !memory->free_pc && !fault_permits(memory))
        snprintf(text, size,
                 "%s %zu bytes %s: memory of device %d, used by device %d "
                 "without peer access",
                 verb_of(kind), bytes, place, memory->device,
                 check_thread.device);
    else
        snprintf(text, size, "%s %zu bytes %s", verb_of(kind), bytes, place);
}

/* The handler ends the kernel and does not come back; without one (unit tests)
 * there is nothing to go back to. The line is the kernel's, which may be in a
 * file that its caller did not write: so the launch is told, too. */
void fault_device(uintptr_t address, size_t bytes, unsigned kind, uint64_t pc)
{
    const struct vgpu_check_op *const op = check_thread.op;
    const uint64_t launch_pc = op ? op->origin->pc : 0;
    char what[2 * PLACE], line[LINE], launch[LINE], text[3 * PLACE];

    check_lock();
    describe_device_fault(address, bytes, kind, what, sizeof what);
    vgpu_line_format(launch_pc, launch, sizeof launch);
    snprintf(text, sizeof text, "%s %s%s%s",
             vgpu_line_format(pc, line, sizeof line), what,
             launch_pc ? "; launched at " : "", launch_pc ? launch : "");
    report_fault(kind == FAULT_ODD ? 716 : 700, pc, launch_pc, what);
    check_unlock();
    if (handler) {
        handler((void *)address, bytes, (int)kind, pc, text);
        return;
    }
    say("vgpu: %s\n", text);
    abort();
}

/* A host access to pinned memory just past its end: wrong, but alive. */
static bool host_overrun(uintptr_t address, size_t bytes, unsigned kind,
                         uint64_t pc)
{
    struct vgpu_memory *memory = memory_find_near(address);
    uintptr_t last = address + bytes - 1;
    char buffer[PLACE];

    if (!memory || memory->free_pc || memory->kind == VGPU_MEM_DEVICE ||
        (last - (uintptr_t)memory->base) / PAGE_BYTES >
            (memory->bytes - 1) / PAGE_BYTES)
        return false;
    describe_memory(memory, buffer, sizeof buffer);
    check_unlock();
    vgpu_check_warn(pc, "host code %s %zu bytes past the end of %s",
                    verb_of(kind), bytes, buffer);
    check_lock();
    return true;
}

/* A segmentation fault, as it would be on a machine with a real GPU, but with a
 * line that says what was touched. */
void fault_host(uintptr_t address, size_t bytes, unsigned kind, uint64_t pc)
{
    struct vgpu_memory *memory;
    char place[PLACE + 2 * LINE], line[LINE];
    const char *advice = "";

    check_lock();
    if (host_overrun(address, bytes, kind, pc)) {
        check_unlock();
        return;
    }
    memory = memory_find(address);
    if (memory && memory->kind == VGPU_MEM_DEVICE && !memory->free_pc)
        advice = "; copy it to the host with cudaMemcpy first";
    describe_place(address, bytes, place, sizeof place);
    fflush(stdout);
    say("vgpu: %s: host code %s %zu bytes %s%s\n",
        vgpu_line_format(pc, line, sizeof line), verb_of(kind), bytes, place,
        advice);
    snprintf(place, sizeof place, "host code %s memory that it cannot use",
             verb_of(kind));
    report_fault(139, pc, 0, place);
    check_unlock();
    whose_end();
}

/* An address that is not there in WebAssembly either: what is said of a trap
 * follows. */
void fault_nowhere(void)
{
    *(volatile char *)UINTPTR_MAX = 0;
}
