/*
 * turn.c: locks in a file: byte N for the GPU that CUDA counts as N, and as far
 * behind these the gates to them. The kernel gives them back when a grader
 * ends, however it does.
 */
#include "cage/turn.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cage/child.h"
#include "base/progress.h"

enum { GPUS_MOST = 128, GATES = GPUS_MOST };

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
static bool take(int fd, off_t start, off_t length, short type, bool wait)
{
    struct flock range = {.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = start,
                          .l_len = length};

    return fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range) == 0 ||
           (errno != EAGAIN && errno != EACCES && errno != EINTR);
}

/* Who waits to be alone keeps the gate meanwhile: those who need not be alone
 * come all the time, and would else never let it in. */
static bool pass_gate(int fd, off_t start, off_t length, bool alone, bool wait)
{
    const bool taken = take(fd, GATES + start, length, F_WRLCK, wait) &&
                       take(fd, start, length, alone ? F_WRLCK : F_RDLCK, wait);

    take(fd, GATES + start, length, F_UNLCK, false);
    return taken;
}

static int compare_gpus(const void *left, const void *right)
{
    return *(const unsigned char *)left - *(const unsigned char *)right;
}

/* All GPUs of this grading, one after the other in the same order for all, so
 * that no two wait for each other. What has been taken is taken again. */
bool turn_take(int fd, bool alone, bool wait)
{
    unsigned char gpus[GPUS_MOST];
    const unsigned count =
        turn_gpus(getenv("CUDA_VISIBLE_DEVICES"), gpus, GPUS_MOST);
    bool taken = count > 0 || pass_gate(fd, 0, GPUS_MOST, alone, wait);

    qsort(gpus, count, 1, compare_gpus);
    for (unsigned i = 0; taken && i < count; i++)
        taken = pass_gate(fd, gpus[i], 1, alone, wait);
    return taken;
}

void turn_begin(struct turn *turn, bool alone)
{
    if (turn->depth++ > 0)
        return;
    turn->fd = -1;
    for (int i = 0; turn->files[i] && turn->fd < 0; i++)
        turn->fd = open(turn->files[i], O_RDWR | O_CLOEXEC);
    if (turn->fd < 0 || turn_take(turn->fd, alone, false))
        return;
    progress("waiting: the GPU is measuring another grading");
    while (!turn_take(turn->fd, alone, true) && !child_interrupted())
        ;
    progress_done();
}

void turn_end(struct turn *turn)
{
    assert(turn->depth > 0);
    if (--turn->depth == 0 && turn->fd >= 0)
        close(turn->fd);
}
