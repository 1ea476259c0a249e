/*
 * atomic.c: the callbacks for atomic accesses, which also make them
 *
 * Under -fsanitize=thread the compiler does not write an atomic instruction but
 * a call that stands for it. Two atomic accesses never conflict with each
 * other, whoever makes them; an atomic and a plain one do.
 */
#include <string.h>
#include "access.h"

/*
 * Always sequentially consistent, whatever the program asks for. 16-byte
 * ones take a lock of their own, so that no library is needed.
 */
typedef unsigned __int128 wide;

/* Yielding, since the holder may be a thread of the program that the machine
 * has put aside. */
static void lock_wide(void)
{
    while (atomic_flag_test_and_set(&checker.wide_lock))
        check_yield();
}

static void unlock_wide(void)
{
    atomic_flag_clear(&checker.wide_lock);
}

/* What programs call, down to the device library's part. */
#pragma GCC visibility push(default)

/* Noted before it is made: should the access fault, the checker knows by whom.
 * */
#define NOTE(at, type)                                                         \
    access_bits((uintptr_t)(at), sizeof(type), SET_ATOMIC, ACCESS_PC(), true)

/* ... of one that does not depend on what is there. */
#define NOTE_OVER(at, type)                                                    \
    do {                                                                       \
        check_thread.overwrites = true;                                        \
        NOTE(at, type);                                                        \
        check_thread.overwrites = false;                                       \
    } while (0)

/* A program with fences may order relaxed accesses by them: taken for ordered.
 */
static bool fenced;

static inline bool acquires(int order)
{
    return fenced || (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE);
}

static inline bool releases(int order)
{
    return fenced || order >= __ATOMIC_RELEASE;
}

/* Not by a kernel's threads. Given before the access and taken after it: who
 * sees what another one stored finds what that one gave. */
static inline void hand_over(const volatile void *at, unsigned does,
                             bool ordered)
{
    if (UNLIKELY(checker.signals.hands) && check_thread.device < 0)
        checker.signals.hands(at, does, ordered);
}
#define LOAD   VGPU_HANDS_TURN
#define STORE  (VGPU_HANDS_TURN | VGPU_HANDS_NEW | VGPU_HANDS_GIVE)
#define CHANGE (VGPU_HANDS_TURN | VGPU_HANDS_GIVE)
#define TAKE   VGPU_HANDS_TAKE

#define LOAD_STORE(bits, type)                                                 \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);       \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)        \
    {                                                                          \
        (void)order;                                                           \
        type value;                                                            \
                                                                               \
        hand_over(at, LOAD, false);                                            \
        NOTE(at, type);                                                        \
        FLAG_READ(at, sizeof(type));                                           \
        value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                         \
        hand_over(at, TAKE, acquires(order));                                  \
        return value;                                                          \
    }                                                                          \
    void __tsan_atomic##bits##_store(volatile type *at, type value,            \
                                     int order);                               \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    {                                                                          \
        hand_over(at, STORE, releases(order));                                 \
        FLAG_WRITTEN(at);                                                      \
        NOTE_OVER(at, type);                                                   \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                         \
    }

#define UPDATE(bits, type, name, note, how)                                    \
    type __tsan_atomic##bits##_##name(volatile type *at, type value,           \
                                      int order);                              \
    type __tsan_atomic##bits##_##name(volatile type *at, type value,           \
                                      int order)                               \
    {                                                                          \
        hand_over(at, CHANGE, releases(order));                                \
        note(at, type);                                                        \
        FLAG_READ(at, sizeof(type));                                           \
        FLAG_WRITTEN(at);                                                      \
        value = how(at, value, __ATOMIC_SEQ_CST);                              \
        hand_over(at, TAKE, acquires(order));                                  \
        return value;                                                          \
    }

/* A comparison that fails only reads, but whether it will cannot be known
 * beforehand; it counts as the atomic update that it is written as. */
#define COMPARE(bits, type, name)                                              \
    int __tsan_atomic##bits##_##name(volatile type *at, type *expected,        \
                                     type value, int order, int failed);       \
    int __tsan_atomic##bits##_##name(volatile type *at, type *expected,        \
                                     type value, int order, int failed)        \
    {                                                                          \
        int done;                                                              \
                                                                               \
        (void)order;                                                           \
        (void)failed;                                                          \
        hand_over(at, CHANGE, releases(order));                                \
        NOTE(at, type);                                                        \
        FLAG_READ(at, sizeof(type));                                           \
        FLAG_WRITTEN(at);                                                      \
        done = __atomic_compare_exchange_n(                                    \
            at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
        hand_over(at, TAKE, acquires(order));                                  \
        return done;                                                           \
    }

#define COMPARE_VALUE(bits, type)                                              \
    type __tsan_atomic##bits##_compare_exchange_val(                           \
        volatile type *at, type expected, type value, int order, int failed);  \
    type __tsan_atomic##bits##_compare_exchange_val(                           \
        volatile type *at, type expected, type value, int order, int failed)   \
    {                                                                          \
        (void)order;                                                           \
        (void)failed;                                                          \
        hand_over(at, CHANGE, releases(order));                                \
        NOTE(at, type);                                                        \
        FLAG_READ(at, sizeof(type));                                           \
        FLAG_WRITTEN(at);                                                      \
        __atomic_compare_exchange_n(at, &expected, value, false,               \
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        hand_over(at, TAKE, acquires(order));                                  \
        return expected;                                                       \
    }

#define ALL(bits, type)                                                        \
    LOAD_STORE(bits, type)                                                     \
    UPDATE(bits, type, exchange, NOTE_OVER, __atomic_exchange_n)               \
    UPDATE(bits, type, fetch_add, NOTE, __atomic_fetch_add)                    \
    UPDATE(bits, type, fetch_sub, NOTE, __atomic_fetch_sub)                    \
    UPDATE(bits, type, fetch_and, NOTE, __atomic_fetch_and)                    \
    UPDATE(bits, type, fetch_or, NOTE, __atomic_fetch_or)                      \
    UPDATE(bits, type, fetch_xor, NOTE, __atomic_fetch_xor)                    \
    UPDATE(bits, type, fetch_nand, NOTE, __atomic_fetch_nand)                  \
    COMPARE(bits, type, compare_exchange_strong)                               \
    COMPARE(bits, type, compare_exchange_weak)                                 \
    COMPARE_VALUE(bits, type)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

/* ---- 16 bytes ---------------------------------------------------------- */

wide __tsan_atomic128_load(const volatile wide *at, int order);
wide __tsan_atomic128_load(const volatile wide *at, int order)
{
    wide value;

    (void)order;
    NOTE(at, wide);
    lock_wide();
    value = *at;
    unlock_wide();
    return value;
}

void __tsan_atomic128_store(volatile wide *at, wide value, int order);
void __tsan_atomic128_store(volatile wide *at, wide value, int order)
{
    (void)order;
    NOTE_OVER(at, wide);
    lock_wide();
    *at = value;
    unlock_wide();
}

#define WIDE(name, note, result)                                               \
    wide __tsan_atomic128_##name(volatile wide *at, wide value, int order);    \
    wide __tsan_atomic128_##name(volatile wide *at, wide value, int order)     \
    {                                                                          \
        wide old;                                                              \
                                                                               \
        (void)order;                                                           \
        note(at, wide);                                                        \
        lock_wide();                                                           \
        old = *at;                                                             \
        *at = (result);                                                        \
        unlock_wide();                                                         \
        return old;                                                            \
    }

WIDE(exchange, NOTE_OVER, value)
WIDE(fetch_add, NOTE, old + value)
WIDE(fetch_sub, NOTE, old - value)
WIDE(fetch_and, NOTE, old &value)
WIDE(fetch_or, NOTE, old | value)
WIDE(fetch_xor, NOTE, old ^ value)
WIDE(fetch_nand, NOTE, ~(old &value))

static bool compare_wide(volatile wide *at, wide *expected, wide value)
{
    wide old;
    bool equal;

    lock_wide();
    old = *at;
    equal = old == *expected;
    if (equal)
        *at = value;
    else
        *expected = old;
    unlock_wide();
    return equal;
}

#define COMPARE_WIDE(name)                                                     \
    int __tsan_atomic128_##name(volatile wide *at, wide *expected, wide value, \
                                int order, int failed);                        \
    int __tsan_atomic128_##name(volatile wide *at, wide *expected, wide value, \
                                int order, int failed)                         \
    {                                                                          \
        (void)order;                                                           \
        (void)failed;                                                          \
        NOTE(at, wide);                                                        \
        return compare_wide(at, expected, value);                              \
    }

COMPARE_WIDE(compare_exchange_strong)
COMPARE_WIDE(compare_exchange_weak)

wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected,
                                           wide value, int order, int failed);
wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected,
                                           wide value, int order, int failed)
{
    (void)order;
    (void)failed;
    NOTE(at, wide);
    compare_wide(at, &expected, value);
    return expected;
}

/* ---- fences ------------------------------------------------------------ */

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    fenced = true;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#pragma GCC visibility pop

/* ---- the device library's ---------------------------------------------- */

void vgpu_check_atomic(const volatile void *at, size_t bytes, uint64_t pc)
{
    if (check_thread.serial == SERIAL_NONE)
        ; /* nobody looks, but it may be a flag */
    else if (bytes == 4)
        access_bits((uintptr_t)at, 4, SET_ATOMIC, pc, true);
    else if (bytes == 8)
        access_bits((uintptr_t)at, 8, SET_ATOMIC, pc, true);
    else if (bytes == 2)
        access_bits((uintptr_t)at, 2, SET_ATOMIC, pc, true);
    if (checker.signals.flag_read && flag_again((uintptr_t)at))
        checker.signals.flag_read(at, bytes, pc);
    if (checker.signals.any)
        signal_read((uintptr_t)at);
    if (checker.arena.recording)
        signal_written((uintptr_t)at);
}

void vgpu_check_exchange(const volatile void *at, size_t bytes, uint64_t pc)
{
    check_thread.overwrites = true;
    vgpu_check_atomic(at, bytes, pc);
    check_thread.overwrites = false;
}
