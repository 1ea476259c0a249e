/*
 * engine.h: what the grader asks of the engine in a browser tab, which has no
 * processes: web/engine/process.js answers. A process is a number above zero
 * there; what waits suspends the grader, not the tab.
 */
#ifndef GRADER_ENGINE_H
#define GRADER_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#define ENGINE(name)                                                           \
    __attribute__((import_module("lab"), import_name("process_" name)))

/* What a process is to be. Addresses are the grader's. */
struct engine_spec {
    /* Words with a zero byte behind each. The first letter of one says what it
     * is: "a" an argument, "e" NAME=value, "d" its directory, "r" and "w" a
     * place that it may read or write; with neither, all of them. */
    const char *words;
    size_t words_size;
    int program_fd; /* -1: the program that the first argument names */
    void *files[2]; /* memory that is its descriptor 5 and 6; NULL: none */
    size_t file_sizes[2];
    uint64_t memory_bytes, keep_bytes, flood_bytes;
    int talks;
};

/* Return: its number; below zero an errno. */
int engine_start(const struct engine_spec *spec) ENGINE("start");

/*
 * Send it a command, unless that is NULL, and wait for a line; without
 * @wants_line, for its end.
 * Return: an enum child_end: CHILD_RUNNING with a line.
 */
int engine_ask(int process, const char *command, double seconds, int wants_line)
    ENGINE("ask");

/* Wait until it waits for a command where it did at first. Return: an enum
 * child_end: CHILD_RUNNING if it does. */
int engine_back(int process, double seconds) ENGINE("back");

/* The status or signal of one that ended; of one that took too long, whether
 * it slept. */
int engine_code(int process) ENGINE("code");

/* Take what it wrote, by enum child_fd, or the line: at most @room bytes.
 * Return: how many, 0: no more. */
size_t engine_take(int process, int what, char *to, size_t room) ENGINE("take");

/* End it, and forget it. What it wrote has been taken. */
void engine_stop(int process) ENGINE("stop");

#endif
