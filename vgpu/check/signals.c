/*
 * signals.c: flags by which host code and operations order each other
 *
 * Who writes a flag, by a volatile or an atomic access to memory that both
 * share, hands on what he did so far; who reads it there knows that from then
 * on. CUDA's memory model promises it for system-scope atomics and for volatile
 * accesses with __threadfence_system, and C++ for what a host function does.
 * Device memory is left out: the threads of a kernel do not order its host.
 */
#include <stdlib.h>
#include "check_state.h"

/* Many a flag begins a page. */
static struct flag *flag_at(uintptr_t address)
{
    return &checker.signals.flags[(address / 4 + address / PAGE_BYTES) % FLAGS];
}

/* Without the lock where the page is known. What is outside the arena is a
 * device's own where a kernel reads it. */
bool signals_at(uintptr_t address)
{
    const bool host = check_thread.device < 0;
    const struct page *page;
    bool signals;

    if (!arena_contains((void *)address))
        return !access_nowhere(address) &&
               (host || check_thread.serial == SERIAL_HOST);
    page = arena_page(address - checker.arena.base);
    if (page->state == PAGE_ALIVE)
        return page->memory->kind != VGPU_MEM_DEVICE;
    check_lock();
    signals = page_resolve((struct page *)(uintptr_t)page) &&
              page->memory->kind != VGPU_MEM_DEVICE;
    check_unlock();
    return signals;
}

void signal_written(uintptr_t address)
{
    struct vgpu_agent *const host = host_current();
    const bool by_host = check_thread.serial == SERIAL_HOST;
    struct vgpu_clock *clock = NULL;
    struct flag *flag;

    if (!checker.signals.flag_read || !signals_at(address))
        return;
    if (by_host && host)
        clock = vgpu_clock_snapshot(host);
    else if (!by_host)
        clock = vgpu_check_op_clock(check_thread.op);
    check_lock();
    flag = flag_at(address);
    clock_release(flag->clock);
    *flag = (struct flag){address, by_host, clock};
    checker.signals.any = true;
    check_unlock();
}

void signal_read(uintptr_t address)
{
    const bool is_host = check_thread.serial == SERIAL_HOST;
    struct vgpu_clock *clock = NULL;
    struct flag *flag;

    if (!signals_at(address))
        return;
    check_lock();
    flag = flag_at(address);
    if (flag->address == address && flag->clock && flag->by_host != is_host)
        clock = clock_ref(flag->clock);
    if (clock && !is_host)
        flag_loads(check_thread.op->origin, clock, NULL);
    check_unlock();
    if (!clock)
        return;
    if (is_host)
        vgpu_agent_join(host_current(), clock);
    else
        vgpu_check_op_learn(check_thread.op, clock);
    vgpu_clock_release(clock);
}
