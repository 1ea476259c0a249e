/*
 * attempts.c: a program that stands in the cage where a lab's would, and tries
 * all tables, and each call that calls.def lets nobody make, with values that
 * do nothing. Talks as a driver does: "go FOLDER VICTIM PORT KEY" gets a line
 * `KIND<tab>NAME<tab>errno` on stdout for each attempt, 0 where it got through.
 */
#include "attempts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NUMBER(x86, arm) x86
#else
#define NUMBER(x86, arm) arm
#endif

enum { PROGRAM = 1, GPU = 2, COMPILER = 4, LAB = 3, EVERY = 7, NOBODY = 0 };

static const struct {
    int number;
    const char *name;
    unsigned who;
} calls[] = {
#define WHY(words)
#define CALL(x86, arm, name, who, test) {NUMBER(x86, arm), #name, (who)},
#include "cage/calls.def"
};

const char *outside_path(const struct outside *outside, const char *name)
{
    static char paths[2][600];
    static int turn;
    char *const path = paths[turn ^= 1];

    snprintf(path, sizeof paths[0], "%s/%s", outside->folder, name);
    return path;
}

static void try_all(const struct attempt *table, const struct outside *outside)
{
    for (; table->name; table++)
        printf("%s\t%s\t%d\n", table->kind, table->name,
               table->try(outside, table->value));
}

/* The ones left out do something whatever their values are. */
static void try_calls(void)
{
    static const char spared[] = " sync vhangup uretprobe ";
    char name[40];

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        snprintf(name, sizeof name, " %s ", calls[i].name);
        if (calls[i].who != NOBODY || calls[i].number < 0 ||
            strstr(spared, name))
            continue;
        errno = 0;
        printf("calls\t%s\t%d\n", calls[i].name,
               syscall(calls[i].number, -1, -1, -1, -1, -1, -1) < 0 ? errno
                                                                    : 0);
    }
}

int main(void)
{
    struct outside outside;
    char line[1024];
    ssize_t got;

    setvbuf(stdout, NULL, _IOLBF, 0); /* should it be ended */
    dprintf(4, "ok device=none\n");
    while ((got = read(3, line, sizeof line - 1)) > 0) {
        line[got] = '\0';
        if (sscanf(line, "go %399s %d %d %d", outside.folder, &outside.victim,
                   &outside.port, &outside.key) == 4) {
            try_all(file_attempts, &outside);
            try_all(process_attempts, &outside);
            try_all(machine_attempts, &outside);
            try_calls();
        }
        dprintf(4, "ok\n");
        if (strncmp(line, "end", 3) == 0)
            break;
    }
    return 0;
}
