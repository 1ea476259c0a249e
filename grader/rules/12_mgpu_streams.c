/*
 * 12_mgpu_streams.c: rules of lab 12. The sizes, what is made, and the work are
 * each judged alone, then everything together.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "12_mgpu.h"
#include "cipher.h"
#include "judge/causes.h"
#include "number.h"

/* Names of cases that other code asks for. */
#define MADE   "streams and memory"
#define EVEN   "even chunks"
#define UNEVEN "uneven chunks"
#define EMPTY  "empty GPUs"
#define WHOLE  "the whole job"

/* ---- sizes and widths of chunks, row by row ------------------------------ */

/* What students take for the size of a chunk, looked for in the driver's second
 * problem: its right sizes are no mistake's by chance. @stream_chunk: that of
 * the row that is judged is right. */
static struct finding explain_chunks(const struct case_run *run,
                                     bool stream_chunk)
{
    const uint64_t n = fact(run, "entries1"), gpus = fact(run, "gpus1");
    const uint64_t streams = fact(run, "streams1");
    const uint64_t of_stream = fact(run, "stream_chunk1");
    const uint64_t of_gpu = fact(run, "gpu_chunk1");
    const uint64_t right = div_up(n, gpus * streams), reach = right * streams;
    const struct finding found = mistake_first((struct sign[]){
        {of_stream == 0, NULL},
        {of_stream == n / (gpus * streams), "floor-division"},
        {of_stream == div_up(n, streams), "gpus-forgotten"},
        {of_stream == div_up(n, gpus) || of_stream == n / gpus,
         "streams-forgotten"},
        {of_stream == reach && of_gpu == right, "chunks-exchanged"},
        {of_stream != right || !stream_chunk, "stream-chunk"},
        {of_gpu == 0, NULL},
        {of_gpu == div_up(n, gpus) || of_gpu == n / gpus,
         "gpu-chunk-not-whole"},
        {of_gpu == right * gpus, "times-gpus"},
        {of_gpu == right, "one-chunk-a-gpu"},
        {true, "gpu-chunk"},
    });

    return mistake_with(found.id, "reach=%" PRIu64 "\nshared=%" PRIu64, reach,
                        reach - of_gpu);
}

static bool are_chunks_right(const struct case_run *run,
                             struct judgement *judgement)
{
    const uint64_t streams = fact(run, "streams");
    const uint64_t all = fact(run, "gpus") * streams;
    const uint64_t right = div_up(fact(run, "entries"), all);
    const uint64_t stream_chunk = fact(run, "stream_chunk");
    struct finding found;

    if (stream_chunk == right && fact(run, "gpu_chunk") == right * streams)
        return true;
    found = fact(run, "entries") > UINT32_MAX ? mistake("too-narrow")
            /* (0 - 1) / all + 1 of unsigned numbers */
            : fact(run, "entries") == 0 && stream_chunk == UINT64_MAX / all + 1
                ? mistake("none-minus-1")
                : explain_chunks(run, stream_chunk == right);
    found = mistake_with(found.id,
                         "right=%" PRIu64 "\nright_of_gpu=%" PRIu64 "\n%s",
                         right, right * streams, found.values);
    return judge_no(run, judgement, found,
                    "{entries} entries, {gpus} GPUs, {streams} streams: chunks "
                    "of {stream_chunk:u} and {gpu_chunk:u}, not {right} and "
                    "{right_of_gpu}");
}

/* A chunk that begins at the end is empty as well, and 0 is no mistake that one
 * could name: nothing may be written yet. */
static bool is_width_right(const struct case_run *run,
                           struct judgement *judgement)
{
    const uint64_t lower = fact(run, "lower"), size = fact(run, "size");
    const uint64_t n = fact(run, "entries"), width = fact(run, "width");
    const uint64_t right = min_u64(lower < n ? n - lower : 0, size);
    const struct finding found = mistake_first((struct sign[]){
        {width == 0 && n <= UINT32_MAX, NULL},
        {n > UINT32_MAX, "too-narrow"}, /* the last row */
        {lower > n && (width == n - lower || width > UINT64_MAX / 2),
         "width-underflow"},
        {lower < n && width == size, "tail-not-shortened"},
        {lower >= n && width == size, "empty-not-empty"},
        {true, "width"},
    });

    return width == right ||
           judge_no(run, judgement,
                    mistake_with(found.id, "width=%" PRIu64 "\nright=%" PRIu64,
                                 width, right),
                    "a chunk of {size} at {lower} of {entries} entries: width "
                    "{width}, not {right}");
}

/* ---- streams and memory -------------------------------------------------- */

/* As the driver found them, where 3 GPUs should have 4 streams each: the GPU
 * that each is on, row by row; "-" for none, "=" for a stream that is there
 * already; for memory see driver_memory_home(). */
#define NO_STREAMS    "----/----/----"
#define STREAMS_ON_0  "0000/0000/0000"
#define RIGHT_STREAMS "0000/1111/2222"

/* The usual places first: all on GPU 0 is one call that is missing, however
 * many streams are wrong for it. Memory is looked at where the streams are
 * right. */
static struct finding explain_made(const char *streams, const char *memory)
{
    const size_t none = strcspn(streams, "-"), row = strcspn(streams, "/") + 1;
    const size_t gpu = strcspn(memory, "-h<");
    const bool wrong_streams = !text_matches(streams, RIGHT_STREAMS);
    const struct finding found = mistake_first((struct sign[]){
        {text_matches(streams, NO_STREAMS) && text_matches(memory, "---"),
         NULL},
        {text_matches(streams, STREAMS_ON_0) && text_matches(memory, "000"),
         "set-device-forgotten"},
        {text_matches(streams, STREAMS_ON_0), "streams-on-gpu-0"},
        {text_matches(memory, "000"), "memory-on-gpu-0"},
        {text_matches(streams, "0000/0000/1111"), "set-device-late"},
        {text_matches(streams, "012-/012-/012-"), "indices-exchanged"},
        {strchr(streams, '='), "stream-twice"},
        {wrong_streams && streams[none], "streams-missing"},
        {wrong_streams, "streams-elsewhere"},
        {memory[gpu] == '-', "no-memory"},
        {memory[gpu] == 'h', "not-gpu-memory"},
        {memory[gpu] == '<', "memory-too-small"},
        {true, "memory-elsewhere"},
    });

    return mistake_with(found.id, "gpu=%zu\nstream=%zu",
                        wrong_streams ? none / row : gpu, none % row);
}

static bool is_made(const struct case_run *run, struct judgement *judgement)
{
    const char *const streams = case_text(run, "streams_on");
    const char *const memory = case_text(run, "memory_on");

    if (run->pending[0])
        return judge_clean(run, judgement);
    if (!text_matches(streams, RIGHT_STREAMS) || !text_matches(memory, "012"))
        return judge_no(run, judgement, explain_made(streams, memory),
                        "streams on GPUs {streams_on}, memory on GPUs "
                        "{memory_on}");
    return !cipher_takes_too_much(run) ||
           judge_no(run, judgement, mistake("whole-array-on-each-gpu"),
                    "room for more than all entries");
}

/* ---- given back, and the whole job --------------------------------------- */

/* Of a GPU without entries the memory may be none; its streams may not. */
static struct finding explain_empty(const struct case_run *run)
{
    const char *const streams = case_text(run, "streams_on");
    const size_t none = strcspn(streams, "-"), row = strcspn(streams, "/") + 1;

    return streams[none] == '\0'
               ? finding_none()
               : mistake_with("streams-missing/empty", "gpu=%zu\nstream=%zu",
                              none / row, none % row);
}

static bool is_empty_made(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct finding found = explain_empty(run);

    return !found.id ||
           judge_no(run, judgement, found, "streams on GPUs {streams_on}");
}

/* Who has not come to mgpu_destroy yet cannot have it right. */
static struct finding explain_given_back(const struct case_run *run,
                                         enum ask failed)
{
    if (failed == ASK_CLEAN && run->pending[0] == '\0' && run->late[0] == '\0')
        return finding_todo_or(run, finding_none());
    return finding_none();
}

/* Each part alone was right. */
static struct finding explain_whole(const struct case_run *run, enum ask failed)
{
    const struct finding made = cause_of_making(run);

    (void)failed; /* a hazard and what is wrong by it have one reason */
    if (made.id)
        return made;
    return mistake(case_checked(run)->by_driver ? "partial-sync/many"
                                                : "not-together");
}

/* ---- fast ---------------------------------------------------------------- */

/* Slower than the GPUs could be by anything that they do. */
static bool is_host_work(const struct case_run *run)
{
    const int64_t serial_ns = case_fact(run, "h2d_ns") +
                              case_fact(run, "kernel_ns") +
                              case_fact(run, "d2h_ns");

    return case_fact(run, "student_ns") >
           4 * serial_ns * case_fact(run, "gpus");
}

/* What the case of even chunks shows: there the checker was looking. What holds
 * the host goes first, for it would hide how many GPUs and streams have work.
 */
static struct finding explain_fast(const struct case_run *run, enum ask failed)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct trace *const trace = case_trace(even);
    const uint64_t gpus = even ? case_param(even, "gpus") : 0;
    const uint64_t streams = even ? gpus * case_param(even, "streams") : 0;
    const unsigned used = query_devices(trace, QUERY_KERNELS);
    struct trace_facts facts;
    struct finding found;

    if (failed == ASK_RIGHT)
        return cipher_explain_narrow(run, failed);
    if (failed != ASK_SPEED || trace == NULL || !even->virtual_run->traced)
        return finding_none();
    trace_facts_take(&facts, trace);
    found = mistake_first((struct sign[]){
        {facts.blocking_copies > 0, "blocking-copy", facts.copy_at},
        {facts.kernels_default > 0, "default-stream", facts.kernel_at},
        {facts.copies_default > 0, "default-stream", facts.copy_at},
        /* For each GPU but the last, or for each of its streams? */
        {facts.waits_between == gpus - 1 ||
             facts.waits_between == streams - streams / gpus,
         "gpus-one-by-one", facts.wait_at},
        {facts.waits_between > 0, "sync-in-loop", facts.wait_at},
        {used < gpus, "few-gpus"},
        SIGN_AT("few-threads", facts.few_threads),
        {is_host_work(run), "host-works"},
        {facts.streams < streams, "few-streams"}});
    return mistake_with(found.id,
                        "gpus_used=%u\ngpus=%" PRIu64
                        "\nstreams_used=%u\nstreams=%" PRIu64 "\n%s",
                        used, gpus, facts.streams, streams, found.values);
}

/* ---- a function that did not return -------------------------------------- */

/* InvalidValue of a copy, where the even chunks were right. */
static bool is_only_uneven(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);

    return even && even != run && even->ran && even->wrong_rounds == 0 &&
           (case_is(run, UNEVEN) || case_is(run, EMPTY));
}

/* The call that failed need not be the mistake: a late error is another's. */
static struct finding explain_error(const struct case_run *run)
{
    const bool gives_back = case_failed(run, "cudaFree*", NULL) ||
                            case_failed(run, "cudaStreamDestroy*", NULL);
    const bool copy = case_failed(run, "cudaMemcpy*", "InvalidValue");

    if (gives_back && explain_empty(run).id)
        return explain_empty(run);
    return mistake_first((struct sign[]){
        {gives_back, "given-back-wrong"},
        {chunks_is_empty_launch(run), "empty-launch"},
        {copy && is_only_uneven(run), "width-underflow/copy"},
        {copy, "outside-the-memory"},
        {case_failed(run, "cudaEvent*", "InvalidResourceHandle"),
         "event-of-another-gpu"},
        {case_failed(run, NULL, "InvalidResourceHandle") ||
             case_failed(run, NULL, "ContextIsDestroyed"),
         "no-such-stream"},
        {chunks_is_illegal_address(run), "illegal-address"}});
}

/* Of memory that a kernel could not reach, the virtual GPU says whose it is. */
static struct finding explain_end(const struct case_run *run)
{
    const char *const fault = case_reported(run, REPORTED(no_peer_access));

    return fault ? mgpu_explain_unreachable(
                       run, (unsigned)report_number(fault, "owner"),
                       (unsigned)report_number(fault, "device"))
                 : explain_error(run);
}

/* ---- the rules ----------------------------------------------------------- */

/* Those of the GPUs come and go, too. */
static const struct case_data all = {
    .count = mgpu_count, CIPHER_ENTRIES, CIPHER_WORK};

#define JOB                                                                    \
    .points = 10, .data = &all, .checked = true, .explain = mgpu_explain_job,  \
    .asks = LAB_ASKS(mgpu_no_error, judge_right, judge_order,                  \
                     mgpu_stays_inside, mgpu_say_job)

static const struct lab_case cases[] = {
    {.name = "sizes of chunks",
     .points = 10,
     .params = "job=chunks unknown=2001..2999",
     .gpus = 2,
     .asks = LAB_ASKS(are_chunks_right),
     .passed = "right for {rows} problems"},
    {.name = "widths of chunks",
     .points = 5,
     .params = "job=widths unknown=9..12",
     .gpus = 2,
     .asks = LAB_ASKS(is_width_right),
     .passed = "right for {rows} chunks"},
    {.name = MADE,
     .points = 15,
     .params = "job=create entries=3145733 gpus=3 streams=4",
     .alone = true,
     .gpus = 3,
     .checked = true,
     .asks = LAB_ASKS(is_made),
     .passed = "{streams} streams and a chunk on each of {gpus} GPUs"},
    {JOB, .name = EVEN, .gpus = 2,
     .params = "job=decrypt entries=8192 gpus=2 streams=4 guard=4160 iters=12"},
    {JOB, .name = UNEVEN, .gpus = 3, .needs = EVEN,
     .params =
         "job=decrypt entries=10007 gpus=3 streams=5 guard=3400 iters=12"},
    {JOB, .name = EMPTY, .gpus = 8, .needs = EVEN,
     .params = "job=decrypt entries=11 gpus=8 streams=2 guard=64 iters=12"},
    {.name = "given back",
     .points = 5,
     .params = "job=back entries=5 gpus=3 streams=4", /* none on GPU 2 */
     .alone = true,
     .gpus = 3,
     .checked = true,
     .needs = MADE,
     .asks = LAB_ASKS(judge_order, judge_clean, is_empty_made),
     .explain = explain_given_back,
     .passed = "all streams and memory given back"},
    {.name = WHOLE,
     .points = 5,
     .params = "job=whole entries=1003 gpus=2 streams=32 iters=12",
     .data = &cipher_host_data,
     .gpus = 2,
     .checked = true,
     .needs = UNEVEN,
     .asks = LAB_ASKS(judge_right, judge_order, cipher_judge_direction),
     .explain = explain_whole,
     .passed = "decrypted twice, {entries} entries"},
    /* As in lab 08, the slow link of a K20 shows on few MiB what a fast one
     * shows on many: enough that the calls that queue one GPU's work are short
     * beside it. On real GPUs, all that the machine has take part. */
    {.name = "fast",
     .points = 25,
     .params = "job=large entries=1500000..1645718 gpus=2 streams=6",
     .params_cuda = "job=large entries=32108854..35000000 gpus=0 streams=8",
     .data = &cipher_large_data,
     .profile_vgpu = "k20",
     .gpus = 2,
     .timed = true,
     .drawn = true,
     .needs = WHOLE,
     .seconds = 60,
     .asks = LAB_ASKS(judge_right),
     .speed = {CIPHER_TIMES, .eta_needed = 0.60},
     .explain = explain_fast},
};

LAB_RULES(.name = "12_mgpu_streams",
          .undone = LAB_UNDONE({"no-final-sync", LAB_TODO(5)}),
          .explain_end = explain_end);
