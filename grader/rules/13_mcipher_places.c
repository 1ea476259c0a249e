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
        return finding_make("set-device-forgotten", OWNER,
                            "All memory and all streams are GPU 0's: "
                            "cudaMalloc and cudaStreamCreate take what they "
                            "make from the current GPU. Set it "
                            "(cudaSetDevice) in the loop.");
    if (memory)
        return finding_make("memory-on-one-gpu", OWNER,
                            "All memory is GPU 0's, although each GPU has its "
                            "own streams: set the GPU (cudaSetDevice) before "
                            "its cudaMalloc.");
    if (streams)
        return finding_make("streams-on-one-gpu", OWNER,
                            "All streams are GPU 0's, although each GPU has "
                            "its own memory: set the GPU (cudaSetDevice) "
                            "before its streams are made.");
    if (case_fact(run, "memory_none") > 0)
        return finding_make("no-memory", OWNER,
                            "%lld of %lld GPUs have no memory: data_gpu[gpu] "
                            "must be memory of that GPU.",
                            (long long)case_fact(run, "memory_none"),
                            (long long)gpus);
    if (case_fact(run, "streams_none") > 0)
        return finding_make("streams-not-made", OWNER,
                            "%lld of %lld streams were never made: each GPU "
                            "has num_streams of its own, streams[gpu][stream].",
                            (long long)case_fact(run, "streams_none"),
                            (long long)all);
    if (case_fact(run, "memory") < gpus || case_fact(run, "streams") < all)
        return finding_make("other-gpus", OWNER,
                            "Some memory or some streams belong to another "
                            "GPU than their place in the array says: "
                            "data_gpu[gpu] and streams[gpu][...] are made "
                            "while `gpu` is the current GPU.");
    return finding_make("part-too-small", SHARES,
                        "A GPU's memory is too small for its GPU chunk: that "
                        "is the chunks of all its streams, gpu_chunk entries "
                        "of 8 bytes.");
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
