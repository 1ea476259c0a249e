/*
 * judge.h: what nvcc would refuse, by clang's own CUDA front end.
 */
#ifndef VGPU_JUDGE_H
#define VGPU_JUDGE_H

#include "driver.h"

/* Have clang begin to read the program @input, where there is a clang. Return:
 * the file with what it says; NULL: nobody judges. */
const char *judge_begin(struct driver *d, const char *input);
/*
 * Wait for it, and print what it found that nvcc refuses. @said: what
 * judge_begin() returned; @status: of the compilation; what that has refused
 * needs no judge. Return: the status, or 1 for a program that is refused now.
 */
int judge_end(struct driver *d, const char *said, int status);

#endif
