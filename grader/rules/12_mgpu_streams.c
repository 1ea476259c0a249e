/*
 * 12_mgpu_streams.c: rules of lab 12. A lab of cases: the sizes, what is made,
 * and the work are each judged alone, then everything together.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "12_mgpu.h"
#include "chunks.h"
#include "cipher.h"
#include "number.h"

/* Names of cases that other code asks for. */
#define MADE   "streams and memory"
#define EVEN   "even chunks"
#define UNEVEN "uneven chunks"
#define EMPTY  "empty GPUs"
#define WHOLE  "the whole job"

/* ---- sizes of chunks ----------------------------------------------------- */

static uint64_t indexed(const struct case_run *run, const char *key, int i)
{
    return (uint64_t)case_numbered_fact(run, key, (unsigned)i);
}

struct problem {
    uint64_t n, gpus, streams, stream_chunk, gpu_chunk;
};

static struct problem problem_of(const struct case_run *run, int i)
{
    return (struct problem){indexed(run, "entries", i), indexed(run, "gpus", i),
                            indexed(run, "streams", i),
                            indexed(run, "stream_chunk", i),
                            indexed(run, "gpu_chunk", i)};
}

/* What students take for the size of a chunk, and what it should be. */
enum formula {
    NOTHING,
    STREAM_RIGHT,
    STREAM_FLOOR,
    STREAM_FLOOR_OF_GPU,
    STREAM_OF_FLOOR,
    WITHOUT_GPUS,
    WITHOUT_STREAMS,
    WITHOUT_STREAMS_FLOOR,
    GPU_RIGHT,
    TIMES_GPUS,
    FORMULAS,
};

static uint64_t compute(enum formula formula, const struct problem *p)
{
    const uint64_t chunks = p->gpus * p->streams;
    const uint64_t right = div_up(p->n, chunks);
    const uint64_t sizes[FORMULAS] = {
        [STREAM_RIGHT] = right,
        [STREAM_FLOOR] = p->n / chunks,
        [STREAM_FLOOR_OF_GPU] = div_up(p->n, p->gpus) / p->streams,
        [STREAM_OF_FLOOR] = div_up(p->n / p->gpus, p->streams),
        [WITHOUT_GPUS] = div_up(p->n, p->streams),
        [WITHOUT_STREAMS] = div_up(p->n, p->gpus),
        [WITHOUT_STREAMS_FLOOR] = p->n / p->gpus,
        [GPU_RIGHT] = right * p->streams,
        [TIMES_GPUS] = right * p->gpus,
    };

    return sizes[formula];
}

/* Does the student have both sizes so, for every problem? FORMULAS: any. */
static bool chosen_by(const struct case_run *run, enum formula stream_chunk,
                      enum formula gpu_chunk)
{
    const int count = (int)case_fact(run, "count");

    for (int i = 0; i < count; i++) {
        const struct problem p = problem_of(run, i);

        if ((stream_chunk != FORMULAS &&
             p.stream_chunk != compute(stream_chunk, &p)) ||
            (gpu_chunk != FORMULAS && p.gpu_chunk != compute(gpu_chunk, &p)))
            return false;
    }
    return true;
}

/* The stream's chunk first: a GPU's is made of them. */
static struct finding explain_chunks(const struct case_run *run)
{
    static const struct {
        enum formula stream_chunk, gpu_chunk;
        const char *name;
    } mistakes[] = {
        {NOTHING, FORMULAS, NULL},
        {STREAM_FLOOR, FORMULAS, "floor-division"},
        {STREAM_FLOOR_OF_GPU, FORMULAS, "floor-division"},
        {STREAM_OF_FLOOR, FORMULAS, "floor-division"},
        {WITHOUT_GPUS, FORMULAS, "gpus-forgotten"},
        {WITHOUT_STREAMS, FORMULAS, "streams-forgotten"},
        {WITHOUT_STREAMS_FLOOR, FORMULAS, "streams-forgotten"},
        {GPU_RIGHT, STREAM_RIGHT, "chunks-exchanged"},
        {STREAM_RIGHT, NOTHING, NULL},
        {STREAM_RIGHT, WITHOUT_STREAMS, "gpu-chunk-not-whole"},
        {STREAM_RIGHT, WITHOUT_STREAMS_FLOOR, "gpu-chunk-not-whole"},
        {STREAM_RIGHT, TIMES_GPUS, "times-gpus"},
        {STREAM_RIGHT, STREAM_RIGHT, "one-chunk-a-gpu"},
        {STREAM_RIGHT, FORMULAS, "gpu-chunk"},
        {FORMULAS, FORMULAS, "stream-chunk"},
    };
    const struct problem p = problem_of(run, 1); /* the example in the words */
    const uint64_t reach = p.streams * p.stream_chunk;
    size_t i = 0;

    while (!chosen_by(run, mistakes[i].stream_chunk, mistakes[i].gpu_chunk))
        i++;
    return mistake_with(mistakes[i].name,
                        "entries=%" PRIu64 "\ngpus=%" PRIu64
                        "\nstreams=%" PRIu64 "\nstream_chunk=%" PRIu64
                        "\ngpu_chunk=%" PRIu64 "\nreach=%" PRIu64
                        "\nshared=%" PRIu64,
                        p.n, p.gpus, p.streams, p.stream_chunk, p.gpu_chunk,
                        reach, reach - p.gpu_chunk);
}

static void judge_chunks(const struct case_run *run,
                         struct judgement *judgement)
{
    const int count = (int)case_fact(run, "count");

    for (int i = 0; i < count; i++) {
        const struct problem p = problem_of(run, i);
        const uint64_t stream_chunk = compute(STREAM_RIGHT, &p);
        const uint64_t gpu_chunk = compute(GPU_RIGHT, &p);

        if (p.stream_chunk == stream_chunk && p.gpu_chunk == gpu_chunk)
            continue;
        judge_fail(judgement, explain_chunks(run),
                   "%" PRIu64 " entries, %" PRIu64 " GPUs, %" PRIu64
                   " streams: chunks of %" PRIu64 " and %" PRIu64
                   ", not %" PRIu64 " and %" PRIu64,
                   p.n, p.gpus, p.streams, p.stream_chunk, p.gpu_chunk,
                   stream_chunk, gpu_chunk);
        return;
    }
    judge_yes(run, judgement, "right for {count} problems");
}

/* ---- widths -------------------------------------------------------------- */

static struct finding explain_width(uint64_t lower, uint64_t size, uint64_t n,
                                    uint64_t width)
{
    return mistake_first((struct sign[]){
        {width == 0, NULL},
        {lower > n && (width == n - lower || width > UINT64_MAX / 2),
         "width-underflow"},
        {lower < n && width == size, "tail-not-shortened"},
        {lower >= n && width == size, "empty-not-empty"},
        {true, "width"}});
}

static void judge_widths(const struct case_run *run,
                         struct judgement *judgement)
{
    const int count = (int)case_fact(run, "count");

    for (int i = 0; i < count; i++) {
        const uint64_t lower = indexed(run, "lower", i);
        const uint64_t size = indexed(run, "size", i);
        const uint64_t n = indexed(run, "entries", i);
        const uint64_t width = indexed(run, "width", i);
        const uint64_t expected = min_u64(lower < n ? n - lower : 0, size);

        if (width == expected)
            continue;
        judge_fail(judgement, explain_width(lower, size, n, width),
                   "a chunk of %" PRIu64 " at %" PRIu64 " of %" PRIu64
                   " entries: width %" PRIu64 ", not %" PRIu64,
                   size, lower, n, width, expected);
        return;
    }
    judge_yes(run, judgement, "right for {count} chunks");
}

/* ---- streams and memory -------------------------------------------------- */

/*
 * As the driver found them, where 3 GPUs should have 4 streams each: the GPU
 * that each is on, row by row; "-" for none, "=" for a stream that is there
 * already, "h" for memory of the host, "<" for too little.
 */
static const char *const right_streams = "0000/1111/2222/";
static const char *const right_memory = "012";

static const struct {
    const char *streams, *memory; /* "*": any */
    const char *name;
} usual_places[] = {
    {"----/----/----/", "---", NULL},
    {"0000/0000/0000/", "000", "set-device-forgotten"},
    {"0000/0000/0000/", "*", "streams-on-gpu-0"},
    {"*", "000", "memory-on-gpu-0"},
    {"0000/0000/1111/", "*", "set-device-late"},
    {"012-/012-/012-/", "*", "indices-exchanged"},
};

static struct finding explain_memory(const char *memory)
{
    static const char letters[] = "-h<";
    static const char *const names[] = {"no-memory", "not-gpu-memory",
                                        "memory-too-small"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strchr(memory, letters[i]))
            return mistake_with(names[i], "gpu=%d",
                                (int)(strchr(memory, letters[i]) - memory));
    return mistake("memory-elsewhere");
}

static struct finding explain_streams(const char *streams)
{
    const size_t none = strcspn(streams, "-"), row = strcspn(streams, "/") + 1;

    if (strchr(streams, '='))
        return mistake("stream-twice");
    if (streams[none])
        return mistake_with("streams-missing", "gpu=%zu\nstream=%zu",
                            none / row, none % row);
    return mistake("streams-elsewhere");
}

static struct finding explain_made(const char *streams, const char *memory)
{
    for (size_t i = 0; i < sizeof usual_places / sizeof *usual_places; i++)
        if (text_matches(streams, usual_places[i].streams) &&
            text_matches(memory, usual_places[i].memory))
            return mistake(usual_places[i].name);
    return strcmp(streams, right_streams) == 0 ? explain_memory(memory)
                                               : explain_streams(streams);
}

/* Room for all entries on every GPU? Half of the difference counts as noise. */
static bool takes_too_much(const struct case_run *run)
{
    const int64_t bytes = (int64_t)(case_param(run, "entries") * 8);
    const int64_t gpus = (int64_t)case_param(run, "gpus");

    return case_fact(run, "taken") > bytes + bytes * (gpus - 1) / 2;
}

static void judge_made(const struct case_run *run, struct judgement *judgement)
{
    const char *const streams = case_text(run, "streams_on");
    const char *const memory = case_text(run, "memory_on");

    if (run->pending[0])
        judge_clean(run, judgement);
    else if (strcmp(streams, right_streams) != 0 ||
             strcmp(memory, right_memory) != 0)
        judge_fail(judgement, explain_made(streams, memory),
                   "streams on GPUs %.*s, memory on GPUs %s",
                   (int)strlen(streams) - 1, streams, memory);
    else if (takes_too_much(run))
        judge_no(run, judgement, mistake("whole-array-on-each-gpu"),
                 "room for all entries on each GPU");
    else
        judge_yes(run, judgement,
                  "{streams} streams and a chunk on each of {gpus} GPUs");
}

/* ---- given back, and the whole job --------------------------------------- */

/* Who has not come to mgpu_destroy yet cannot have it right. */
static struct finding explain_given_back(const struct case_run *run,
                                         enum ask failed)
{
    if (failed == ASK_CLEAN && run->pending[0] == '\0' && run->late[0] == '\0')
        return finding_open_todo(run->evidence);
    return finding_none();
}

/* Each part alone was right. */
static struct finding explain_whole(const struct case_run *run, enum ask failed)
{
    (void)run, (void)failed;
    return mistake("not-together");
}

/* ---- fast ---------------------------------------------------------------- */

/* The host waits, and then has more work for the same GPU ("sync-in-loop"), or
 * gives the next GPU its first: they take turns. */
static struct finding explain_pauses(const struct trace *trace, uint64_t gpus)
{
    const struct trace_call *call = NULL, *wait = NULL;
    unsigned last = TRACE_MAX_DEVICES, inside = 0, between = 0;
    const char *at = NULL;

    while ((call = query_next_call(trace, "cuda*", call))) {
        if (query_is_wait(call))
            wait = call;
        if (!query_is_issue(call))
            continue;
        if (wait && last != TRACE_MAX_DEVICES) {
            at = at ? at : wait->at;
            if (mgpu_home(trace, call->stream) == last)
                inside++;
            else
                between++;
        }
        wait = NULL;
        last = mgpu_home(trace, call->stream);
    }
    if (at == NULL)
        return finding_none();
    return mistake_at(
        inside > 0 || between >= gpus ? "sync-in-loop" : "gpus-one-by-one", at);
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

/* What the case of even chunks shows: there the checker was looking. */
static struct finding explain_fast(const struct case_run *run, enum ask failed)
{
    const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL)};
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const seen = even ? even->virtual_run : NULL;
    uint64_t gpus, streams;
    unsigned used;
    struct trace_facts facts;
    struct finding found;

    if (failed != ASK_SPEED || seen == NULL || !seen->traced)
        return finding_none();
    gpus = case_param(even, "gpus");
    streams = gpus * case_param(even, "streams");
    used = query_devices(&seen->trace, &kernels);
    trace_facts_take(&facts, &seen->trace);
    if (facts.blocking_copies > 0)
        return mistake_at("blocking-copy", facts.copy_at);
    if (facts.kernels_default + facts.copies_default > 0)
        return mistake_at("default-stream", facts.kernels_default > 0
                                                ? facts.kernel_at
                                                : facts.copy_at);
    found = explain_pauses(&seen->trace, gpus);
    if (found.id)
        return found;
    if (used < gpus)
        return mistake_with("few-gpus", "used=%u\ngpus=%" PRIu64, used, gpus);
    if (is_host_work(run))
        return mistake("host-works");
    if (facts.streams < streams)
        return mistake_with("few-streams", "used=%u\nstreams=%" PRIu64,
                            facts.streams, streams);
    return finding_none();
}

/* Below that, the fixed costs of small copies on a virtual device with a fast
 * link hide the overlap. */
enum { SHORT_COPY_NS = 250000 };

static bool is_gradable(const struct case_run *run, struct judgement *judgement)
{
    if (run->backend != BACKEND_VGPU ||
        case_fact(run, "h2d_ns") >= SHORT_COPY_NS)
        return true;
    judge_yes(run, judgement,
              "not gradable for speed here: a copy of a GPU's entries takes "
              "{h2d_ns:ms} ms only");
    return false;
}

/* ---- a function that did not return -------------------------------------- */

/* InvalidValue of a copy, where the even chunks were right. */
static bool is_only_uneven(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);

    return even && even != run && even->ran && even->wrong_rounds == 0 &&
           (case_is(run, UNEVEN) || case_is(run, EMPTY));
}

static struct finding explain_error(const struct case_run *run)
{
    const char *const lab = run->evidence->lab->name;
    const bool gives_back = case_failed(run, "cudaFree*", NULL) ||
                            case_failed(run, "cudaStreamDestroy*", NULL);
    const bool copy = case_failed(run, "cudaMemcpy*", "cudaErrorInvalidValue");

    return mistake_first((struct sign[]){
        /* The driver's own clean-up, after the student's work. */
        {gives_back && strncmp(run->error.at, lab, strlen(lab)) == 0,
         "gives-back-what-is-lent"},
        {gives_back, "given-back-wrong"},
        {case_failed(run, NULL, "cudaErrorInvalidConfiguration") ||
             /* CUDA 13 on an H200 says so to a launch of 0 blocks. */
             case_failed(run, "cudaGetLastError", "cudaErrorInvalidValue"),
         "empty-launch"},
        {copy && is_only_uneven(run), "width-underflow/copy"},
        {copy, "outside-the-memory"},
        {case_failed(run, NULL, "cudaErrorInvalidResourceHandle") ||
             case_failed(run, NULL, "cudaErrorContextIsDestroyed"),
         "no-such-stream"},
        {case_failed(run, NULL, "cudaErrorIllegalAddress") ||
             strcmp(run->late, "cudaErrorIllegalAddress") == 0,
         "illegal-address"},
        {true, NULL}});
}

static struct finding explain_end(const struct case_run *run)
{
    const char *const words = text_string(&run->fault);
    const char *const owner = strstr(words, "memory of device ");
    const char *const user = strstr(words, "used by device ");
    struct finding found;

    if (owner && user)
        return mgpu_explain_unreachable(run, (unsigned)atoi(owner + 17),
                                        (unsigned)atoi(user + 15));
    found = explain_error(run);
    return found.id ? found : finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

/* The host's entries, and in @all those of the GPUs, too. */
static const struct case_data host = {.inputs = 1,
                                      .outputs = 1,
                                      .compare = cipher_compare_job,
                                      .work = case_cipher_work};
static const struct case_data all = {.inputs = 1,
                                     .outputs = 1,
                                     .count = mgpu_count,
                                     .compare = cipher_compare_job,
                                     .work = case_cipher_work};
static const struct case_data large = {.inputs = 1,
                                       .outputs = 1,
                                       .compare = cipher_compare_large,
                                       .work = case_cipher_work};

static const struct lab_case cases[] = {
    {.name = "sizes of chunks",
     .points = 10,
     .params = "job=chunks",
     .gpus = 2,
     .judge = judge_chunks},
    {.name = "widths of chunks",
     .points = 5,
     .params = "job=widths",
     .gpus = 2,
     .judge = judge_widths},
    {.name = MADE,
     .points = 15,
     .params = "job=create entries=3145733 gpus=3 streams=4",
     .gpus = 3,
     .checked = true,
     .judge = judge_made},
    {.name = EVEN,
     .points = 10,
     .params = "job=decrypt entries=8192 gpus=2 streams=4 guard=4160 iters=12",
     .data = &all,
     .gpus = 2,
     .checked = true,
     .judge = mgpu_judge_job},
    {.name = UNEVEN,
     .points = 10,
     .params = "job=decrypt entries=10007 gpus=3 streams=5 guard=3400 iters=12",
     .data = &all,
     .gpus = 3,
     .checked = true,
     .needs = EVEN,
     .judge = mgpu_judge_job},
    {.name = EMPTY,
     .points = 10,
     .params = "job=decrypt entries=5 gpus=4 streams=2 guard=64 iters=12",
     .data = &all,
     .gpus = 4,
     .checked = true,
     .needs = EVEN,
     .judge = mgpu_judge_job},
    {.name = "given back",
     .points = 5,
     .params = "job=back entries=1000 gpus=2 streams=4",
     .gpus = 2,
     .checked = true,
     .needs = MADE,
     .asks = ASK_ORDER | ASK_CLEAN,
     .explain = explain_given_back,
     .passed = "all streams and memory given back"},
    {.name = WHOLE,
     .points = 5,
     .params = "job=whole entries=1003 gpus=2 streams=3 iters=12",
     .data = &host,
     .gpus = 2,
     .checked = true,
     .needs = UNEVEN,
     .asks = ASK_RIGHT | ASK_ORDER,
     .explain = explain_whole,
     .passed = "decrypted twice, {entries} entries"},
    /* As in lab 08, the slow link of a K20 shows on few MiB what a fast one
     * shows on many: enough that the calls that queue one GPU's work are short
     * beside it. On real GPUs, all that the machine has take part. */
    {.name = "fast",
     .points = 25,
     .params = "job=large entries=1572859 gpus=2 streams=6",
     .params_cuda = "job=large entries=67108859 gpus=0 streams=8",
     .data = &large,
     .gpus = 2,
     .timed = true,
     .drawn = true,
     .needs = WHOLE,
     .seconds = 60,
     .asks = ASK_RIGHT,
     .also = is_gradable,
     .speed = {CIPHER_TIMES, .eta_needed = 0.60},
     .explain = explain_fast},
};

LAB_RULES(.name = "12_mgpu_streams", .explain_end = explain_end);
