/*
 * 14_peer.h: what the parts of lab 14's rules know of each other.
 *
 *   14_peer_access.c   who may use whose memory, and what a ring enables
 *   14_peer_to_peer.c  steps, rounds, the program, and the cases
 */
#ifndef GRADER_RULES_14_PEER_H
#define GRADER_RULES_14_PEER_H

#include "judge/judge.h"

enum { RING_MAX_GPUS = 8 }; /* as in lab.h */

static inline int gpus_of(const struct case_run *run)
{
    return (int)case_param(run, "gpus");
}

/* What may be wrong with a case, in the order in which it is asked. */
struct wrong {
    bool seen;
    struct finding mistake;
    const char *words; /* NULL: the list's end */
};

bool peer_judge_list(const struct case_run *run, struct judgement *judgement,
                     const struct wrong *wrong);

/* How many links are missing on either side of the GPUs, of those that can
 * be, and why. */
int64_t peer_missing_links(const struct case_run *run);
struct finding peer_explain_links(const struct case_run *run);

/* enable_access alone, and connect_ring. */
bool peer_judge_access(const struct case_run *run, struct judgement *judgement);
bool peer_judge_connect(const struct case_run *run,
                        struct judgement *judgement);

#endif
