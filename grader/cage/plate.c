/*
 * plate.c: locks that say whose they are. Those of turn.c belong to an open
 * file, as they must: a process cannot have two of the other kind. But the
 * kernel knows no process for them. So who has a turn sets one of the other
 * kind, too, where nobody waits for it, and its place in the file says since
 * when.
 */
#include "cage/plate.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

/* A slot for each GPU and all of them, shared and alone. */
#define SLOT_ROOM   ((off_t)1 << 44) /* milliseconds */
#define SLOTS_BEGIN SLOT_ROOM

static off_t slot(unsigned gpu, bool alone)
{
    return SLOTS_BEGIN + (2 * (off_t)gpu + alone) * SLOT_ROOM;
}

/* Time that the machine slept counts: nobody had a turn meanwhile either. */
int64_t plate_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void plate_hang(int fd, unsigned gpu, bool alone)
{
    struct flock place = {.l_type = F_RDLCK,
                          .l_whence = SEEK_SET,
                          .l_start = slot(gpu, alone) + plate_now_ms(),
                          .l_len = 1};

    fcntl(fd, F_SETLK,
          &place); /* without one nobody is told, and that is all */
}

/* The first in a part of the file, then what is before that one in its slot. */
static bool find_oldest(int fd, off_t start, off_t length, struct plate *plate)
{
    bool found = false;

    while (length > 0) {
        struct flock place = {.l_type = F_WRLCK,
                              .l_whence = SEEK_SET,
                              .l_start = start,
                              .l_len = length};

        if (fcntl(fd, F_GETLK, &place) != 0 || place.l_type == F_UNLCK)
            break;
        *plate = (struct plate){place.l_pid > 0 ? place.l_pid : 0,
                                (int64_t)(place.l_start % SLOT_ROOM)};
        found = true;
        start = place.l_start - place.l_start % SLOT_ROOM;
        length = place.l_start - start;
    }
    return found;
}

/* Who wants all of them is kept from it by any. Who does not need to be alone
 * is so by those who do; by others only where one of those waits for them. */
bool plate_find(int fd, unsigned gpu, bool alone, struct plate *plate)
{
    memset(plate, 0, sizeof *plate);
    if (gpu == PLATE_ALL)
        return find_oldest(fd, SLOTS_BEGIN, slot(PLATE_ALL + 1, false), plate);
    return (!alone &&
            (find_oldest(fd, slot(gpu, true), SLOT_ROOM, plate) ||
             find_oldest(fd, slot(PLATE_ALL, true), SLOT_ROOM, plate))) ||
           find_oldest(fd, slot(gpu, false), 2 * SLOT_ROOM, plate) ||
           find_oldest(fd, slot(PLATE_ALL, false), 2 * SLOT_ROOM, plate);
}

/* ---- words --------------------------------------------------------------- */

/* Return: may this user end it? */
static bool find_user(pid_t pid, char *user, size_t size)
{
    const struct passwd *entry;
    struct stat info;
    char path[64];

    user[0] = '\0';
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (stat(path, &info) != 0)
        return false;
    entry = getpwuid(info.st_uid);
    if (entry)
        snprintf(user, size, "%s", entry->pw_name);
    else
        snprintf(user, size, "user %u", (unsigned)info.st_uid);
    return geteuid() == 0 || geteuid() == info.st_uid;
}

static void put_when(int64_t since_ms, char *words, size_t size)
{
    const int64_t ago_s = (plate_now_ms() - since_ms) / 1000;
    const time_t when = time(NULL) - (time_t)ago_s;
    struct tm parts;

    strftime(words, size, ago_s < 12 * 3600 ? "%H:%M" : "%Y-%m-%d %H:%M",
             localtime_r(&when, &parts));
}

/* Who may end it is told how; another one is told whom to ask. */
void plate_describe(const struct plate *plate, int64_t seen_ms, char *words,
                    size_t size)
{
    const pid_t pid = plate->pid;
    char user[80] = "", when[40], whose[120];
    bool may_end;

    put_when(plate->since_ms ? plate->since_ms : seen_ms, when, sizeof when);
    if (pid == 0) {
        snprintf(words, size,
                 "a process that cannot be seen from here, of another "
                 "container perhaps, has had the GPU since %s: end it there",
                 when);
        return;
    }
    may_end = find_user(pid, user, sizeof user);
    snprintf(whose, sizeof whose, "process %d%s%s", (int)pid,
             *user ? " of " : "", user);
    if (!may_end)
        snprintf(words, size, "%s has had the GPU since %s: ask %s", whose,
                 when, *user ? user : "who runs this machine");
    else if (process_is_stopped(pid))
        snprintf(words, size,
                 "%s has had the GPU since %s and is stopped: kill -CONT %d "
                 "lets it go on, kill -KILL %d ends it",
                 whose, when, (int)pid, (int)pid);
    else
        snprintf(words, size, "%s has had the GPU since %s: kill %d ends it",
                 whose, when, (int)pid);
}
