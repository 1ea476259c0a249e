/*
 * 11_multi_job.c: lab 11, one run of decrypt_on_gpus. What is waited for, what
 * the wrong entries are, and whether all GPUs had a part in it.
 */
#include <string.h>

#include "11_multi.h"
#include "cipher.h"

/* ---- data ---------------------------------------------------------------- */

/* What is in the host's memory and in that of the GPUs, part after part. */
struct seen {
    struct cells host, device;
    uint64_t n, part; /* longest part */
};

static bool look(const struct case_run *run, struct seen *seen)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t gpus = multi_gpus(run) > 0 ? multi_gpus(run) : 1;

    memset(seen, 0, sizeof *seen);
    seen->n = n;
    seen->part = n / gpus + (n % gpus != 0);
    return cipher_compare_cells(run, &seen->host, &seen->device);
}

/* All wrong entries are of one kind, and at the end of the array. */
static bool is_tail(const struct cells *cells, enum cell kind, uint64_t from,
                    uint64_t n)
{
    return cells->count[kind] == n - from && cells->wrong == n - from &&
           cells->first[kind] == from;
}

/* ---- the wait ------------------------------------------------------------ */

/* GPUs whose parts were still encrypted when the grader read them: the virtual
 * GPU runs what nothing waits for as late as it may. */
static unsigned not_waited(const struct case_run *run)
{
    const struct case_run *const seen = run->virtual_run;
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
    const unsigned set = not_waited(run), all = (1u << multi_gpus(run)) - 1;
    const int device = trace ? only_device_waited(trace) : -1;
    struct text words = {0};
    struct finding found;

    multi_print_gpus(&words, set);
    if (set == all && case_is_open(run, 5))
        found = finding_open_todo(run->evidence);
    else if (set == all)
        found = mistake("no-final-sync");
    else if (device >= 0 && query_calls(trace, "cudaDeviceSynchronize") > 1)
        found = mistake_with("same-gpu-waited",
                             "cudadevicesynchronize=%u\ndevice=%d\nwords=%s",
                             query_calls(trace, "cudaDeviceSynchronize"),
                             device, text_string(&words));
    else if (device >= 0)
        found = mistake_with("one-gpu-waited", "device=%d\nwords=%s", device,
                             text_string(&words));
    else
        found =
            mistake_with("partial-sync", "set=%s\nwords=%s\nreturns=%s",
                         set ? ": " : "", set ? text_string(&words) : "",
                         set ? " may still be working when it returns" : "");
    text_free(&words);
    return found;
}

/* ---- wrong entries ------------------------------------------------------- */

static struct finding explain_nothing(const struct case_run *run)
{
    if (case_is_open(run, 4))
        return finding_open_todo(run->evidence);
    return mistake("nothing-done");
}

static struct finding explain_left_out(const struct seen *seen)
{
    const uint64_t left = seen->host.first[CELL_CIPHER];

    if (left == seen->part)
        return mistake("only-gpu-0");
    if (seen->n - left <= seen->part)
        return mistake("last-gpu-left-out");
    return mistake("gpus-left-out");
}

/* The GPUs' memory is as it should be; the host's is not. */
static struct finding explain_copy_back(const struct seen *seen)
{
    const struct cells *const host = &seen->host;

    if (host->count[CELL_CIPHER] == seen->n)
        return mistake("no-copy-back");
    if (host->count[CELL_CIPHER] == seen->n - seen->part &&
        host->first[CELL_CIPHER] == seen->part)
        return mistake("copy-back-offset");
    if (seen->part / sizeof(uint64_t) == host->first_wrong &&
        host->count[CELL_CIPHER] == host->wrong)
        return mistake("bytes-not-entries");
    return finding_none();
}

static struct finding explain_device(const struct seen *seen)
{
    const struct cells *const device = &seen->device;
    const uint64_t n = seen->n;

    if (device->count[CELL_CIPHER] == n)
        return mistake("no-kernel");
    if (device->count[CELL_UNTOUCHED_RUN] == n)
        return mistake("no-copy-in");
    if (device->count[CELL_ROUNDS] > 0)
        return mistake("wrong-rounds");
    if (device->count[CELL_MOVED] > 0 && device->first_wrong >= seen->part &&
        device->count[CELL_RIGHT] >= seen->part)
        return mistake("copy-in-offset");
    if (device->count[CELL_AGAIN] > 0)
        return mistake("decrypted-again");
    if (device->count[CELL_UNTOUCHED] + device->count[CELL_UNTOUCHED_RUN] > 0 &&
        device->first_wrong == seen->part / sizeof(uint64_t))
        return mistake("bytes-not-entries/device");
    return finding_none();
}

/* One GPU copies in from where another copies back to: a hazard between two
 * copies, the one back first. */
static struct finding explain_copies_meet(const struct case_run *run)
{
    static const char *const back = "copy device to host";
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct trace *const trace = case_trace(run);
    const uint64_t n = case_param(run, "entries");
    const char *line = NULL;
    bool meet = false;

    if (trace == NULL)
        return finding_none();
    while ((line = checked_find(&run->virtual_run->checked, "hazard",
                                "first_what", back, line)) != NULL) {
        struct text second = {0};

        report_take_field(&second, line, "second_what");
        meet |= strcmp(text_string(&second), "copy host to device") == 0;
        text_free(&second);
    }
    if (!meet)
        return finding_none();
    if (query_bytes(trace, &in) > n * sizeof(uint64_t) * 3 / 2)
        return mistake("whole-array");
    return mistake("copy-in-offset/copies-meet");
}

static struct finding explain_wrong(const struct case_run *run)
{
    struct finding found;
    struct seen seen;

    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return explain_wait(run);
    if (run->pending[0] || !look(run, &seen))
        return run->pending[0]
                   ? mistake_with("cuda-error", "pending=%s", run->pending)
                   : finding_none();
    if (seen.host.count[CELL_CIPHER] == seen.n &&
        seen.device.count[CELL_UNTOUCHED] == seen.n)
        return explain_nothing(run);
    if (is_tail(&seen.host, CELL_CIPHER, seen.host.first[CELL_CIPHER],
                seen.n) &&
        seen.device.count[CELL_UNTOUCHED] == seen.host.wrong)
        return explain_left_out(&seen);
    if (seen.device.count[CELL_RIGHT] == seen.n)
        return explain_copy_back(&seen);
    found = explain_copies_meet(run);
    return found.id ? found : explain_device(&seen);
}

/* ---- right, but ---------------------------------------------------------- */

static struct finding explain_order(const struct case_run *run)
{
    const struct checked *const checked = &run->virtual_run->checked;
    struct finding found;

    if (checked->by_driver)
        return explain_wait(run);
    found = explain_copies_meet(run);
    if (found.id)
        return found;
    if (checked->hazards > 0)
        return mistake("hazard");
    return finding_none();
}

static const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL)};

/* The entries are right. Were they decrypted where they should be? */
static struct finding explain_where(const struct case_run *run)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct query back = {.kinds = QUERY_KIND(TRACE_KIND_D2H)};
    const struct trace *const trace = case_trace(run);
    const uint64_t n = case_param(run, "entries");
    const unsigned parts = n < multi_gpus(run) ? 1 : multi_gpus(run);
    unsigned devices;

    if (trace == NULL || n == 0)
        return finding_none();
    devices = query_devices(trace, &kernels);
    if (devices > 0 && (query_bytes(trace, &in) < n * sizeof(uint64_t) ||
                        query_bytes(trace, &back) < n * sizeof(uint64_t)))
        return mistake("not-copied");
    if (devices == 0)
        return mistake("host-decrypt");
    if (devices < parts && n >= 100)
        return mistake_with("one-gpu", "devices=%u\nparts=%u", devices, parts);
    return finding_none();
}

void multi_judge_job(const struct case_run *run, struct judgement *judgement)
{
    struct finding found;

    if (!judge_right(run, judgement)) {
        judgement->finding = explain_wrong(run);
        return;
    }
    if (!judge_order(run, judgement)) {
        judgement->finding = explain_order(run);
        return;
    }
    found = explain_where(run);
    if (found.id)
        judge_fail(judgement, found, "right, but not by all GPUs");
    else
        judge_pass(judgement, "%llu %s on %u GPU%s%s",
                   (unsigned long long)case_param(run, "entries"),
                   case_param(run, "entries") == 1 ? "entry" : "entries",
                   multi_gpus(run), multi_gpus(run) == 1 ? "" : "s",
                   run->virtual_run ? ", no hazard" : "");
}
