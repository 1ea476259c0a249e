/*
 * 13_cipher_mgpu.c: rules of lab 13, the cipher program on all GPUs: a whole
 * program, see cipher.h. What goes wrong on one GPU is found on one GPU, so
 * that what then goes wrong on several is a mistake with GPUs.
 */
#include <string.h>

#include "cipher.h"

/* Names of cases that other code asks for. */
#define PLACES "places"
#define ONE    "one GPU"
#define EVEN   "all GPUs"
#define UNEVEN "uneven, three GPUs"
#define EMPTY  "a GPU without entries"
#define MANY   "many streams"

/* ---- where things are ---------------------------------------------------- */

/* What is not on its own GPU is on the first, where nobody has set another. */
static struct finding explain_places(const struct case_run *run)
{
    const int64_t gpus = (int64_t)case_param(run, "gpus");
    const int64_t all = case_fact(run, "all_streams");
    const bool memory = case_fact(run, "memory_first") == gpus;
    const bool streams = case_fact(run, "streams_first") == all;
    const bool no_memory = case_fact(run, "memory_none") > 0;
    const bool no_streams = case_fact(run, "streams_none") > 0;
    const bool open = run->evidence->first_todo > 0;
    return mistake_first((struct sign[]){
        {open && (no_memory || no_streams), "open-todo"},
        {memory && streams, "set-device-forgotten"},
        {memory, "memory-on-one-gpu"},
        {streams, "streams-on-one-gpu"},
        {no_memory, "no-memory"},
        {no_streams, "streams-not-made"},
        {case_fact(run, "memory_placed") < gpus, "other-gpus"},
        {case_fact(run, "streams_placed") < all, "other-gpus"},
        {true, "part-too-small"},
    });
}

/* A GPU that can fill its memory has room for its whole chunk there. */
static bool judge_places(const struct case_run *run,
                         struct judgement *judgement)
{
    if (case_fact(run, "memory_placed") < (int64_t)case_param(run, "gpus") ||
        case_fact(run, "streams_placed") < case_fact(run, "all_streams"))
        return judge_no(run, judgement, explain_places(run),
                        "memory of {memory_placed} of {gpus} GPUs and "
                        "{streams_placed} of {all_streams} streams are where "
                        "they belong");
    return case_fact(run, "filled") == 1 ||
           judge_no(run, judgement, explain_places(run),
                    "a GPU does not take its GPU chunk");
}

/* What is wrong with the work goes before what it takes too much of. */
static bool judge_room(const struct case_run *run, struct judgement *judgement)
{
    return !case_is(run, PLACES) || !cipher_takes_too_much(run) ||
           judge_no(run, judgement, mistake("whole-array-on-each-gpu"),
                    "room for more than all entries");
}

/* ---- one run of the program's job ---------------------------------------- */

/* The TODO of lab.cu that is about the wait. */
enum { TODO_WAIT = 5 };

/* cudaDeviceSynchronize is for the current GPU only: one GPU cannot show it. */
static struct finding explain_not_waited(const struct case_run *run,
                                         const struct chunks *chunks)
{
    const int device = trace_only_waited(case_trace(cipher_seen(run)),
                                         "cudaDeviceSynchronize");

    if (case_is_open(run, TODO_WAIT))
        return finding_todo_or(run, finding_none());
    if (case_param(run, "gpus") < 2 || chunks->trace->waits == 0 ||
        chunks->trace->kernels_default + chunks->trace->copies_default > 0)
        return chunks_explain_not_waited(chunks);
    return device < 0 ? mistake("partial-sync")
                      : mistake_with("one-gpu-waited", "gpu=%d", device);
}

/* Right on one GPU, wrong on several. */
static struct finding explain_gpus(const struct case_run *run,
                                   const struct chunks_left *left)
{
    const struct case_run *const seen = cipher_seen(run);
    const uint64_t n = case_param(run, "entries");
    const uint64_t part = n / case_param(run, "gpus");
    const struct cells *const host = &left->host;
    const bool stale =
        host->count[CELL_UNTOUCHED_RUN] > 0 || host->count[CELL_UNTOUCHED] > 0;

    /* Entries from the second GPU's first one on: still encrypted, because it
     * has no work, or because all GPUs do the first one's. */
    if (cells_cover(host, CELL_CIPHER, part, n) && seen &&
        query_devices(&seen->trace, QUERY_KERNELS) == 1)
        return finding_todo_or(run, mistake("one-gpu-works"));
    if (host->count[CELL_CIPHER] > 0 && host->first[CELL_CIPHER] >= part)
        return mistake("gpu-offset-missing");
    if (left->device.first_wrong >= part && stale)
        return mistake("device-offset");
    return finding_none();
}

/* Wrong on one GPU: in an operation, or by streams in each other's way? */
static struct finding explain_one(const struct case_run *run,
                                  const struct chunks *chunks,
                                  const struct chunks_left *left)
{
    const struct finding found = chunks_explain_wrong(chunks, left);
    const uint64_t chunk = chunks->entries / chunks->streams;

    if (found.id || case_checked(run)->hazards == 0)
        return found;
    return mistake(
        cells_cover(&left->device, CELL_UNTOUCHED, chunk, chunks->entries)
            ? "stream-offset-missing"
            : "hazard");
}

/* Each case brings one thing more that can be wrong: that one is looked at. */
static struct finding explain_wrong(const struct case_run *run,
                                    const struct chunks *chunks)
{
    struct chunks_left left = {0};

    if (!cipher_compare_cells(run, &left.host, &left.device))
        return finding_none();
    if (case_checked(run)->by_driver)
        return explain_not_waited(run, chunks);
    if (case_is(run, ONE))
        return explain_one(run, chunks, &left);
    if (case_is(run, EVEN))
        return explain_gpus(run, &left);
    if (case_is(run, UNEVEN))
        return cipher_explain_tail(chunks->entries, chunks->streams,
                                   &left.host);
    return finding_none();
}

/* A hazard: between two GPUs or within one? */
static struct finding explain_job(const struct case_run *run, enum ask failed)
{
    struct trace_facts trace;
    const struct chunks chunks = cipher_view(run, &trace);

    if (failed == ASK_RIGHT)
        return explain_wrong(run, &chunks);
    if (case_checked(run)->by_driver)
        return explain_not_waited(run, &chunks);
    if (case_is(run, UNEVEN) || case_is(run, EMPTY))
        return mistake("parts-overlap");
    if (case_is(run, EVEN))
        return mistake("gpus-share-entries");
    return chunks_explain_order(&chunks, case_checked(run));
}

/* ---- a program that did not return --------------------------------------- */

/* What is wrong on one GPU too has nothing to do with their number. Memory that
 * is not there was reached by what all went well on one GPU. */
static struct finding explain_end(const struct case_run *run)
{
    const struct finding found = cipher_explain_end(run);
    const struct finding outside = mistake_first((struct sign[]){
        {!cipher_is_outside(run) || case_is(run, ONE) || case_is(run, PLACES),
         NULL},
        {case_reported(run, REPORTED(no_peer_access)), "gpus-mixed"},
        /* With even chunks, all went well. */
        {!case_is(run, EVEN), "past-the-end"},
        {run->error.at[0], "global-offset/copy"},
        {true, "global-offset"}});

    /* With few streams, all went well. */
    if (case_is(run, MANY))
        return mistake("room-for-few-streams");
    return found.id ? found : outside.id ? outside : chunks_explain_end(run);
}

/* ---- the large job ------------------------------------------------------- */

/* The host waits in between: for each GPU, or for each chunk? */
static struct finding explain_speed(const struct case_run *run, enum ask failed)
{
    const struct case_run *const even = case_other(run, EVEN);
    const uint64_t others = case_param(even, "gpus") - 1;
    struct trace_facts trace;
    const struct chunks chunks = cipher_view(run, &trace);
    const struct finding slow = chunks_explain_slow(&chunks);
    const struct finding found = mistake_first((struct sign[]){
        {run->evidence->first_todo > 0, "open-todo"},
        {trace.kernels == others + 1, "one-piece"},
        {trace.pageable > 0, "pageable-memory"},
        SIGN_AT("over-ordered/memory",
                query_call(case_trace(even), "cudaMalloc*")),
        {trace.waits_between == others * case_param(even, "streams"),
         "gpu-after-gpu", trace.wait_at},
        {trace.waits_between == others, "gpu-after-gpu/waits", trace.wait_at},
        {!slow.id && cipher_explain_timer(run).id, "chosen-by-wrong-clock"},
        {true, slow.id ? NULL : "bad-setting"},
    });

    (void)failed; /* nothing else is asked */
    return found.id ? found : slow;
}

/* ---- the rules ----------------------------------------------------------- */

#define JOB(text)                                                              \
    CIPHER_JOB, .params = "job=decrypt iters=12 " text, .gpus = 4,             \
                .explain = explain_job,                                        \
                .passed = "{entries} entries, {gpus} GPU{gpus:s}, {streams} "  \
                          "streams each{no_hazard}"

static const struct case_data places_data = {.inputs = 1};

static const struct lab_case cases[] = {
    {.name = PLACES,
     .points = 10,
     .params = "job=places entries=8400 gpus=4 streams=7",
     .data = &places_data,
     .gpus = 4,
     .checked = true,
     .asks = LAB_ASKS(judge_places),
     .passed = "memory on {gpus} GPUs, {streams} streams on each"},
    {.name = ONE,
     .points = 5,
     JOB("entries=7000 gpus=1 streams=7"),
     .gpus_needed = 1,
     .checked = true},
    {.name = EVEN,
     .points = 10,
     JOB("entries=8400 gpus=4 streams=7"),
     .checked = true,
     .needs = ONE},
    {.name = UNEVEN,
     .points = 5,
     JOB("entries=10007 gpus=3 streams=5 current=3"),
     .checked = true,
     .needs = EVEN},
    {.name = EMPTY,
     .points = 3,
     JOB("entries=5 gpus=4 streams=2"),
     .needs = EVEN},
    {.name = MANY,
     .points = 2,
     JOB("entries=2003 gpus=2 streams=40"),
     .checked = true,
     .needs = UNEVEN},
    /* There the last of four GPUs is done much later than the first. */
    {.name = CIPHER_AGAIN,
     .points = 5,
     JOB("entries=1000 gpus=4 streams=2 again=1 clock=2000"),
     .profile = "k20",
     .needs = EVEN},
    {.name = "clean",
     .points = 10,
     .of = LAB_CASES(ONE, PLACES, EVEN, UNEVEN),
     .asks = LAB_ASKS(cipher_judge_tidy, judge_room),
     .passed = "all memory and streams of all GPUs given back"},
    /* A K20's link is slow enough that few entries for each of four GPUs show
     * the overlap. The sweep is 16 runs: with half of the rounds that would
     * make the kernel as long as a copy, the processor needs 2 s for it. */
    {.name = CIPHER_LARGE,
     .points = 5,
     .params = "job=large entries=736427..836427 streams=4 most_rounds=96",
     .params_cuda = "job=large entries=24000000..26331638 streams=8",
     .data = &cipher_large_data,
     .profile_vgpu = "k20",
     .gpus = 4,
     .gpus_needed = 2,
     .drawn = true,
     .sweep = "job=point entries=736427..836427 most_rounds=96",
     .sweep_cuda = "job=point entries=32108854..35000000",
     .needs = EVEN,
     .seconds = 120,
     .asks = LAB_ASKS(judge_right, cipher_judge_setting),
     .explain = cipher_explain_narrow,
     .mistake = "wrong-when-large",
     .passed = "{entries} entries, {best_gpus} GPU{best_gpus:s}, "
               "{best_streams} stream{best_streams:s}{best_gpus: each}"},
    CIPHER_TIMER_AND_SWEEP(5),
    /* There the best has other numbers, and is not of the last GPUs. */
    {.name = "sweep of few entries",
     .points = 5,
     .params = "job=sweep entries=50000 iters=30",
     .profile = "k20",
     .gpus = 5,
     .gpus_needed = 2,
     .checked = true,
     .needs = "sweep",
     .asks = LAB_ASKS(judge_order, cipher_judge_sweep)},
    {CIPHER_SEEN("fast", 15), .asks = LAB_ASKS(judge_fast),
     .speed = {"one_gpu_ns", "student_ns", "limit_ns",
               .least = "kernel_ns|both_ns", .eta_needed = 0.77,
               .eta_needed_cuda = 0.70},
     .explain = explain_speed},
    {.name = "program",
     .points = 5,
     .params = "job=main entries=5003 iters=12",
     .gpus = 4,
     .gpus_needed = 1,
     .needs = EVEN,
     .checked = true,
     .asks = LAB_ASKS(judge_right, judge_order, cipher_judge_main),
     .passed = "main decrypts and finds no wrong entry"},
};

LAB_RULES(.name = "13_cipher_mgpu",
          .undone = LAB_UNDONE({"free-mismatch", LAB_TODO(1) | LAB_TODO(2)},
                               {"leak-on-other-gpus", LAB_TODO(2)},
                               {"gpu-offset-missing", LAB_TODO(3)}),
          .baseline = "one GPU with overlap", .explain_end = explain_end);
