/*
 * turn.c: a lock on the driver's own device file, which all users of the
 * machine share: byte N for the GPU that CUDA counts as N. The kernel gives it
 * back when a grader ends, however it does.
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

enum { LOOK_AGAIN_US = 20000, GPUS_MOST = 128 };

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

static bool take(off_t start, off_t length, short type)
{
    struct flock range = {.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = start,
                          .l_len = length};

    return fcntl(lock, F_OFD_SETLK, &range) == 0 ||
           (errno != EAGAIN && errno != EACCES);
}

/* All GPUs of this grading, or none. */
static bool take_all(void)
{
    unsigned char gpus[GPUS_MOST];
    const unsigned count =
        turn_gpus(getenv("CUDA_VISIBLE_DEVICES"), gpus, GPUS_MOST);
    bool taken = count > 0 || take(0, GPUS_MOST, F_WRLCK);

    for (unsigned i = 0; taken && i < count; i++)
        taken = take(gpus[i], 1, F_WRLCK);
    if (!taken)
        take(0, GPUS_MOST, F_UNLCK);
    return taken;
}

void turn_begin(void)
{
    bool told = false;

    if (depth++ > 0)
        return;
    lock = open_lock();
    while (lock >= 0 && !take_all() && !child_interrupted()) {
        if (!told)
            progress("waiting: the GPU is measuring another grading");
        told = true;
        usleep(LOOK_AGAIN_US);
    }
    if (told)
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
