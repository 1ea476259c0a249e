/*
 * 02_async_launch.c: rules of lab 02. Whether host and GPU work at the same
 * time, whether a kernel's time is the kernel's, and the usual mistakes.
 */
#include "cipher.h"
#include "cipher_entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOTH   "both parts, right"
#define KERNEL "a kernel's time"
#define LAUNCH "cudaLaunchKernel*"

enum { SAMPLE = 64 };
/* No launch takes less on any machine, and most ten times as long. */
static const double TIME_SLACK = 0.15, LEAST_LAUNCH_NS = 500;

/* ---- what must come out -------------------------------------------------- */

/* So many that the host is busy as long as the GPU, where that is timed. */
static uint64_t num_host(const struct case_run *run)
{
    return (uint64_t)case_fact(run, "host");
}

/* Entries of both parts. Where it is timed, the GPU has many: a sample of them
 * is decrypted once more, and the others are taken as they are. */
static uint64_t expect(const struct case_run *run, void *expected)
{
    const uint64_t iters = (uint64_t)case_fact(run, "iters");
    const uint64_t gpu = case_param(run, "gpu"), end = gpu + num_host(run);
    const uint64_t *const input = run->input;
    const uint64_t step = gpu / SAMPLE + 1;
    uint64_t sample[SAMPLE], count = 0, *const plain = expected;

    if (end * sizeof *input > run->output_bytes) {
        *plain = ~*(const uint64_t *)run->output; /* never right */
        return 1;
    }
    if (!case_has(run, "gpu_ns") && !case_has(run, "kernel_ns")) {
        reference_decrypt(plain, input, end, iters);
        return end;
    }
    memcpy(plain, run->output, gpu * sizeof *plain);
    for (uint64_t i = 0; i < gpu; i += step)
        sample[count++] = input[i];
    for (uint64_t times = 1 + case_param(run, "busy"); times > 0; times--)
        reference_decrypt(sample, sample, count, iters);
    for (uint64_t i = 0; i < count; i++)
        plain[i * step] = sample[i];
    reference_decrypt(plain + gpu, input + gpu, end - gpu, iters);
    return end;
}

/* What the sum that the function returned must be. */
static uint64_t sum_of(const struct case_run *run)
{
    const uint64_t *const output = run->output;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < case_param(run, "gpu") + num_host(run); i++)
        sum += output[i];
    return sum;
}

/* ---- both parts ---------------------------------------------------------- */

/* With how many rounds was this entry decrypted, if not with as many as it
 * should? 0: with no number of them. Asked where they are few. */
static uint64_t other_rounds(const struct case_run *run, uint64_t entry)
{
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t iters = (uint64_t)case_fact(run, "iters");

    for (uint64_t k = 1; k <= 4 * iters && !case_has(run, "gpu_ns"); k++)
        if (k != iters && decrypt_entry(input[entry], k) == output[entry])
            return k;
    return 0;
}

/* The GPU's entries come first. Some of those still encrypted, or not there:
 * they were read before they were copied back. */
static struct finding explain_wrong(const struct case_run *run)
{
    const struct difference *const d = &run->difference;
    const uint64_t gpu = case_param(run, "gpu"), host = num_host(run);

    if (d->first >= gpu && d->kinds[0] == host)
        return finding_todo_or(run, mistake("host-part-missing"));
    if (d->first >= gpu && d->kinds[0] == d->wrong)
        return mistake_with("host-part-missing/some", "first=%llu\nlast=%llu",
                            (unsigned long long)(d->first - gpu),
                            (unsigned long long)(d->last - gpu));
    if (d->first >= gpu)
        return mistake("host-part-wrong");
    if (d->kinds[0] + d->kinds[1] > 0)
        return mistake(run->virtual_run ? "gpu-part-missing"
                                        : "read-before-sync");
    return mistake("gpu-part-wrong");
}

/* What is on the device is there already: whoever copies more to it has the GPU
 * decrypt that. On a real GPU, a sum that is made early looks like one of wrong
 * entries. */
static bool ask_parts(const struct case_run *run, struct judgement *judgement)
{
    const uint64_t sum = sum_of(run);
    const uint64_t told = strtoull(case_text(run, "sum"), NULL, 10);
    const struct sign signs[] = {{told == (uint32_t)sum, "sum-wrong/narrow"},
                                 {run->virtual_run, "sum-wrong"},
                                 {true, "read-before-sync"}};

    if (query_bytes(case_trace(run), QUERY_IN) >= num_host(run) * sizeof sum)
        return judge_no(run, judgement, mistake("host-part-on-gpu"),
                        "right, but copied to the device: so many bytes as the "
                        "host's part has");
    if (case_fact(run, "beyond") > 0)
        return judge_no(run, judgement, mistake("host-part-overrun"),
                        "right, but memory beyond host_part was written");
    return told == sum || judge_no(run, judgement, mistake_first(signs),
                                   "all entries are right, but the sum is not");
}

/* ---- at the same time ---------------------------------------------------- */

/* Asked again and again, a stream or an event is waited for. */
static bool is_asked_again(const struct trace *trace,
                           const struct trace_call *call)
{
    const struct trace_call *const next = query_next_call(trace, "*", call);

    return text_matches(call->name, "cuda*Query") && next &&
           strcmp(next->at, call->at) == 0;
}

/* The host's own work is the longest time without a call. Where is it? */
static struct finding explain_place(const struct trace *trace)
{
    const struct trace_call *call = NULL, *launch = NULL, *wait = NULL;
    struct finding found = mistake("in-turns");
    uint64_t idle_from_ns, longest_ns = 0;

    if (!trace || trace->num_marks < 2)
        return found;
    idle_from_ns = trace->marks[0].t_ns;
    do {
        call = query_next_call(trace, "*", call);

        const uint64_t until_ns =
            call ? call->start_ns : trace->marks[trace->num_marks - 1].t_ns;

        if (until_ns > idle_from_ns + longest_ns) {
            longest_ns = until_ns - idle_from_ns;
            found = !launch ? mistake("host-work-before-launch")
                    : wait  ? mistake_at("sync-before-host-work", wait->at)
                            : mistake("in-turns");
        }
        if (call == NULL)
            return found;
        idle_from_ns = call->end_ns;
        if (text_matches(call->name, LAUNCH)) {
            launch = call;
            wait = NULL;
        } else if (launch && !wait &&
                   (query_is_wait(call) || is_asked_again(trace, call) ||
                    text_matches(call->name, "cudaMemcpy"))) {
            wait = call; /* so is a copy back from pageable memory */
        }
    } while (true);
}

/* Where it is timed there is no trace: the same code ran under the checker. */
static struct finding explain_parts(const struct case_run *run, enum ask failed)
{
    const bool hazard = case_checked(run)->hazards > 0;
    const struct difference *const d = &run->difference;
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t rounds = d->wrong > 0 ? other_rounds(run, d->last) : 0;

    if (rounds > 0)
        return mistake_with("other-rounds", "part=%s\nrounds=%llu",
                            d->last < case_param(run, "gpu") ? "gpu_part"
                                                             : "host_part",
                            (unsigned long long)rounds);
    /* It needs nothing of the GPU's. */
    if (d->wrong > 0 && d->last >= case_param(run, "gpu") &&
        output[d->last] != input[d->last])
        return mistake("host-part-wrong/other");
    return failed == ASK_RIGHT ? explain_wrong(run)
           : failed == ASK_SPEED
               ? explain_place(case_trace(case_other(run, BOTH)))
               : mistake(failed != ASK_ORDER || !hazard ? NULL
                         : cipher_has_hazard(run, DONE_BY(kernel), DONE_BY_COPY)
                             ? "copy-not-ordered"
                             : "read-before-sync");
}

/* ---- the kernel's time --------------------------------------------------- */

/* Nearly no time, although the kernel is waited for: the calls tell whose clock
 * it was. The driver's -1 ms are a time that nobody has set. */
static struct finding explain_short(const struct case_run *run)
{
    const struct trace *const trace = case_trace(case_other(run, KERNEL));
    const struct trace_call *const record =
        query_call(trace, "cudaEventRecord*");
    const struct trace_op *const kernel = query_first(trace, QUERY_KERNELS);
    const int64_t told = case_fact(run, "kernel_ns");
    const unsigned records = query_calls(trace, "cudaEventRecord*");
    const double reference = (double)case_fact(run, "reference_ns");
    const double launch = (double)case_fact(run, "launch_ns");
    const struct finding untimed = finding_untimed(case_other(run, KERNEL));
    const struct sign signs[] = {
        {told < 0 && told != -1000000, "events-exchanged"},
        {records > 1 && kernel &&
             query_calls_before(trace, "cudaEventRecord*", LAUNCH) == 0,
         "event-late"},
        {cipher_is_other_unit((double)told, reference), "timer-unit"},
        {told == 0 && records > 1 && kernel, "timer-whole"},
        {told <= 0, "no-kernel-time"},
        {query_calls(trace, "clock*") > 0, "processor-time"},
        {record && kernel && record->stream != kernel->stream, "event-stream"},
        {fabs(launch / reference - 1) < TIME_SLACK, "times-exchanged"},
        {record &&
             query_calls_before(trace, "cudaEventRecord*", LAUNCH) == records,
         "event-early"},
        {true, "launch-timed"}};

    return finding_todo_or(run, untimed.id ? untimed : mistake_first(signs));
}

/* One run of the kernel, of which the data tells. */
static struct finding explain_data(const struct case_run *run)
{
    const struct trace *const trace = case_trace(case_other(run, KERNEL));
    const bool again = query_count(trace, QUERY_KERNELS) > 1;

    return mistake(again ? "run-again" : "other-work");
}

/* What kernel_ms and launch_ms are, against a time that the driver took of the
 * same kernel alone. Four digits: a launch takes some microseconds. */
static bool ask_kernel(const struct case_run *run, struct judgement *judgement)
{
    static const char times[] =
        "kernel_ms is {kernel_ns:ms4}, the kernel takes {reference_ns:ms4}";
    const double kernel = (double)case_fact(run, "kernel_ns");
    const double reference = (double)case_fact(run, "reference_ns");
    const double launch = (double)case_fact(run, "launch_ns");
    const struct trace *const trace = case_trace(case_other(run, KERNEL));
    struct trace_facts facts;

    trace_facts_take(&facts, trace);
    if (kernel < (1 - TIME_SLACK) * reference)
        judge_no(run, judgement, explain_short(run), times);
    else if (kernel > (1 + TIME_SLACK) * reference)
        judge_no(run, judgement,
                 mistake_first((struct sign[]){
                     {cipher_is_other_unit(kernel, reference), "timer-unit"},
                     SIGN_AT("few-threads", facts.few_threads),
                     {query_calls(trace, "clock*") > 0, "processor-time"},
                     {case_param(run, "busy"), "earlier-work-timed"},
                     {true, "too-much-timed"}}),
                 times);
    else if (launch < LEAST_LAUNCH_NS || launch > 0.3 * reference)
        judge_no(run, judgement,
                 mistake(launch < LEAST_LAUNCH_NS ? "launch-not-timed"
                                                  : "wait-in-launch-time"),
                 "launch_ms is {launch_ns:ms4}, the kernel takes "
                 "{reference_ns:ms4}");
    else if (case_fact(run, "running"))
        judge_no(run, judgement, mistake("kernel-left-running"),
                 "the kernel still runs at the end");
    else if (!judge_right(run, judgement))
        judgement->finding = explain_data(run);
    else if (judge_clean(run, judgement))
        judge_yes(run, judgement,
                  "launch {launch_ns:ms4} ms, kernel {kernel_ns:ms4} ms (is "
                  "{reference_ns:ms4})");
    judgement->borderline = run->backend == BACKEND_CUDA &&
                            !judgement->passed && kernel > reference / 2 &&
                            kernel < 2 * reference && launch < reference;
    return judgement->passed;
}

/* ---- the rules ----------------------------------------------------------- */

/* The GPU's part; the host decrypts as well. */
static uint64_t work(const struct case_run *run)
{
    return case_param(run, "gpu") * (uint64_t)case_fact(run, "iters");
}

/* The GPU's entries and the host's; room= is enough for both. */
static const struct case_data parts = {.entries = "room",
                                       .expect = expect,
                                       .still = "still encrypted",
                                       .noun = "value",
                                       .work = work};

/* What the kernel to be timed works on. */
static const struct case_data message = {
    .entries = "gpu", .expect = expect, .still = "still encrypted"};

#define PARTS(sizes)                                                           \
    .params = "what=together iters=48 " sizes, .data = &parts,                 \
    .checked = true,                                                           \
    .asks = LAB_ASKS(judge_order, judge_right, judge_clean, ask_parts),        \
    .explain = explain_parts, .passed = "{gpu} on the GPU, {host} on the host"
#define KERNEL_TIME(target_us_cuda, more)                                      \
    .params = "what=kernel gpu=4096 target_us=250..450" more,                  \
    .params_cuda = "what=kernel gpu=262144 target_us=" target_us_cuda more,    \
    .data = &message, .timed = true, .asks = LAB_ASKS(ask_kernel)

/* What is timed gets its length from the rounds: on a virtual GPU few entries
 * do, since each costs the host its rounds, and a fast device needs many. */
static const struct lab_case cases[] = {
    {.name = BOTH, .points = 25, PARTS("gpu=3000 host=400 room=3400")},
    {.name = "one entry each",
     .points = 3,
     .needs = BOTH,
     PARTS("gpu=1 host=1 room=2")},
    {.name = "more on the host",
     .points = 2,
     .needs = BOTH,
     PARTS("gpu=300 host=700 room=1000")},
    {.name = "at the same time",
     .points = 30,
     .params = "what=together gpu=4096 room=8192 target_us=310..390",
     .params_cuda = "what=together gpu=262144 room=266240 target_us=3500..4500",
     .data = &parts,
     .timed = true,
     .drawn = true,
     .needs = BOTH,
     .asks = LAB_ASKS(judge_right),
     .speed = {"gpu_ns+host_ns+sum_ns", "ns", "gpu_ns|host_ns+sum_ns",
               .eta_needed = 0.7},
     .explain = explain_parts},
    {.name = KERNEL,
     .points = 20,
     .checked = true,
     KERNEL_TIME("3000..5000", "")},
    {.name = "its time on a busy GPU",
     .points = 15,
     .needs = KERNEL,
     /* Of so little a whole number of milliseconds is too far off. */
     KERNEL_TIME("1400..1700", " busy=1")},
};

LAB_RULES(.name = "02_async_launch");
