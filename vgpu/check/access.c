/*
 * access.c: the callbacks that -fsanitize=thread puts into a program
 *
 * The compiler writes a call before every access to memory. The sanitizer's own
 * library, which would look for races of host threads, is not linked: these
 * functions have its names. An access of device memory by a kernel takes a
 * comparison or two here (access.h); what needs a lock is left to track.c.
 *
 * The caller's address is the access's program counter, so nothing may come
 * between: these call others only last, or not at all.
 */
#include <string.h>
#include "access.h"
#include "race.h"

/* vgpu/program.h has it, in a program that clang compiled. */
extern const char vgpu_by_clang __attribute__((weak));

/* Set the bits of 1 to 16 bytes. */
static void mark(uintptr_t offset, size_t bytes, enum set_index set)
{
    uint8_t *bits = checker.arena.bits[set] + offset / 8;

    for (uint32_t left = ((1u << bytes) - 1) << offset % 8; left; left >>= 8)
        *bits++ |= (uint8_t)left;
}

/* Device code at one of its variables, of 1 to 16 bytes: what access_bits does
 * for a number of bytes that is not known there. */
static void access_variable(uintptr_t address, size_t bytes, enum set_index set,
                            uint64_t pc)
{
    const uintptr_t offset = address - checker.arena.base;
    const struct page *page = arena_page(offset);

    if (page->serial[set] != check_thread.serial ||
        offset % PAGE_BYTES + bytes > page->valid) {
        access_arena(address, bytes, set, pc);
        return;
    }
    mark(offset, bytes, set);
}

/* A read of a page that is not written everywhere, and of bytes that somebody
 * has written: as their contents show. */
static bool is_written(const struct page *page, uintptr_t address, size_t bytes,
                       enum set_index set)
{
    return set != SET_WRITE && !checker.arena.watched &&
           page->serial[set] == (check_thread.serial | SERIAL_WATCHED) &&
           address % PAGE_BYTES + bytes <= page->valid &&
           !unwritten_fill(address, bytes);
}

/* Device code that is watched gets its own words, by access_slow(). */
static void host_nowhere(uintptr_t address)
{
    if (access_nowhere(address) &&
        (check_thread.serial >= SERIAL_NONE || check_thread.device < 0))
        fault_nowhere();
}

void access_outside(uintptr_t address, size_t bytes, enum set_index set,
                    uint64_t pc)
{
    const uintptr_t variable =
        check_thread.serial == SERIAL_HOST ? 0 : variable_alias(address);

    host_nowhere(address);
    if (variable)
        access_variable(variable, bytes, set, pc);
    else if (access_wanted(address))
        access_slow(address, bytes, set, pc);
}

void access_arena(uintptr_t address, size_t bytes, enum set_index set,
                  uint64_t pc)
{
    uintptr_t offset = address - checker.arena.base;

    if (check_thread.serial != SERIAL_HOST) {
        struct page *page = arena_page(offset);

        if (is_written(page, address, bytes, set)) {
            mark(offset, bytes, set);
            return;
        }
        if (set < RUN_SETS &&
            page->serial[set] == (check_thread.serial | SERIAL_RUN) &&
            offset % PAGE_BYTES + bytes <= PAGE_BYTES &&
            run_add(page, set, address, bytes))
            return;
    }
    access_slow(address, bytes, set, pc);
}

/* clang makes one access of two that lie side by side, of eight bytes each, and
 * calls it aligned. */
static bool may_be_two(uintptr_t address, size_t bytes)
{
    return &vgpu_by_clang && bytes == 16 && address % 8 == 0;
}

void access_odd(uintptr_t address, size_t bytes, enum set_index set,
                uint64_t pc)
{
    if (check_thread.serial != SERIAL_HOST && check_thread.device >= 0 &&
        !may_be_two(address, bytes))
        fault_device(address, bytes, FAULT_ODD, pc);
    access_arena(address, bytes, set, pc);
}

void access_range(const void *base, size_t bytes, enum set_index set,
                  uint64_t pc)
{
    uintptr_t address = (uintptr_t)base;

    if (!bytes)
        return;
    host_nowhere(address);
    if (!arena_contains(base) && check_thread.serial != SERIAL_HOST &&
        variable_alias(address)) {
        access_slow(variable_alias(address), bytes, set, pc);
        return;
    }
    if (!arena_contains(base) && bytes >> OUTSIDE_SHIFT == 0 &&
        !access_wanted(address) && !access_wanted(address + bytes - 1))
        return;
    access_slow(address, bytes, set, pc);
}

/* Rows of a surface may begin at any address, and so it is no fault of the
 * program's. */
void vgpu_check_touch(const void *at, size_t bytes, enum vgpu_access_kind kind,
                      uint64_t pc)
{
    const enum set_index set = kind == VGPU_WRITE ? SET_WRITE : SET_READ;

    if (check_thread.serial == SERIAL_NONE)
        return;
    switch (bytes) {
    case 1:
        access_bits((uintptr_t)at, 1, set, pc, false);
        break;
    case 4:
        access_bits((uintptr_t)at, 4, set, pc, false);
        break;
    case 16:
        access_bits((uintptr_t)at, 16, set, pc, false);
        break;
    default:
        access_range(at, bytes, set, pc);
    }
}

/* From here on, all that is not static is for programs. */
#pragma GCC visibility push(default)

/* ---- plain accesses ---------------------------------------------------- */

/* What the callbacks leave to others. */
#define MORE(bytes, set)                                                       \
    static __attribute__((noinline)) void more##bytes##_##set(                 \
        uintptr_t address, uint64_t pc)                                        \
    {                                                                          \
        access_bits(address, bytes, set, pc, true);                            \
    }
#define MORE_BOTH(bytes) MORE(bytes, SET_READ) MORE(bytes, SET_WRITE)

MORE_BOTH(1)
MORE_BOTH(2)
MORE_BOTH(4)
MORE_BOTH(8)
MORE_BOTH(16)

#define ACCESS(prefix, bytes, set)                                             \
    void __tsan_##prefix##bytes(void *at);                                     \
    void __tsan_##prefix##bytes(void *at)                                      \
    {                                                                          \
        if (UNLIKELY(!access_run((uintptr_t)at, bytes, set)))                  \
            more##bytes##_##set((uintptr_t)at, ACCESS_PC());                   \
    }
#define ACCESS_ODD(prefix, bytes, set)                                         \
    void __tsan_##prefix##bytes(void *at);                                     \
    void __tsan_##prefix##bytes(void *at)                                      \
    {                                                                          \
        access_bits((uintptr_t)at, bytes, set, ACCESS_PC(), false);            \
    }
#define ACCESS_AT(prefix, bytes, set)                                          \
    void __tsan_##prefix##bytes##_pc(void *at, void *pc);                      \
    void __tsan_##prefix##bytes##_pc(void *at, void *pc)                       \
    {                                                                          \
        if (UNLIKELY(!access_run((uintptr_t)at, bytes, set)))                  \
            more##bytes##_##set((uintptr_t)at, (uint64_t)(uintptr_t)pc);       \
    }
#define BOTH(prefix, bytes)                                                    \
    void __tsan_##prefix##bytes(void *at);                                     \
    void __tsan_##prefix##bytes(void *at)                                      \
    {                                                                          \
        access_bits((uintptr_t)at, bytes, SET_READ, ACCESS_PC(), false);       \
        access_bits((uintptr_t)at, bytes, SET_WRITE, ACCESS_PC(), false);      \
    }
#define SIZES(make, prefix, set)                                               \
    make(prefix, 1, set) make(prefix, 2, set) make(prefix, 4, set)             \
        make(prefix, 8, set) make(prefix, 16, set)
#define SIZES_BOTH(prefix)                                                     \
    BOTH(prefix, 1)                                                            \
    BOTH(prefix, 2) BOTH(prefix, 4) BOTH(prefix, 8) BOTH(prefix, 16)

/*
 * Volatile accesses of memory that host and device share are how the two signal
 * each other: a read is nobody's hazard, and a write is an atomic one. It is
 * noted first: should the access fault, the checker knows by whom.
 */
#define SIGN()                                                                 \
    do {                                                                       \
        if (checker.arena.reporting && check_thread.device >= 0)               \
            flag_sign(ACCESS_PC());                                            \
    } while (0)
#define SIGNAL_READ(prefix, bytes, aligned)                                    \
    void __tsan_##prefix##bytes(void *at);                                     \
    void __tsan_##prefix##bytes(void *at)                                      \
    {                                                                          \
        if (UNLIKELY(checker.arena.watched))                                   \
            race_volatile((uintptr_t)at);                                      \
        LANES_STEP(at, false);                                                 \
        if ((!(aligned) || !access_run((uintptr_t)at, bytes, SET_READ)) &&     \
            !signals_at((uintptr_t)at)) {                                      \
            SIGN();                                                            \
            access_bits((uintptr_t)at, bytes, SET_READ, ACCESS_PC(), aligned); \
        }                                                                      \
        FLAG_READ(at, bytes);                                                  \
    }
#define SIGNAL_WRITE(prefix, bytes, aligned)                                   \
    void __tsan_##prefix##bytes(void *at);                                     \
    void __tsan_##prefix##bytes(void *at)                                      \
    {                                                                          \
        if (UNLIKELY(checker.arena.watched))                                   \
            race_volatile((uintptr_t)at);                                      \
        LANES_STEP(at, true);                                                  \
        FLAG_WRITTEN(at);                                                      \
        if (!(aligned) || !access_run((uintptr_t)at, bytes, SET_WRITE)) {      \
            SIGN();                                                            \
            access_bits((uintptr_t)at, bytes,                                  \
                        signals_at((uintptr_t)at) ? SET_ATOMIC : SET_WRITE,    \
                        ACCESS_PC(), aligned);                                 \
        }                                                                      \
    }

/* What vgpu/calls.h leaves, having looked at the place's memo itself. */
#define ACCESS_LEFT(prefix, bytes, set)                                        \
    static __attribute__((noinline)) void prefix##bytes(                       \
        uintptr_t address, struct run_memo *memo, uint64_t pc)                 \
    {                                                                          \
        if (!access_elsewhere(address, bytes, memo) &&                         \
            !access_memo(address, bytes, set, memo))                           \
            access_bits(address, bytes, set, pc, true);                        \
    }                                                                          \
    void vgpu_##prefix##bytes(void *at, struct run_memo *memo, uint64_t pc);   \
    void vgpu_##prefix##bytes(void *at, struct run_memo *memo, uint64_t pc)    \
    {                                                                          \
        if (UNLIKELY(!access_marked((uintptr_t)at, bytes, set)))               \
            prefix##bytes((uintptr_t)at, memo, pc);                            \
    }

SIZES(ACCESS_LEFT, left_read, SET_READ)
SIZES(ACCESS_LEFT, left_write, SET_WRITE)
SIZES(ACCESS, read, SET_READ)
SIZES(ACCESS, write, SET_WRITE)
SIZES(ACCESS_AT, read, SET_READ)
SIZES(ACCESS_AT, write, SET_WRITE)
SIZES(ACCESS_ODD, unaligned_read, SET_READ)
SIZES(ACCESS_ODD, unaligned_write, SET_WRITE)
SIZES(SIGNAL_READ, volatile_read, true)
SIZES(SIGNAL_WRITE, volatile_write, true)
SIZES(SIGNAL_READ, unaligned_volatile_read, false)
SIZES(SIGNAL_WRITE, unaligned_volatile_write, false)
SIZES_BOTH(read_write)
SIZES_BOTH(unaligned_read_write)

void __tsan_read_range(void *base, size_t bytes);
void __tsan_read_range(void *base, size_t bytes)
{
    access_range(base, bytes, SET_READ, ACCESS_PC());
}

void __tsan_write_range(void *base, size_t bytes);
void __tsan_write_range(void *base, size_t bytes)
{
    access_range(base, bytes, SET_WRITE, ACCESS_PC());
}

void __tsan_read_range_pc(void *base, size_t bytes, void *pc);
void __tsan_read_range_pc(void *base, size_t bytes, void *pc)
{
    access_range(base, bytes, SET_READ, (uint64_t)(uintptr_t)pc);
}

void __tsan_write_range_pc(void *base, size_t bytes, void *pc);
void __tsan_write_range_pc(void *base, size_t bytes, void *pc)
{
    access_range(base, bytes, SET_WRITE, (uint64_t)(uintptr_t)pc);
}

/* ---- nothing to do ----------------------------------------------------- */

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
    (void)pc;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void);
void __tsan_ignore_thread_end(void)
{
}

void __tsan_vptr_read(void **at);
void __tsan_vptr_read(void **at)
{
    access_bits((uintptr_t)at, sizeof *at, SET_READ, ACCESS_PC(), true);
}

void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value)
{
    if (*at != value)
        access_bits((uintptr_t)at, sizeof *at, SET_WRITE, ACCESS_PC(), true);
}

/* ---- memory functions -------------------------------------------------- */

/*
 * clang 16 and newer call the first three. gcc and older clangs call the C
 * library, so the front end has the assembler rename those calls in the
 * program, and nowhere else, with this text at file scope:
 *
 *     __asm__("memcpy = vgpu_memcpy\n\tmemmove = vgpu_memmove\n\t"
 *             "memset = vgpu_memset\n\tmemcmp = vgpu_memcmp\n\t"
 *             "bcmp = vgpu_memcmp");
 */
#define MEMORY_FUNCTIONS(copy, move, set)                                      \
    void *copy(void *to, const void *from, size_t bytes);                      \
    void *copy(void *to, const void *from, size_t bytes)                       \
    {                                                                          \
        access_range(from, bytes, SET_READ, ACCESS_PC());                      \
        access_range(to, bytes, SET_WRITE, ACCESS_PC());                       \
        return memmove(to, from, bytes);                                       \
    }                                                                          \
    void *move(void *to, const void *from, size_t bytes);                      \
    void *move(void *to, const void *from, size_t bytes)                       \
    {                                                                          \
        access_range(from, bytes, SET_READ, ACCESS_PC());                      \
        access_range(to, bytes, SET_WRITE, ACCESS_PC());                       \
        return memmove(to, from, bytes);                                       \
    }                                                                          \
    void *set(void *to, int byte, size_t bytes);                               \
    void *set(void *to, int byte, size_t bytes)                                \
    {                                                                          \
        access_range(to, bytes, SET_WRITE, ACCESS_PC());                       \
        return memset(to, byte, bytes);                                        \
    }

MEMORY_FUNCTIONS(__tsan_memcpy, __tsan_memmove, __tsan_memset)
MEMORY_FUNCTIONS(vgpu_memcpy, vgpu_memmove, vgpu_memset)

int vgpu_memcmp(const void *a, const void *b, size_t bytes);
int vgpu_memcmp(const void *a, const void *b, size_t bytes)
{
    access_range(a, bytes, SET_READ, ACCESS_PC());
    access_range(b, bytes, SET_READ, ACCESS_PC());
    return memcmp(a, b, bytes);
}

#pragma GCC visibility pop
