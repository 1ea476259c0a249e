/* driver_core.h: between driver.cu and driver_cases.cu */
#ifndef DRIVER_CORE_H
#define DRIVER_CORE_H

#include "driver.h"

#include <stdio.h>
#include <unistd.h>

#include "check.h"

enum { CORE_LINE = 8192 }; /* longest command or reply */

/* One line back to the grader; one number of a command, 0 without it. */
void core_reply(const char *text);
uint64_t core_number(const char *line, const char *key);

/* An own call that fails ends the program: the student's work left an error. */
static inline void check_own(cudaError_t error, const char *what)
{
    char line[256];

    if (error == cudaSuccess)
        return;
    snprintf(line, sizeof line, "failed error=%d name=%s what=%s", (int)error,
             cudaGetErrorName(error), what);
    core_reply(line);
    _exit(121);
}

#define OWN(call) check_own((call), #call)

/* The two memory files, both of the same size. */
struct core_files {
    const void *input;
    void *output;
    size_t bytes;
};
void core_map(struct core_files *files);
void core_unmap(struct core_files *files);

/* Return: was it the command of a case? Not there where the grader tries
 * whether driver.cu links without a lab. */
bool cases_do(const char *line) __attribute__((weak));

#endif
