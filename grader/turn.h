/* turn.h: one grading at a time on a machine's real GPUs */
#ifndef GRADER_TURN_H
#define GRADER_TURN_H

/*
 * Wait until no other grading on this machine has work for its GPUs: a time is
 * right only where nothing else runs. Where the system has
 * no lock for it, or the user wants to stop, it goes on at once.
 */
void turn_begin(void);
void turn_end(void);

#endif
