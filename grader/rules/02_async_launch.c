/*
 * 02_async_launch.c: rules of lab 02. Whether host and GPU work at the same
 * time, whether a kernel's time is the kernel's, and the usual mistakes.
 */
#include "case/reference.h"
#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "cipher_entry.h"

#define BOTH   "both parts, right"
#define KERNEL "a kernel's time"

enum { SAMPLE = 64 };
static const double TIME_SLACK = 0.15;

/* ---- what must come out -------------------------------------------------- */

static uint64_t num_gpu(const struct case_run *run)
{
    return case_param(run, "gpu");
}

static uint64_t num_host(const struct case_run *run)
{
    return (uint64_t)case_fact(run, "host");
}

/* Entries of both parts; of the GPU's, where they are many, only a few. */
static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t iters = (uint64_t)case_fact(run, "iters");
    const bool timed = case_has(run, "gpu_ns");
    const uint64_t step = timed ? num_gpu(run) / SAMPLE + 1 : 1;
    const uint64_t end = num_gpu(run) + num_host(run);
    uint64_t *const values = calloc(3 * end + 1, sizeof *values);
    struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = values,
        .expected = values + end,
        .known = {{"still encrypted", values + 2 * end}},
        .noun = "value"};

    if (values == NULL || end * sizeof *input > run->output_bytes) {
        free(values);
        found->count = found->wrong = 1;
        return;
    }
    for (uint64_t i = 0; i < end; i += i < num_gpu(run) ? step : 1) {
        const uint64_t to = arrays.count++;

        values[to] = output[i];
        values[2 * end + to] = input[i];
    }
    reference_decrypt(values + end, values + 2 * end, arrays.count, iters);
    difference_arrays(found, &arrays);
    free(values);
}

/* The sum that the function returned is that of the entries. */
static bool sum_right(const struct case_run *run)
{
    const uint64_t *const output = run->output;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < num_gpu(run) + num_host(run); i++)
        sum += output[i];
    return sum == strtoull(case_text(run, "sum"), NULL, 10);
}

/* ---- both parts ---------------------------------------------------------- */

static struct finding explain_wrong(const struct case_run *run)
{
    const struct difference *const d = &run->difference;
    const uint64_t gpu = num_gpu(run), host = num_host(run);

    if (d->first >= gpu && d->kinds[0] == host)
        return finding_todo_or(run, mistake("host-part-missing"));
    if (d->first >= gpu)
        return mistake("host-part-wrong");
    if (d->kinds[0] + d->kinds[1] > 0)
        return mistake("read-before-sync");
    return finding_none();
}

/* A part that is read too early is wrong as well, and that is not why: so the
 * order is asked first. */
static void judge_both(const struct case_run *run, struct judgement *judgement)
{
    if (!judge_order(run, judgement)) {
        if (run->virtual_run->checked.hazards > 0)
            judgement->finding = mistake("read-before-sync");
    } else if (!judge_right(run, judgement)) {
        judgement->finding = explain_wrong(run);
    } else if (!sum_right(run)) {
        judge_no(run, judgement, mistake("read-before-sync"),
                 "all entries are right, but the sum is not");
    } else if (judge_clean(run, judgement)) {
        judge_yes(run, judgement, "{gpu} on the GPU, {host} on the host");
    }
}

/* ---- at the same time ---------------------------------------------------- */

/* The host's own work is the longest time without a call. Where is it? */
struct host_work {
    enum { NOT_SEEN, BEFORE_LAUNCH, BESIDE, AFTER_WAIT } where;
    char waits_at[64]; /* the host, for the first time after the launch */
};

static bool waits(const struct trace_call *call)
{
    return strstr(call->name, "Synchronize") ||
           strcmp(call->name, "cudaMemcpy") == 0;
}

static struct host_work find_host_work(const struct case_run *run)
{
    struct host_work found = {NOT_SEEN, ""};
    const struct trace *const trace = &run->trace;
    uint64_t idle_from_ns, longest_ns = 0;
    int stage = BEFORE_LAUNCH;

    if (!run->traced || trace->num_marks < 2)
        return found;
    idle_from_ns = trace->marks[0].t_ns;
    for (const struct trace_call *call = query_next_call(trace, "*", NULL);;
         call = query_next_call(trace, "*", call)) {
        const uint64_t until_ns =
            call ? call->start_ns : trace->marks[trace->num_marks - 1].t_ns;

        if (until_ns > idle_from_ns && until_ns - idle_from_ns > longest_ns) {
            longest_ns = until_ns - idle_from_ns;
            found.where = stage;
        }
        if (call == NULL)
            return found;
        idle_from_ns = call->end_ns;
        if (strncmp(call->name, "cudaLaunchKernel", 16) == 0)
            stage = BESIDE;
        if (stage == BESIDE && waits(call)) {
            stage = AFTER_WAIT;
            strncpy(found.waits_at, query_place(call->at),
                    sizeof found.waits_at - 1);
        }
    }
}

static struct finding explain_together(const struct case_run *run,
                                       enum ask failed)
{
    const struct case_run *const both = case_other(run, BOTH);
    struct host_work work = {NOT_SEEN, ""};

    if (failed == ASK_RIGHT)
        return explain_wrong(run);
    if (both && both->virtual_run)
        work = find_host_work(both->virtual_run);
    if (work.where == AFTER_WAIT)
        return mistake_at("sync-before-host-work", work.waits_at);
    if (work.where == BEFORE_LAUNCH)
        return mistake("host-work-before-launch");
    return mistake("in-turns");
}

/* ---- the kernel's time --------------------------------------------------- */

#define TIMES "kernel_ms is %.4f, the kernel takes %.4f"

/* What kernel_ms and launch_ms are, against a time that the driver took of the
 * same kernel alone. Four digits: a launch takes some microseconds. */
static void judge_kernel(const struct case_run *run,
                         struct judgement *judgement)
{
    const double kernel = (double)case_fact(run, "kernel_ns");
    const double reference = (double)case_fact(run, "reference_ns");
    const double launch = (double)case_fact(run, "launch_ns");

    if (kernel < (1 - TIME_SLACK) * reference)
        judge_fail(judgement,
                   finding_todo_or(run, mistake(kernel <= 0 ? "no-kernel-time"
                                                            : "launch-timed")),
                   TIMES, kernel / 1e6, reference / 1e6);
    else if (kernel > (1 + TIME_SLACK) * reference)
        judge_fail(judgement,
                   mistake(case_param(run, "busy") ? "earlier-work-timed"
                                                   : "too-much-timed"),
                   TIMES, kernel / 1e6, reference / 1e6);
    else if (launch < 0 || launch > 0.3 * reference)
        judge_fail(judgement, mistake("wait-in-launch-time"),
                   "launch_ms is %.4f, the kernel takes %.4f", launch / 1e6,
                   reference / 1e6);
    else if (case_fact(run, "running"))
        judge_no(run, judgement, mistake("kernel-left-running"),
                 "the kernel still runs at the end");
    else if (judge_clean(run, judgement))
        judge_pass(judgement, "launch %.4f ms, kernel %.4f ms (is %.4f)",
                   launch / 1e6, kernel / 1e6, reference / 1e6);
    judgement->borderline = run->backend == BACKEND_CUDA &&
                            !judgement->passed && kernel > reference / 2 &&
                            kernel < 2 * reference && launch < reference;
}

static struct finding explain_end(const struct case_run *run)
{
    if (strncmp(run->error.call, "cudaEventElapsedTime", 20) == 0)
        return mistake("elapsed-too-early");
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

/* The GPU's part; the host decrypts as well. */
static uint64_t work(const struct case_run *run)
{
    return case_param(run, "gpu") * (uint64_t)case_fact(run, "iters");
}

/* The GPU's entries and the host's; room= is enough for both. */
static const struct case_data parts = {.inputs = 1,
                                       .outputs = 1,
                                       .entries = "room",
                                       .compare = compare,
                                       .work = work};

/* What is timed gets its length from the rounds: on a virtual GPU few entries
 * do, since each costs the host its rounds, and a fast device needs many. */
static const struct lab_case cases[] = {
    {.name = BOTH,
     .points = 25,
     .params = "what=together gpu=3000 host=400 room=3400 iters=48",
     .data = &parts,
     .checked = true,
     .judge = judge_both},
    {.name = "one entry each",
     .points = 5,
     .params = "what=together gpu=1 host=1 room=2 iters=48",
     .data = &parts,
     .checked = true,
     .needs = BOTH,
     .judge = judge_both},
    {.name = "at the same time",
     .points = 30,
     .params = "what=together gpu=4096 room=8192 target_us=350",
     .params_cuda = "what=together gpu=262144 room=266240 target_us=4000",
     .data = &parts,
     .timed = true,
     .drawn = true,
     .needs = BOTH,
     .asks = ASK_RIGHT,
     .speed = {"gpu_ns+host_ns+sum_ns", "ns", "gpu_ns|host_ns+sum_ns", "gpu_ns",
               .eta_needed = 0.7},
     .explain = explain_together},
    {.name = KERNEL,
     .points = 20,
     .params = "what=kernel gpu=4096 target_us=350",
     .params_cuda = "what=kernel gpu=262144 target_us=4000",
     .checked = true,
     .timed = true,
     .judge = judge_kernel},
    {.name = "its time on a busy GPU",
     .points = 15,
     .params = "what=kernel gpu=4096 target_us=350 busy=1",
     .params_cuda = "what=kernel gpu=262144 target_us=4000 busy=1",
     .timed = true,
     .needs = KERNEL,
     .judge = judge_kernel},
};

LAB_RULES(.name = "02_async_launch", .explain_end = explain_end);
