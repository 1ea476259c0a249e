/*
 * turn.c: a lock on the driver's own device file, which all users of the
 * machine share. The kernel gives it back when a grader ends, however it does.
 */
#include "turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/file.h>
#include <unistd.h>

#include "child.h"
#include "grade.h"

enum { LOOK_AGAIN_US = 20000 };

static int lock = -1;

static int open_lock(void)
{
    static const char *const files[] = {"/dev/nvidiactl", "/dev/dxg", NULL};

    for (int i = 0; files[i]; i++) {
        const int fd = open(files[i], O_RDONLY | O_CLOEXEC);

        if (fd >= 0)
            return fd;
    }
    return -1;
}

void turn_begin(void)
{
    bool told = false;

    lock = open_lock();
    while (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 &&
           errno == EWOULDBLOCK && !child_interrupted()) {
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
    if (lock >= 0)
        close(lock);
    lock = -1;
}
