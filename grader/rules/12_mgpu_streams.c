/*
 * 12_mgpu_streams.c: rules of lab 12. A lab of cases: the sizes, what is made,
 * and the work are each judged alone, then everything together.
 */
#include <stdlib.h>
#include <string.h>

#include "12_mgpu.h"
#include "cipher.h"

/* Names of cases that other code asks for. */
#define MADE   "streams and memory"
#define EVEN   "even chunks"
#define UNEVEN "uneven chunks"
#define EMPTY  "empty GPUs"
#define WHOLE  "the whole job"

/* ---- a function that did not return -------------------------------------- */

/* InvalidValue of a copy, where the even chunks were right. */
static struct finding explain_invalid(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const bool even_right =
        even && even != run && even->ran && even->wrong_rounds == 0;

    if (even_right && (case_is(run, UNEVEN) || case_is(run, EMPTY)))
        return mistake("width-underflow/copy");
    return mistake("outside-the-memory");
}

static bool is_giving_back(const struct api_error *error)
{
    return strncmp(error->call, "cudaFree", 8) == 0 ||
           strncmp(error->call, "cudaStreamDestroy", 17) == 0;
}

static struct finding explain_error(const struct case_run *run)
{
    const struct lab_rules *const lab = run->evidence->lab;
    const struct api_error *const error = &run->error;
    const bool launch = strncmp(error->call, "cudaGetLastError", 16) == 0;

    /* The driver's own clean-up, after the student's work. */
    if (is_giving_back(error) &&
        strncmp(error->at, lab->name, strlen(lab->name)) == 0)
        return mistake("gives-back-what-is-lent");
    if (is_giving_back(error))
        return mistake("given-back-wrong");
    /* CUDA 13 on an H200 says InvalidValue to a launch of 0 blocks. */
    if (strcmp(error->name, "cudaErrorInvalidConfiguration") == 0 ||
        (launch && strcmp(error->name, "cudaErrorInvalidValue") == 0))
        return mistake("empty-launch");
    if (strncmp(error->call, "cudaMemcpy", 10) == 0 &&
        strcmp(error->name, "cudaErrorInvalidValue") == 0)
        return explain_invalid(run);
    if (strcmp(error->name, "cudaErrorInvalidResourceHandle") == 0 ||
        strcmp(error->name, "cudaErrorContextIsDestroyed") == 0)
        return mistake("no-such-stream");
    return finding_none();
}

static struct finding explain_end(const struct case_run *run)
{
    const char *const words = text_string(&run->fault);
    const char *const owner = strstr(words, "memory of device ");
    const char *const user = strstr(words, "used by device ");
    struct finding found = finding_none();

    if (owner && user)
        return mgpu_explain_unreachable(run, (unsigned)atoi(owner + 17),
                                        (unsigned)atoi(user + 15));
    if (run->error.at[0])
        found = explain_error(run);
    if (found.id == NULL &&
        (strcmp(run->error.name, "cudaErrorIllegalAddress") == 0 ||
         strcmp(run->late, "cudaErrorIllegalAddress") == 0))
        return mistake("illegal-address");
    return found.id ? found : finding_end(run);
}

/* ---- the whole job ------------------------------------------------------- */

static void judge_whole(const struct case_run *run, struct judgement *judgement)
{
    if (judge_right(run, judgement) && judge_order(run, judgement)) {
        judge_pass(judgement, "decrypted twice, %llu entries",
                   (ull)case_param(run, "entries"));
        return;
    }
    judgement->finding = mistake("not-together");
}

/* ---- fast ---------------------------------------------------------------- */

static bool is_issue(const struct trace_call *call)
{
    return strncmp(call->name, "cudaMemcpy", 10) == 0 ||
           strncmp(call->name, "cudaLaunchKernel", 16) == 0;
}

static bool is_wait(const struct trace_call *call)
{
    return strcmp(call->name, "cudaStreamSynchronize") == 0 ||
           strcmp(call->name, "cudaDeviceSynchronize") == 0 ||
           strcmp(call->name, "cudaEventSynchronize") == 0;
}

/* Waits of the host with work for the same GPU behind them, and with work for
 * another one. */
struct pauses {
    unsigned inside, between;
    const char *at;
};

static void pauses_count(struct pauses *pauses, const struct trace *trace)
{
    const struct trace_call *call = NULL, *wait = NULL;
    uint64_t last = TRACE_MAX_DEVICES;

    memset(pauses, 0, sizeof *pauses);
    while ((call = query_next_call(trace, "cuda*", call))) {
        if (is_wait(call))
            wait = call;
        if (!is_issue(call))
            continue;
        if (wait && last != TRACE_MAX_DEVICES) {
            pauses->at = pauses->at ? pauses->at : wait->at;
            if (mgpu_device_of_stream(trace, call->stream) == last)
                pauses->inside++;
            else
                pauses->between++;
        }
        wait = NULL;
        last = mgpu_device_of_stream(trace, call->stream);
    }
}

static struct finding explain_pauses(const struct mgpu_view *v,
                                     const struct trace *trace)
{
    struct pauses pauses;

    pauses_count(&pauses, trace);
    if (pauses.inside > 0 || pauses.between >= v->gpus)
        return mistake_with("sync-in-loop", "at=%s", query_place(pauses.at));
    if (pauses.between > 0)
        return mistake_with("gpus-one-by-one", "at=%s", query_place(pauses.at));
    return finding_none();
}

static unsigned gpus_used(const struct trace *trace)
{
    const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL)};

    return query_devices(trace, &kernels);
}

/* Slower than the GPUs could be by anything that they do. */
static bool is_host_work(const struct case_run *run)
{
    const int64_t serial_ns = case_fact(run, "h2d_ns") +
                              case_fact(run, "kernel_ns") +
                              case_fact(run, "d2h_ns");

    return case_fact(run, "student_ns") >
           4 * serial_ns * (int64_t)case_fact(run, "gpus");
}

static struct finding explain_fast(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const seen = even ? even->virtual_run : NULL;
    struct trace_facts facts;
    struct mgpu_view v = {0};
    struct finding found;

    if (seen == NULL || !seen->traced)
        return finding_none();
    v.gpus = case_param(even, "gpus");
    v.streams = case_param(even, "streams");
    trace_facts_take(&facts, &seen->trace);
    if (facts.blocking_copies > 0)
        return mistake_with("blocking-copy", "at=%s", facts.copy_at);
    if (facts.kernels_default + facts.copies_default > 0)
        return mistake_with("default-stream", "at=%s",
                            facts.kernels_default > 0 ? facts.kernel_at
                                                      : facts.copy_at);
    found = explain_pauses(&v, &seen->trace);
    if (found.id)
        return found;
    if (gpus_used(&seen->trace) < v.gpus)
        return mistake_with("few-gpus", "trace=%u\ngpus=%u",
                            gpus_used(&seen->trace), (unsigned)v.gpus);
    if (is_host_work(run))
        return mistake("host-works");
    if (facts.streams < v.gpus * v.streams)
        return mistake_with("few-streams", "streams=%u\nstreams2=%u",
                            facts.streams, (unsigned)(v.gpus * v.streams));
    return finding_none();
}

/* Below that, the fixed costs of small copies on a virtual device with a fast
 * link hide the overlap. */
enum { SHORT_COPY_NS = 250000 };

static void judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct judge_speed times = cipher_speed(run, 0.60);
    const double h2d = (double)case_fact(run, "h2d_ns");

    if (!judge_right(run, judgement))
        return;
    if (run->backend == BACKEND_VGPU && h2d < SHORT_COPY_NS) {
        judge_pass(judgement,
                   "not gradable for speed here: a copy of a GPU's entries "
                   "takes %.3f ms only",
                   h2d / 1e6);
        return;
    }
    if (!judge_speed(run, judgement, &times) && judgement->finding.id == NULL)
        judgement->finding = explain_fast(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n) ((n) * sizeof(uint64_t))
/* Host, guard, and on each GPU all entries, a GPU chunk and a guard. */
#define JOB(n, gpus, gpu_chunk, guard)                                         \
    ENTRIES((n) + (guard) + (gpus) * ((n) + (gpu_chunk) + (guard)))

/* As in lab 08, the slow link of a K20 shows on few MiB what a fast one shows
 * on many: enough that the calls that queue one GPU's work are short beside
 * it. On real GPUs, all that the machine has take part. */
#define LARGE_VGPU (3 * (1 << 19) - 5)
#define LARGE_CUDA ((1 << 26) - 5)

static const struct lab_case cases[] = {
    {.name = "sizes of chunks",
     .points = 10,
     .params = "job=chunks",
     .gpus = 2,
     .judge = mgpu_judge_chunks},
    {.name = "widths of chunks",
     .points = 5,
     .params = "job=widths",
     .gpus = 2,
     .judge = mgpu_judge_widths},
    {.name = MADE,
     .points = 15,
     .params = "job=create entries=3145733 gpus=3 streams=4",
     .gpus = 3,
     .checked = true,
     .judge = mgpu_judge_made},
    {.name = EVEN,
     .points = 10,
     .params = "job=decrypt entries=8192 gpus=2 streams=4 guard=4160 iters=12",
     .input_bytes = JOB(8192, 2, 4096, 4160),
     .output_bytes = JOB(8192, 2, 4096, 4160),
     .gpus = 2,
     .checked = true,
     .compare = mgpu_compare_job,
     .work = case_cipher_work,
     .judge = mgpu_judge_job},
    {.name = UNEVEN,
     .points = 10,
     .params = "job=decrypt entries=10007 gpus=3 streams=5 guard=3400 iters=12",
     .input_bytes = JOB(10007, 3, 3340, 3400),
     .output_bytes = JOB(10007, 3, 3340, 3400),
     .gpus = 3,
     .checked = true,
     .needs = EVEN,
     .compare = mgpu_compare_job,
     .work = case_cipher_work,
     .judge = mgpu_judge_job},
    {.name = EMPTY,
     .points = 10,
     .params = "job=decrypt entries=5 gpus=4 streams=2 guard=64 iters=12",
     .input_bytes = JOB(5, 4, 2, 64),
     .output_bytes = JOB(5, 4, 2, 64),
     .gpus = 4,
     .checked = true,
     .needs = EVEN,
     .compare = mgpu_compare_job,
     .work = case_cipher_work,
     .judge = mgpu_judge_job},
    {.name = "given back",
     .points = 5,
     .params = "job=back entries=1000 gpus=2 streams=4",
     .gpus = 2,
     .checked = true,
     .needs = MADE,
     .judge = mgpu_judge_given_back},
    {.name = WHOLE,
     .points = 5,
     .params = "job=whole entries=1003 gpus=2 streams=3 iters=12",
     .input_bytes = ENTRIES(1003),
     .output_bytes = ENTRIES(1003),
     .gpus = 2,
     .checked = true,
     .needs = UNEVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = judge_whole},
    {.name = "fast",
     .points = 25,
     .params = "job=large entries=1572859 gpus=2 streams=6",
     .params_cuda = "job=large entries=67108859 gpus=0 streams=8",
     .input_bytes = ENTRIES(LARGE_VGPU),
     .output_bytes = ENTRIES(LARGE_VGPU),
     .input_bytes_cuda = ENTRIES(LARGE_CUDA),
     .output_bytes_cuda = ENTRIES(LARGE_CUDA),
     .gpus = 2,
     .timed = true,
     .drawn = true,
     .needs = WHOLE,
     .seconds = 60,
     .compare = cipher_compare_large,
     .work = case_cipher_work,
     .judge = judge_fast},
};

static const struct lab_rules lab_12 = {
    .name = "12_mgpu_streams",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .explain_end = explain_end,
};

LAB_RULES(lab_12);
