/*
 * print.c: printf in device code. Text is kept in a ring, as CUDA does: what
 * nobody waits for is never written, and the oldest text goes when the ring
 * is full.
 */
#include "block.h"
#include "own_locks.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "vgpu/threads.h"

#define RING_BYTES (1024 * 1024) /* cudaLimitPrintfFifoSize */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char ring[RING_BYTES];
static size_t ring_first;
static size_t ring_used;

/* The oldest text goes when the ring is full, as the guide says of the device's
 * buffer ("Formatted Output"). */
static void ring_put(const char *text, size_t size)
{
    size_t i;

    vgpu_lock(&lock);
    for (i = 0; i < size; i++) {
        ring[(ring_first + ring_used) % RING_BYTES] = text[i];
        if (ring_used < RING_BYTES)
            ring_used++;
        else
            ring_first = (ring_first + 1) % RING_BYTES;
    }
    vgpu_unlock(&lock);
}

/* The ring may have gone round: its text is in two pieces then. */
void vgpu_exec_flush_printf(void)
{
    size_t to_end;

    vgpu_lock(&lock);
    to_end = RING_BYTES - ring_first;
    if (ring_used <= to_end) {
        fwrite(ring + ring_first, 1, ring_used, stdout);
    } else {
        fwrite(ring + ring_first, 1, to_end, stdout);
        fwrite(ring, 1, ring_used - to_end, stdout);
    }
    ring_first = 0;
    ring_used = 0;
    vgpu_unlock(&lock);
}

/* What device printf returns: the number of its arguments, not of characters
 * (guide, "Formatted Output"). */
static int count_conversions(const char *format)
{
    int n = 0;

    for (; *format; format++) {
        if (*format != '%')
            continue;
        if (format[1] == '%')
            format++;
        else
            n++;
    }
    return n;
}

/* Put in whole or not at all, so that lines of two threads are not mixed. */
static void ring_vprintf(const char *format, va_list args)
{
    char small[512];
    char *text = small;
    va_list again;
    int size;

    va_copy(again, args);
    size = vsnprintf(small, sizeof small, format, args);
    if (size >= (int)sizeof small) {
        text = malloc((size_t)size + 1);
        if (text)
            vsnprintf(text, (size_t)size + 1, format, again);
    }
    va_end(again);
    if (text && size > 0)
        ring_put(text, (size_t)size);
    if (text != small)
        free(text);
}

/* Bit d: a kernel of device d did. */
static _Atomic uint64_t printed;

bool vgpu_exec_printed(int device)
{
    return printed >> device & 1;
}

void vgpu_exec_printed_reset(int device)
{
    printed &= ~(UINT64_C(1) << device);
}

/* Functions for host and device call it from both sides: on the host it is
 * printf. */
int vgpu_printf(const char *format, ...)
{
    va_list args;
    int n;

    if (!format)
        return -1;
    va_start(args, format);
    if (vgpu_exec_active()) {
        printed |= UINT64_C(1) << vgpu_current->exec->device;
        ring_vprintf(format, args);
        n = count_conversions(format);
    } else {
        n = vprintf(format, args);
    }
    va_end(args);
    return n;
}
