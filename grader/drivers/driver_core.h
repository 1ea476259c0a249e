/* driver_core.h: between driver.cu and driver_cases.cu */
#ifndef DRIVER_CORE_H
#define DRIVER_CORE_H

#include "driver.h"

#include "check.h"

enum { CORE_LINE = 8192 }; /* longest command or reply */

/* One line back to the grader. */
void core_reply(const char *text);

/* All that was made for a case goes. Return: how the first of it failed that
 * the student had given back already, as was not theirs to do. */
cudaError_t core_give_back(void);

/* An own call that fails ends the program: the student's work left an error, or
 * took what the call needs (@lent, as core_give_back() returned it). */
void core_failed(cudaError_t error, const char *what, cudaError_t lent);

static inline void check_own(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        core_failed(error, what, core_give_back());
}

#define OWN(call) check_own((call), #call)

/* Return: was it the command of a case? Not there where the grader tries
 * whether driver.cu links without a lab. */
bool cases_do(const char *line) __attribute__((weak));

#endif
