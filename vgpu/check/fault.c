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

#define PLACE 512

void vgpu_check_set_device(const struct vgpu_check_device *device)
{
    checker.fault.device = *device;
}

/* ---- memory outside the arena ------------------------------------------ */

void fault_begin(void)
{
    memset(checker.fault.allowed, 0xFF, sizeof checker.fault.allowed);
}

void vgpu_check_op_given(struct vgpu_check_op *op, unsigned number,
                         uintptr_t word)
{
    if (op && word >= PAGE_BYTES && !arena_contains((void *)word) &&
        op->num_given < sizeof op->given / sizeof *op->given)
        op->given[op->num_given++] = (struct given){word, number};
}

static bool is_on_stack(uintptr_t address)
{
    return address >= check_thread.stack_lo && address < check_thread.stack_hi;
}

static const char *host_memory_sort(uintptr_t address)
{
    return is_on_stack(address)     ? "a local variable, on the stack"
           : whose_program(address) ? "a variable of the host's"
                                    : "memory of malloc, new or the like";
}

/* The argument that @address was most likely worked out from, or NULL: the
 * nearest one below that is an address of memory of the same sort. */
static const struct given *given_for(uintptr_t address)
{
    const struct vgpu_check_op *const op = check_thread.op;
    const struct given *found = NULL;

    for (unsigned i = 0; op && i < op->num_given; i++) {
        const struct given *const one = &op->given[i];

        if (one->word <= address && (!found || one->word > found->word) &&
            pages_are_there(one->word) &&
            host_memory_sort(one->word) == host_memory_sort(address))
            found = one;
    }
    return found;
}

/* The program's own variables hold constants of device code, too. But one that
 * is named by an argument is the host's: device code has its own address. */
static bool is_variable_of_host(uintptr_t address)
{
    const struct given *const given = given_for(address);
    const void *at;
    size_t bytes;

    return given && given->word == address &&
           !vgpu_variable_find((const void *)address, &at, &bytes);
}

/* A host pointer: on the heap, or in a frame of the code that launched. */
static bool is_host_pointer(uintptr_t address)
{
    if (address < PAGE_BYTES || access_nowhere(address))
        return true;
    if (!checker.fault.device.owns ||
        checker.fault.device.owns((void *)address))
        return false;
    if (!check_thread.stack_hi)
        whose_stack(&check_thread.stack_lo, &check_thread.stack_hi);
    if (is_on_stack(address))
        return address > check_thread.stack_top;
    return !whose_program(address) || is_variable_of_host(address);
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
        checker.fault.allowed[number % FAULT_ALLOWED] = number;
    return true;
}

bool vgpu_memory_reaches(const struct vgpu_memory *memory, int device)
{
    return !memory->guarded || device < 0 ||
           (device < 64 && (memory->peers >> device & 1));
}

bool fault_permits(const struct vgpu_memory *memory)
{
    int device = check_thread.device;

    if (memory->kind != VGPU_MEM_DEVICE)
        return vgpu_memory_reaches(memory, device);
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

/* Is @address nearer to the beginning of @next than to the end of @before? */
static bool is_ahead(uintptr_t address, const struct vgpu_memory *before,
                     const struct vgpu_memory *next)
{
    const uintptr_t beyond =
        before ? (uintptr_t)before->base + before->bytes : 0;

    return address >= beyond &&
           (uintptr_t)next->base - address < address - beyond;
}

/* Where @address is, in words, and what is wrong with that. Behind each buffer
 * and ahead of the first one is room that is nobody's: what is nearer to the
 * next one than to this one is meant to be of that. */
static enum vgpu_report_kind describe_place(uintptr_t address, size_t bytes,
                                            char *text, size_t size)
{
    struct vgpu_memory *memory = memory_find_near(address);
    const struct vgpu_memory *const next = memory_find_next(address);
    const bool inside = arena_contains((void *)address);
    char buffer[PLACE], line[LINE];
    uintptr_t offset;

    if (inside && next && !next->free_pc && is_ahead(address, memory, next)) {
        describe_memory(next, buffer, sizeof buffer);
        snprintf(text, size, "at byte -%" PRIuPTR ", ahead of %s",
                 (uintptr_t)next->base - address, buffer);
        return VGPU_REPORT_ahead_of_begin;
    }
    if (!memory || (!inside && !memory_find(address))) {
        snprintf(text, size, "at %#" PRIxPTR ", which no buffer holds",
                 address);
        return VGPU_REPORT_no_buffer;
    }
    offset = address - (uintptr_t)memory->base;
    describe_memory(memory, buffer, sizeof buffer);
    if (memory->free_pc) {
        snprintf(text, size, "at byte %" PRIuPTR " of %s, freed at %s", offset,
                 buffer, vgpu_line_format(memory->free_pc, line, sizeof line));
        return VGPU_REPORT_after_free;
    }
    if (offset + bytes <= memory->bytes) {
        snprintf(text, size, "at byte %" PRIuPTR " of %s", offset, buffer);
        return VGPU_REPORT_not_usable;
    }
    snprintf(text, size, "at byte %" PRIuPTR ", past the end of %s", offset,
             buffer);
    return VGPU_REPORT_past_end;
}

/* The most likely mistake first: a null pointer, a pointer to host memory, one
 * to nothing at all, an address that is odd, another device's memory, and only
 * then a place in or near a buffer. @place has room for PLACE + LINE. */
static enum vgpu_report_kind describe_fault(uintptr_t address, unsigned kind,
                                            struct vgpu_report *report,
                                            char *place)
{
    const struct vgpu_memory *const memory = memory_find(address);
    enum vgpu_report_kind found;

    if (address < PAGE_BYTES)
        return VGPU_REPORT_null_pointer;
    if (!arena_contains((void *)address) && pages_are_there(address)) {
        const struct given *const given = given_for(address);

        if (given)
            snprintf(place, PLACE, "argument %u leads to", given->number);
        report->reason = given ? place : "it is";
        report->memory = host_memory_sort(address);
        return VGPU_REPORT_host_memory;
    }
    found = describe_place(address, (size_t)report->bytes, place, PLACE + LINE);
    report->place = place;
    report->device = check_thread.device;
    if (kind == FAULT_ODD)
        return VGPU_REPORT_misaligned;
    if (!memory || memory->free_pc || fault_permits(memory))
        return found;
    if (memory->guarded)
        return VGPU_REPORT_not_usable;
    report->owner = memory->device;
    report->reason = memory->flags & VGPU_MEMORY_POOL
                         ? "the access that cudaMemPoolSetAccess gives"
                         : "peer access";
    return VGPU_REPORT_no_peer_access;
}

/* The device's fault() ends the kernel and does not come back; without one, as
 * in unit tests, there is nothing to go back to. The line is the kernel's,
 * which may be in a file that its caller did not write: so the launch is told,
 * too. */
void fault_device(uintptr_t address, size_t bytes, unsigned kind, uint64_t pc)
{
    const struct vgpu_check_op *const op = check_thread.op;
    const uint64_t launch_pc = op ? op->origin->pc : 0;
    const struct vgpu_launched *const graph = op ? &op->origin->launched : NULL;
    char place[PLACE + LINE], what[2 * PLACE], line[LINE], launch[LINE];
    char text[4 * PLACE], in[LINE] = "";
    struct vgpu_report report = {.verb = verb_of(kind),
                                 .bytes = (int64_t)bytes,
                                 .code = kind == FAULT_ODD ? 716 : 700};
    enum vgpu_report_kind found;

    check_lock();
    found = describe_fault(address, kind, &report, place);
    vgpu_report_words(what, sizeof what, found, &report);
    vgpu_line_format(launch_pc, launch, sizeof launch);
    if (graph && graph->id)
        vgpu_line_format(graph->pc, in, sizeof in);
    snprintf(text, sizeof text, "%s %s%s%s%s%s",
             vgpu_line_format(pc, line, sizeof line), what,
             !launch_pc ? ""
             : *in      ? "; a node made at "
                        : "; launched at ",
             launch_pc ? launch : "", *in ? ", of the graph launched at " : "",
             in);
    report.from = launch_pc ? launch : "";
    report_fault(found, pc, &report);
    check_unlock();
    if (checker.fault.device.fault) {
        checker.fault.device.fault((void *)address, bytes, (int)kind, pc, text);
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
    vgpu_warn(host_overrun, pc, .verb = verb_of(kind), .bytes = (int64_t)bytes,
              .place = buffer);
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
        advice = kind == VGPU_READ
                     ? "; copy it to the host with cudaMemcpy first"
                     : "; write to memory of the host, and copy that to the "
                       "device with cudaMemcpy";
    describe_place(address, bytes, place, sizeof place);
    fflush(stdout);
    say("vgpu: %s: host code %s %zu bytes %s%s\n",
        vgpu_line_format(pc, line, sizeof line), verb_of(kind), bytes, place,
        advice);
    report_fault(VGPU_REPORT_host_access, pc,
                 &(struct vgpu_report){.verb = verb_of(kind), .code = 139});
    check_unlock();
    whose_end();
}

void fault_apart(const struct origin *has, unsigned kind, uint64_t pc)
{
    char from[LINE];

    fflush(stdout);
    vgpu_check_crash(VGPU_REPORT_managed_apart, pc,
                     &(struct vgpu_report){
                         .verb = verb_of(kind),
                         .what = has->what,
                         .from = vgpu_line_format(has->pc, from, sizeof from),
                         .code = 139});
    whose_end();
}

/* An address that is not there in WebAssembly either: what is said of a trap
 * follows. */
void fault_nowhere(void)
{
    *(volatile char *)UINTPTR_MAX = 0;
}
