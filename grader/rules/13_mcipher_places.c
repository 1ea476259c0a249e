/*
 * 13_mcipher_places.c: lab 13, what cipher_create makes on which GPU
 */
#include "13_mcipher.h"

/* ---- where things are ---------------------------------------------------- */

/* Half of them each, or all: what is not on its own GPU is on the first. */
static struct finding explain_places(const struct case_run *run)
{
    const int64_t gpus = (int64_t)case_param(run, "gpus");
    const int64_t all = gpus * (int64_t)case_param(run, "streams");
    const bool memory = case_fact(run, "memory_first") == gpus;
    const bool streams = case_fact(run, "streams_first") == all;

    if (case_fact(run, "memory_none") + case_fact(run, "streams_none") > 0 &&
        run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (memory && streams)
        return mistake("set-device-forgotten");
    if (memory)
        return mistake("memory-on-one-gpu");
    if (streams)
        return mistake("streams-on-one-gpu");
    if (case_fact(run, "memory_none") > 0)
        return mistake_with("no-memory", "gpus=%lld", (long long)gpus);
    if (case_fact(run, "streams_none") > 0)
        return mistake_with("streams-not-made", "all=%lld", (long long)all);
    if (case_fact(run, "memory") < gpus || case_fact(run, "streams") < all)
        return mistake("other-gpus");
    return mistake("part-too-small");
}

void mcipher_judge_places(const struct case_run *run,
                          struct judgement *judgement)
{
    const int64_t gpus = (int64_t)case_param(run, "gpus");
    const int64_t all = gpus * (int64_t)case_param(run, "streams");

    if (case_fact(run, "memory") == gpus && case_fact(run, "streams") == all &&
        case_fact(run, "filled") == 1)
        judge_pass(judgement, "memory on %lld GPUs, %lld streams on each",
                   (long long)gpus, (long long)(all / gpus));
    else if (case_fact(run, "memory") < gpus || case_fact(run, "streams") < all)
        judge_fail(judgement, explain_places(run),
                   "memory of %lld of %lld GPUs and %lld of %lld streams are "
                   "where they belong",
                   (long long)case_fact(run, "memory"), (long long)gpus,
                   (long long)case_fact(run, "streams"), (long long)all);
    else
        judge_fail(judgement, explain_places(run),
                   "a GPU does not take its GPU chunk");
}
