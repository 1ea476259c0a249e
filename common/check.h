/* check.h: the one error-check macro of every lab, solution and driver. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

/*
 * Make a CUDA call; on an error say where and what, and end the program.
 *
 *     CHECK(cudaMemcpyAsync(...));
 *
 * A kernel launch returns nothing. Ask for its error in the next line:
 *
 *     kernel<<<grid, block, 0, stream>>>(...);
 *     CHECK(cudaGetLastError());
 *
 * That finds a launch that was refused. A kernel that goes wrong while it
 * runs is reported by a later call, as a rule the next one that waits.
 */
#define CHECK(call) check_result((call), #call, __FILE__)

/* The line is that of the call, where it begins: what __LINE__ is in a call
 * over several lines depends on the compiler. */
static inline void check_result(cudaError_t error, const char *call,
                                const char *file, int line = __builtin_LINE())
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n    %s: %s\n", file, line, call,
            cudaGetErrorName(error), cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

#endif
