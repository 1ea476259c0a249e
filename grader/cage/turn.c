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
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cage/child.h"
#include "cage/plate.h"
#include "base/progress.h"

enum { GPUS_MOST = PLATE_ALL, GATES = GPUS_MOST, TICK_MS = 100 };

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

/* Those of this grading. Return: 0 for all of them. */
static unsigned own_gpus(unsigned char gpus[GPUS_MOST])
{
    return turn_gpus(getenv("CUDA_VISIBLE_DEVICES"), gpus, GPUS_MOST);
}

/* All GPUs of this grading, one after the other in the same order for all, so
 * that no two wait for each other. What has been taken is taken again. */
bool turn_take(int fd, bool alone, bool wait)
{
    unsigned char gpus[GPUS_MOST];
    const unsigned count = own_gpus(gpus);
    bool taken = count > 0 || pass_gate(fd, 0, GPUS_MOST, alone, wait);

    qsort(gpus, count, 1, compare_gpus);
    for (unsigned i = 0; taken && i < count; i++)
        taken = pass_gate(fd, gpus[i], 1, alone, wait);
    return taken;
}

/* ---- whom it waits for --------------------------------------------------- */

static void hang_plates(int fd, bool alone)
{
    unsigned char gpus[GPUS_MOST];
    const unsigned count = own_gpus(gpus);

    if (count == 0)
        plate_hang(fd, PLATE_ALL, alone);
    for (unsigned i = 0; i < count; i++)
        plate_hang(fd, gpus[i], alone);
}

static void find_holder(int fd, bool alone, struct plate *holder)
{
    unsigned char gpus[GPUS_MOST];
    const unsigned count = own_gpus(gpus);
    bool found = count == 0 && plate_find(fd, PLATE_ALL, alone, holder);

    for (unsigned i = 0; i < count && !found; i++)
        found = plate_find(fd, gpus[i], alone, holder);
    if (!found)
        memset(holder, 0, sizeof *holder);
}

/* As long as turns change, everybody's comes. */
struct wait {
    struct plate holder;
    int64_t seen_ms; /* of this holder; 0: none yet */
    bool told;
};

/* Who it is now, and a line about somebody who has it for long. Return: has it
 * been too long? What nobody knows the beginning of is as old as it was seen.
 */
static bool is_kept(struct turn *turn, bool alone, struct wait *wait)
{
    const int64_t now_ms = plate_now_ms();
    const double tell_ms = turn->why[0] ? 0 : 1000 * turn->tell_s;
    struct plate holder;
    int64_t since_ms;
    bool kept;

    find_holder(turn->fd, alone, &holder);
    if (wait->seen_ms == 0 || holder.pid != wait->holder.pid ||
        holder.since_ms != wait->holder.since_ms)
        *wait = (struct wait){holder, now_ms, false};
    since_ms = holder.since_ms ? holder.since_ms : wait->seen_ms;
    kept = (double)(now_ms - since_ms) >= 1000 * turn->most_s &&
           (double)(now_ms - wait->seen_ms) >= tell_ms;
    if (kept || (!wait->told && (double)(now_ms - wait->seen_ms) >= tell_ms &&
                 (double)(now_ms - since_ms) >= 1000 * turn->tell_s)) {
        char words[sizeof turn->why];

        plate_describe(&holder, wait->seen_ms, words, sizeof words);
        progress_done();
        if (kept)
            snprintf(turn->why, sizeof turn->why, "%s", words);
        else
            fprintf(stderr, "grade: waiting for the GPU: %s\n", words);
        wait->told = true;
    }
    return kept;
}

/* A thread looks around meanwhile: who waits for a lock and is woken for it
 * goes to the end of the line. It ends with the pipe. */
struct watch {
    struct turn *turn;
    bool alone;
    pthread_t waits;
    int end[2];
    atomic_bool kept;
};

static void *look_around(void *argument)
{
    struct watch *const watch = argument;
    struct pollfd end = {.fd = watch->end[0], .events = POLLIN};
    struct wait wait = {0};

    do {
        if (!watch->kept && is_kept(watch->turn, watch->alone, &wait))
            watch->kept = true;
        if (watch->kept || child_interrupted())
            pthread_kill(watch->waits, SIGALRM);
    } while (poll(&end, 1, TICK_MS) == 0);
    return NULL;
}

static void wake(int number)
{
    (void)number;
}

/* Signals of the user are for the thread that waits. */
static bool begin_watch(struct watch *watch, pthread_t *thread)
{
    sigset_t all, before;
    bool began;

    if (pipe2(watch->end, O_CLOEXEC) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    began = pthread_create(thread, NULL, look_around, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!began) {
        close(watch->end[0]);
        close(watch->end[1]);
    }
    return began;
}

static void end_watch(struct watch *watch, pthread_t thread)
{
    close(watch->end[1]);
    pthread_join(thread, NULL);
    close(watch->end[0]);
}

/* A lock that is waited for is the next one's as soon as it is free, and in
 * turn. Return: false where somebody keeps it. */
static bool wait_for(struct turn *turn, bool alone)
{
    struct watch watch = {
        .turn = turn, .alone = alone, .waits = pthread_self()};
    struct sigaction action = {.sa_handler = wake}, before;
    pthread_t thread;
    bool taken = false, watched;

    progress("waiting: the GPU is measuring another grading");
    sigaction(SIGALRM, &action, &before);
    watched = begin_watch(&watch, &thread);
    while (!taken && !watch.kept && !child_interrupted())
        taken = turn_take(turn->fd, alone, true);
    if (watched)
        end_watch(&watch, thread);
    sigaction(SIGALRM, &before, NULL);
    progress_done();
    return taken || !watch.kept;
}

/* ---- turns --------------------------------------------------------------- */

bool turn_begin(struct turn *turn, bool alone)
{
    if (turn->depth++ > 0)
        return !turn->refused;
    turn->fd = -1;
    turn->refused = false;
    for (int i = 0; turn->files[i] && turn->fd < 0; i++)
        turn->fd = open(turn->files[i], O_RDWR | O_CLOEXEC);
    if (turn->fd < 0)
        return true;
    turn->refused =
        !turn_take(turn->fd, alone, false) && !wait_for(turn, alone);
    if (!turn->refused) {
        hang_plates(turn->fd, alone);
        return true;
    }
    close(turn->fd); /* what it has of several is for others */
    turn->fd = -1;
    return false;
}

void turn_end(struct turn *turn)
{
    assert(turn->depth > 0);
    if (--turn->depth == 0 && turn->fd >= 0)
        close(turn->fd);
}
