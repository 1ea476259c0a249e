/*
 * 11_multi_job.c: lab 11, one run of decrypt_on_gpus. What is waited for, what
 * the wrong entries are, and whether all GPUs had a part in it.
 */
#include <string.h>

#include "11_multi.h"
#include "cipher.h"
#include "number.h"

/* What is in the host's memory and in that of the GPUs, part after part. */
struct seen {
    struct cells host, device;
    uint64_t n, part; /* longest part */
};

static bool look(const struct case_run *run, struct seen *seen)
{
    memset(seen, 0, sizeof *seen);
    seen->n = case_param(run, "entries");
    seen->part = div_up(seen->n, max_u64(multi_gpus(run), 1));
    return cipher_compare_cells(run, &seen->host, &seen->device);
}

/* ---- the wait ------------------------------------------------------------ */

/* GPUs whose parts were still encrypted when the grader read them: the virtual
 * GPU runs what nothing waits for as late as it may. */
static unsigned not_waited(const struct case_run *seen)
{
    const uint64_t *const input = seen->input, *const output = seen->output;
    const uint64_t n = case_param(seen, "entries");
    unsigned set = 0;

    for (unsigned g = 0; g < multi_gpus(seen); g++) {
        const uint64_t lower = (uint64_t)case_numbered_fact(seen, "lower", g);

        if (case_numbered_fact(seen, "width", g) > 0 && lower < n &&
            output[lower] == input[lower])
            set |= 1u << g;
    }
    return set;
}

/* All waits for a device were for the same one. Return: which, or -1. */
static int only_device_waited(const struct trace *trace)
{
    const struct trace_call *call = NULL;
    int device = -1;

    while ((call = query_next_call(trace, "cudaDeviceSynchronize", call))) {
        if (device >= 0 && device != (int)call->device)
            return -1;
        device = (int)call->device;
    }
    return device;
}

static struct finding explain_wait(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const unsigned waits = query_calls(trace, "cudaDeviceSynchronize");
    const unsigned set = not_waited(run->virtual_run);
    const int device = only_device_waited(trace);
    struct finding found;

    if (set == (1u << multi_gpus(run)) - 1)
        return case_is_open(run, 5) ? finding_open_todo(run->evidence)
                                    : mistake("no-final-sync");
    if (device >= 0)
        found = mistake_with(waits > 1 ? "same-gpu-waited" : "one-gpu-waited",
                             "gpu=%d\nwaits=%u", device, waits);
    else
        found = mistake(set ? "partial-sync" : "partial-sync/somewhere");
    return multi_with_gpus(found, set);
}

/* ---- wrong entries ------------------------------------------------------- */

static struct finding explain_left_out(const struct seen *seen)
{
    const uint64_t left = seen->host.first[CELL_CIPHER];

    return mistake(left == seen->part             ? "only-gpu-0"
                   : seen->n - left <= seen->part ? "last-gpu-left-out"
                                                  : "gpus-left-out");
}

/* The GPUs' memory is as it should be; the host's is not. */
static struct finding explain_copy_back(const struct seen *seen)
{
    const struct cells *const host = &seen->host;
    const uint64_t left = host->count[CELL_CIPHER];

    return mistake_first((struct sign[]){
        {left == seen->n, "no-copy-back"},
        {left == seen->n - seen->part && host->first[CELL_CIPHER] == seen->part,
         "copy-back-offset"},
        {seen->part / sizeof(uint64_t) == host->first_wrong &&
             left == host->wrong,
         "bytes-not-entries"},
        {true, NULL}});
}

static struct finding explain_device(const struct seen *seen)
{
    const struct cells *const device = &seen->device;
    const uint64_t *const count = device->count;

    return mistake_first((struct sign[]){
        {count[CELL_CIPHER] == seen->n, "no-kernel"},
        {count[CELL_UNTOUCHED_RUN] == seen->n, "no-copy-in"},
        {count[CELL_ROUNDS] > 0, "wrong-rounds"},
        {count[CELL_MOVED] > 0 && device->first_wrong >= seen->part &&
             count[CELL_RIGHT] >= seen->part,
         "copy-in-offset"},
        {count[CELL_AGAIN] > 0, "decrypted-again"},
        {count[CELL_UNTOUCHED] + count[CELL_UNTOUCHED_RUN] > 0 &&
             device->first_wrong == seen->part / sizeof(uint64_t),
         "bytes-not-entries/device"},
        {true, NULL}});
}

/* A copy back, and later one in, of the same entries: is a hazard of them
 * reported? */
static bool copies_meet(const struct checked *checked)
{
    static const char *const back = "copy device to host";
    const char *line = NULL;
    bool meet = false;

    while ((line = checked_find(checked, "hazard", "first_what", back, line))) {
        struct text second = {0};

        report_take_field(&second, line, "second_what");
        meet |= strcmp(text_string(&second), "copy host to device") == 0;
        text_free(&second);
    }
    return meet;
}

/* One GPU copies in what is another one's part, and copied back by that. */
static struct finding explain_copies_meet(const struct case_run *run)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct trace *const trace = case_trace(run);
    const uint64_t bytes = case_param(run, "entries") * sizeof(uint64_t);

    if (trace == NULL || !copies_meet(&run->virtual_run->checked))
        return finding_none();
    return mistake(query_bytes(trace, &in) > bytes * 3 / 2
                       ? "whole-array"
                       : "copy-in-offset/copies-meet");
}

static struct finding explain_wrong(const struct case_run *run)
{
    const struct cells *host, *device;
    struct finding found;
    struct seen seen;
    uint64_t left;

    if (run->pending[0])
        return mistake_with("cuda-error/unchecked", "error_left=%s",
                            run->pending);
    if (!look(run, &seen))
        return finding_none();
    host = &seen.host;
    device = &seen.device;
    left = host->count[CELL_CIPHER];
    if (left == seen.n && device->count[CELL_UNTOUCHED] == seen.n)
        return case_is_open(run, 4) ? finding_open_todo(run->evidence)
                                    : mistake("nothing-done");
    /* All that is wrong is the end of the array, and no GPU has it. */
    if (left == host->wrong && left == seen.n - host->first[CELL_CIPHER] &&
        device->count[CELL_UNTOUCHED] == host->wrong)
        return explain_left_out(&seen);
    if (device->count[CELL_RIGHT] == seen.n)
        return explain_copy_back(&seen);
    found = explain_copies_meet(run);
    return found.id ? found : explain_device(&seen);
}

/* Entries that the grader itself read too early are no matter of places. */
struct finding multi_explain_job(const struct case_run *run, enum ask failed)
{
    struct finding found;

    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return explain_wait(run);
    if (failed == ASK_RIGHT)
        return explain_wrong(run);
    found = explain_copies_meet(run);
    if (!found.id && run->virtual_run->checked.hazards > 0)
        found = mistake("hazard");
    return found;
}

/* ---- right, but ---------------------------------------------------------- */

/* The entries are right. Were they decrypted where they should be? */
bool multi_is_by_all(const struct case_run *run, struct judgement *judgement)
{
    const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL)};
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct query back = {.kinds = QUERY_KIND(TRACE_KIND_D2H)};
    const struct trace *const trace = case_trace(run);
    const uint64_t n = case_param(run, "entries"), bytes = n * sizeof(uint64_t);
    struct finding found = finding_none();
    unsigned used;

    if (trace == NULL)
        return true;
    used = query_devices(trace, &kernels);
    if (used == 0)
        found = mistake("host-decrypt");
    else if (query_bytes(trace, &in) < bytes ||
             query_bytes(trace, &back) < bytes)
        found = mistake("not-copied");
    else if (used < multi_gpus(run) && n >= 100) /* fewer may be too few */
        found = mistake_with("one-gpu", "used=%u", used);
    return !found.id ||
           judge_no(run, judgement, found, "right, but not by all GPUs");
}
