/* 14_peer_access.c: lab 14, access to a peer's memory: one, and the ring's */
#include "14_peer.h"

#include <string.h>

bool peer_judge_list(const struct case_run *run, struct judgement *judgement,
                     const struct wrong *wrong)
{
    while (wrong->words && !wrong->seen)
        wrong++;
    return !wrong->words ||
           judge_no(run, judgement, wrong->mistake, wrong->words);
}

/* ---- access -------------------------------------------------------------- */

static bool has_access(const struct case_run *run, int gpu, int peer)
{
    return case_fact(run, "enabled") >> (gpu * RING_MAX_GPUS + peer) & 1;
}

/* Whoever asks next would take this error for that of a launch. */
static bool leaves_error(const struct case_run *run)
{
    return strcmp(case_text(run, "left"), "cudaSuccess") != 0;
}

/* The access that was asked for is not there. Which one is? */
static struct finding explain_access(const struct case_run *run)
{
    return mistake_first((struct sign[]){
        {case_todo_is_open(run) && case_fact(run, "enabled") == 0, NULL},
        {case_param(run, "before"), "access-lost"},
        {has_access(run, 1, 0), "wrong-direction"},
        {has_access(run, (int)case_param(run, "current"), 1),
         "set-device-forgotten"},
        {true, "access-not-enabled"},
    });
}

/* The function must tell what is so, and make it so where that is possible. One
 * that always says no has found out nothing. */
bool peer_judge_access(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const bool possible = case_fact(run, "possible");
    const bool told = case_fact(run, "told");
    const bool open = case_todo_is_open(run); /* the open TODO says it */
    const struct wrong wrongs[] = {
        {possible && !has_access(run, 0, 1), explain_access(run),
         "GPU 0 has no access to GPU 1"},
        {possible && !told, mistake("told-wrong"),
         "access is there, but it is denied"},
        {!possible && told, mistake("access-claimed"),
         "access is claimed where there is none"},
        {leaves_error(run), mistake("error-left"), "left behind: {left}"},
        {!possible && trace && query_calls(trace, "cudaDevice*") == 0,
         open ? finding_none() : mistake("not-asked"),
         "right, but nothing is asked"},
        {0},
    };

    return peer_judge_list(run, judgement, wrongs) &&
           judge_clean(run, judgement);
}

/* ---- the ring's access --------------------------------------------------- */

/* How many links are missing on a side of the GPUs, of those that can be? */
static int64_t missing_left(const struct case_run *run)
{
    return case_fact(run, "possible") - case_fact(run, "to_left");
}

static int64_t missing_right(const struct case_run *run)
{
    return case_fact(run, "possible_right") - case_fact(run, "to_right");
}

int64_t peer_missing_links(const struct case_run *run)
{
    return missing_left(run) + missing_right(run);
}

/* A loop over pairs of numbers forgets where the ring closes, or that each pair
 * needs two calls: then one side is whole. */
struct finding peer_explain_links(const struct case_run *run)
{
    const int64_t left = case_fact(run, "to_left");
    const int64_t right = case_fact(run, "to_right");
    const int last = gpus_of(run) - 1;
    const bool closed = has_access(run, 0, last) || has_access(run, last, 0);
    const struct sign signs[] = {
        {left + right == 0 && case_todo_is_open(run), NULL},
        {left + right == 0, "access-not-enabled/links"},
        {left + right == 2 * last && !closed, "ring-open"},
        {left == 0 && missing_right(run) == 0, "one-way/to-right"},
        {right == 0 && missing_left(run) == 0, "one-way/to-left"},
        {true, "access-missing"},
    };

    return mistake_with(mistake_first(signs).id,
                        "last=%d\ngpus=%d\nto_left=%lld\nto_right=%lld", last,
                        last + 1, (long long)left, (long long)right);
}

/* The driver had noted the opposite: nobody is right by doing nothing. */
bool peer_judge_connect(const struct case_run *run, struct judgement *judgement)
{
    const struct wrong wrongs[] = {
        {peer_missing_links(run) > 0, peer_explain_links(run),
         "access to the left: {to_left} of {possible} GPUs, to the right: "
         "{to_right} of {possible_right}"},
        {case_fact(run, "noted") < gpus_of(run), mistake("not-noted"),
         "reads_left is wrong"},
        {leaves_error(run), mistake("error-left"), "left behind: {left}"},
        {0},
    };

    return peer_judge_list(run, judgement, wrongs) &&
           judge_clean(run, judgement);
}
