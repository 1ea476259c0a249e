/*
 * turn.c: a lock on the driver's own device file, which all users of the
 * machine share: byte N for the GPU that CUDA counts as N, and as far behind
 * these the gates to them. The kernel gives it back when a grader ends, however
 * it does.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* locks of an open file, not of a process */
#endif
#include "cage/turn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cage/child.h"
#include "base/progress.h"

enum { GPUS_MOST = 128, GATES = GPUS_MOST };

static int lock = -1;
static int depth; /* turns within turns */

static int open_lock(void)
{
    static const char *const files[] = {"/dev/nvidiactl", "/dev/dxg", NULL};

    for (int i = 0; files[i]; i++) {
        const int fd = open(files[i], O_RDWR | O_CLOEXEC);

        if (fd >= 0)
            return fd;
    }
    return -1;
}

unsigned turn_gpus(const char *visible, unsigned char gpus[], unsigned room)
{
    unsigned count = 0;

    while (visible && count < room && isdigit((unsigned char)*visible)) {
        char *end;
        const unsigned long gpu = strtoul(visible, &end, 10);

        if (gpu >= GPUS_MOST || (*end != ',' && *end != '\0'))
            return 0;
        gpus[count++] = (unsigned char)gpu;
        if (*end == '\0')
            return count;
        visible = end + 1;
    }
    return 0;
}

/* Where others have it and @wait is false, say so. Who waits is woken as soon
 * as it is free; a signal wakes, too. */
static bool take(off_t start, off_t length, short type, bool wait)
{
    struct flock range = {.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = start,
                          .l_len = length};

    return fcntl(lock, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range) == 0 ||
           (errno != EAGAIN && errno != EACCES && errno != EINTR);
}

/* Who waits to be alone keeps the gate meanwhile: those who need not be alone
 * come all the time, and would else never let it in. */
static bool pass_gate(off_t start, off_t length, bool alone, bool wait)
{
    const bool taken = take(GATES + start, length, F_WRLCK, wait) &&
                       take(start, length, alone ? F_WRLCK : F_RDLCK, wait);

    take(GATES + start, length, F_UNLCK, false);
    return taken;
}

static int compare_gpus(const void *left, const void *right)
{
    return *(const unsigned char *)left - *(const unsigned char *)right;
}

/* All GPUs of this grading, one after the other in the same order for all, so
 * that no two wait for each other. What has been taken is taken again. */
static bool take_all(bool alone, bool wait)
{
    unsigned char gpus[GPUS_MOST];
    const unsigned count =
        turn_gpus(getenv("CUDA_VISIBLE_DEVICES"), gpus, GPUS_MOST);
    bool taken = count > 0 || pass_gate(0, GPUS_MOST, alone, wait);

    qsort(gpus, count, 1, compare_gpus);
    for (unsigned i = 0; taken && i < count; i++)
        taken = pass_gate(gpus[i], 1, alone, wait);
    return taken;
}

void turn_begin(bool alone)
{
    if (depth++ > 0)
        return;
    lock = open_lock();
    if (lock < 0 || take_all(alone, false))
        return;
    progress("waiting: the GPU is measuring another grading");
    while (!take_all(alone, true) && !child_interrupted())
        ;
    progress_done();
}

void turn_end(void)
{
    if (--depth > 0)
        return;
    if (lock >= 0)
        close(lock);
    lock = -1;
}
