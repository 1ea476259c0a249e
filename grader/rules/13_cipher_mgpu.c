/*
 * 13_cipher_mgpu.c: rules of lab 13, the cipher program on all GPUs. A lab of
 * cases, like lab 09. What goes wrong on one GPU is found on one GPU, so that
 * what then goes wrong on several is a mistake with GPUs.
 */
#include <inttypes.h>
#include <string.h>

#include "cipher.h"

/* Names of cases that other code asks for. */
#define PLACES "places"
#define ONE    "one GPU"
#define EVEN   "all GPUs"
#define UNEVEN "uneven, three GPUs"
#define EMPTY  "a GPU without entries"
#define LARGE  "large"

/* ---- where things are ---------------------------------------------------- */

/* What is not on its own GPU is on the first, where nobody has set another. */
static struct finding explain_places(const struct case_run *run)
{
    const int64_t gpus = (int64_t)case_param(run, "gpus");
    const int64_t all = gpus * (int64_t)case_param(run, "streams");
    const bool memory = case_fact(run, "memory_first") == gpus;
    const bool streams = case_fact(run, "streams_first") == all;
    const bool no_memory = case_fact(run, "memory_none") > 0;
    const bool no_streams = case_fact(run, "streams_none") > 0;
    const bool open = run->evidence->first_todo > 0;
    const struct sign signs[] = {
        {open && (no_memory || no_streams), "open-todo"},
        {memory && streams, "set-device-forgotten"},
        {memory, "memory-on-one-gpu"},
        {streams, "streams-on-one-gpu"},
        {no_memory, "no-memory"},
        {no_streams, "streams-not-made"},
        {case_fact(run, "memory") < gpus, "other-gpus"},
        {case_fact(run, "streams") < all, "other-gpus"},
        {true, "part-too-small"},
    };

    return mistake_with(mistake_first(signs).id, "all_streams=%" PRId64, all);
}

/* A GPU that can fill its memory has room for its whole chunk there. */
static void judge_places(const struct case_run *run,
                         struct judgement *judgement)
{
    const int64_t gpus = (int64_t)case_param(run, "gpus");
    const int64_t streams = (int64_t)case_param(run, "streams");

    if (case_fact(run, "memory") < gpus ||
        case_fact(run, "streams") < gpus * streams)
        judge_no(run, judgement, explain_places(run),
                 "memory of {memory} of {gpus} GPUs and {streams} of "
                 "{all_streams} streams are where they belong");
    else if (case_fact(run, "filled") != 1)
        judge_no(run, judgement, explain_places(run),
                 "a GPU does not take its GPU chunk");
    else /* {streams} is the fact: those of all GPUs */
        judge_pass(judgement,
                   "memory on %" PRId64 " GPUs, %" PRId64 " streams on each",
                   gpus, streams);
}

/* ---- one run of the program's job ---------------------------------------- */

/* The TODO of lab.cu that is about the wait. */
enum { TODO_WAIT = 5 };

/* The run whose trace is looked at: the case's own, or that of the even chunks,
 * or that of one GPU. */
static const struct case_run *seen_of(const struct case_run *run)
{
    const struct case_run *const from[] = {run, case_other(run, EVEN),
                                           case_other(run, ONE)};

    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        if (from[i] && from[i]->virtual_run && from[i]->virtual_run->traced)
            return from[i]->virtual_run;
    return NULL;
}

static struct chunks view(const struct case_run *run, struct trace_facts *trace)
{
    return cipher_view(run, seen_of(run), trace);
}

/* GPUs that the host waited for, once all work was queued, as bits. */
static unsigned waited_devices(const struct trace *trace)
{
    const struct trace_call *call = NULL;
    unsigned devices = 0;
    uint64_t queued_ns = 0;

    while ((call = query_next_call(trace, "cuda*", call)) != NULL)
        if (query_is_issue(call))
            queued_ns = call->start_ns;
    while ((call = query_next_call(trace, "cudaDeviceSynchronize", call)))
        if (queued_ns > 0 && call->start_ns > queued_ns)
            devices |= 1u << call->device;
    return devices;
}

/* cudaDeviceSynchronize is for the current GPU only: that is the mistake which
 * one GPU cannot show. */
static struct finding explain_not_waited(const struct case_run *run,
                                         const struct chunks *chunks)
{
    const struct case_run *const seen = seen_of(run);
    const unsigned waited = seen ? waited_devices(&seen->trace) : 0;

    if (case_is_open(run, TODO_WAIT))
        return finding_open_todo(run->evidence);
    if (case_param(run, "gpus") < 2 || chunks->trace->waits == 0 ||
        chunks->trace->kernels_default + chunks->trace->copies_default > 0)
        return chunks_explain_not_waited(chunks);
    for (unsigned gpu = 0; waited && gpu < case_param(run, "gpus"); gpu++)
        if (waited == 1u << gpu)
            return mistake_with("one-gpu-waited", "gpu=%u", gpu);
    return mistake("partial-sync");
}

/* Right on one GPU, wrong on several. */
static struct finding explain_gpus(const struct case_run *run,
                                   const struct chunks_left *left)
{
    const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL)};
    const struct case_run *const seen = seen_of(run);
    const uint64_t n = case_param(run, "entries");
    const uint64_t part = n / case_param(run, "gpus");
    const struct cells *const host = &left->host;
    const bool stale =
        host->count[CELL_UNTOUCHED_RUN] > 0 || host->count[CELL_UNTOUCHED] > 0;

    /* Entries from the second GPU's first one on: still encrypted, because it
     * has no work, or because all GPUs do the first one's. */
    if (cells_cover(host, CELL_CIPHER, part, n) && seen &&
        query_devices(&seen->trace, &kernels) == 1)
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

    if (found.id || !run->virtual_run || run->virtual_run->checked.hazards == 0)
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
    if (run->virtual_run && run->virtual_run->checked.by_driver)
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
    const struct chunks chunks = view(run, &trace);

    if (failed == ASK_RIGHT)
        return explain_wrong(run, &chunks);
    if (run->virtual_run->checked.by_driver)
        return explain_not_waited(run, &chunks);
    if (case_is(run, UNEVEN) || case_is(run, EMPTY))
        return mistake("parts-overlap");
    if (case_is(run, EVEN))
        return mistake("gpus-share-entries");
    return chunks_explain_order(&chunks, &run->virtual_run->checked);
}

/* Right without a kernel: nothing that follows would mean anything. */
static bool judge_kernels(const struct case_run *run,
                          struct judgement *judgement)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);

    return !trace.there || trace.kernels > 0 ||
           judge_no(run, judgement, chunks_explain_slow(&chunks),
                    "no kernel ran");
}

/* ---- a program that did not return --------------------------------------- */

/* What CHECK said of a call that concerns a GPU. */
static struct finding explain_gpu_error(const struct case_run *run)
{
    const struct sign signs[] = {
        {case_failed(run, NULL, "cudaErrorInvalidDevice"), "no-such-gpu"},
        {case_failed(run, "cudaEventRecord*", NULL), "event-of-another-gpu"},
        {case_failed(run, "cudaEventElapsedTime*", NULL),
         "event-of-another-gpu"},
        {case_failed(run, NULL, "cudaErrorInvalidResourceHandle"),
         "no-such-stream"},
        {case_failed(run, NULL, "cudaErrorContextIsDestroyed"),
         "no-such-stream"},
        {true, NULL},
    };

    return mistake_first(signs);
}

/* Memory was reached that is not there. It all went well on one GPU. */
static struct finding explain_outside(const struct case_run *run)
{
    if (case_is(run, UNEVEN) || case_is(run, EMPTY) || case_is(run, LARGE))
        return mistake("past-the-end");
    if (strstr(text_string(&run->fault), "without peer access"))
        return mistake("gpus-mixed");
    return mistake(run->error.at[0] ? "global-offset/copy" : "global-offset");
}

/* "no-such-stream" is what an event of another GPU looks like, too. */
static struct finding explain_end(const struct case_run *run)
{
    struct finding found = cipher_explain_free(run);

    if (found.id == NULL || finding_is(&found, "no-such-stream"))
        found = explain_gpu_error(run);
    if (found.id)
        return found;
    if (cipher_is_outside(run) && !case_is(run, ONE) && !case_is(run, PLACES))
        return explain_outside(run);
    return chunks_explain_end(run);
}

/* ---- clean --------------------------------------------------------------- */

/* Pageable memory is warned of as well: that is a matter of speed. */
static bool is_clean(const struct case_run *run)
{
    return !run->virtual_run || !checked_find(&run->virtual_run->checked,
                                              "warning", "text", "never", NULL);
}

/* What is clean on one GPU leaves on several what is on the others. */
static bool judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    static const char *const names[] = {ONE, PLACES, EVEN, UNEVEN};
    const struct case_run *const one = case_other(run, ONE);
    const char *const name = one && one->ran && is_clean(one)
                                 ? "leak-on-other-gpus"
                                 : "leak/destroy";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct case_run *const other = case_other(run, names[i]);

        if (other && other->ran && !cipher_judge_tidy(other, judgement, name))
            return false;
    }
    return true;
}

/* ---- the setting that the program chose ---------------------------------- */

/* "each": of several GPUs. */
static const char *each(const struct case_run *large)
{
    return case_fact(large, "best_gpus") == 1 ? "" : " each";
}

/* Small jobs are right by now. */
static struct finding explain_large(const struct case_run *run, enum ask failed)
{
    (void)run, (void)failed;
    return mistake("wrong-when-large");
}

/* With a setting that cannot be, the driver ends behind the sweep. */
static void judge_large(const struct case_run *run, struct judgement *judgement)
{
    const int64_t gpus = case_fact(run, "best_gpus");
    const int64_t streams = case_fact(run, "best_streams");

    if (gpus < 1 || gpus > case_fact(run, "gpus") || streams < 1 ||
        streams > 1024) {
        judge_no(run, judgement, mistake("sweep-returns-nothing"),
                 "{best_gpus} GPUs, {best_streams} streams");
        return;
    }
    judge_row(run, judgement);
    if (judgement->passed)
        text_printf(&judgement->seen, "%s", each(run));
}

/* ---- the table by which it did ------------------------------------------- */

enum { LEAST_STREAMS = 8 };

/* Is this number of GPUs in the table, with 1 and with 8 streams? */
static bool has_gpus(const struct cipher_table *table, uint64_t gpus)
{
    bool few = false, many = false;

    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].gpus == gpus) {
            few |= table->row[i].streams == 1;
            many |= table->row[i].streams >= LEAST_STREAMS;
        }
    return few && many;
}

/* What of the settings is in the table. */
struct tried {
    unsigned gpus, streams; /* different numbers of them */
    bool all;               /* each number of GPUs, with 1 and with 8 streams */
};

static struct tried table_tried(const struct cipher_table *table, uint64_t gpus)
{
    struct tried tried = {0};

    for (unsigned i = 0; i < table->rows; i++) {
        bool new_gpus = true, new_streams = true;

        for (unsigned k = 0; k < i; k++) {
            new_gpus &= table->row[k].gpus != table->row[i].gpus;
            new_streams &= table->row[k].streams != table->row[i].streams;
        }
        tried.gpus += new_gpus;
        tried.streams += new_streams;
    }
    tried.all = tried.streams >= 4;
    for (uint64_t g = 1; g <= gpus; g++)
        tried.all &= has_gpus(table, g);
    return tried;
}

/* Which of the two loops is missing? */
static struct finding explain_table(const struct case_run *large,
                                    const struct cipher_table *table,
                                    const struct tried *tried)
{
    if (table->rows == 0)
        return mistake("no-table");
    if (tried->gpus == 1 && case_fact(large, "gpus") > 1)
        return mistake_with("sweep-of-streams-only", "gpus=%" PRIu64,
                            table->row[0].gpus);
    if (tried->streams == 1)
        return mistake_with("sweep-of-gpus-only", "streams=%" PRIu64,
                            table->row[0].streams);
    return mistake_with("short-table", "rows=%u", table->rows);
}

/* Is the row of a setting what the same code took when the grader ran it? */
static struct finding explain_row(const struct case_run *large,
                                  const struct cipher_table *table,
                                  uint64_t gpus, const char *timer)
{
    const uint64_t streams = (uint64_t)case_fact(large, "best_streams");
    const double row = cipher_table_ms(table, gpus, streams);
    const double ms = (double)case_fact(large, timer) / 1e6;

    if (row == 0 || ms == 0 || cipher_table_says(large, row, ms))
        return finding_none();
    return mistake_with("sweep-does-not-measure",
                        "table_ms=%.3f\ngpus=%" PRIu64 "\nstreams=%" PRIu64
                        "\nmeasured_ms=%.3f",
                        row, gpus, streams, ms);
}

/* All settings must be there, and measured, before the fastest of them counts.
 */
static void judge_sweep(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const uint64_t gpus = (uint64_t)case_fact(large, "best_gpus");
    const uint64_t streams = (uint64_t)case_fact(large, "best_streams");
    struct cipher_table table;
    const struct cipher_row *const best = table.row;
    struct finding found;
    struct tried tried;
    double ms;

    cipher_table_read(&table, text_string(&large->printed), true);
    tried = table_tried(&table, (uint64_t)case_fact(large, "gpus"));
    ms = cipher_table_ms(&table, gpus, streams);
    found = explain_row(large, &table, gpus, "timer_ns");
    if (!found.id)
        found = explain_row(large, &table, 1, "one_timer_ns");
    if (!tried.all)
        judge_fail(judgement,
                   finding_todo_or(run, explain_table(large, &table, &tried)),
                   "%u row%s, %u number%s of GPUs, %u of streams", table.rows,
                   table.rows == 1 ? "" : "s", tried.gpus,
                   tried.gpus == 1 ? "" : "s", tried.streams);
    else if (found.id)
        judge_fail(judgement, found, "%u rows, not as measured", table.rows);
    else if (ms == 0 || ms > 1.02 * best[table.best].ms)
        judge_fail(judgement,
                   mistake_with("not-the-fastest",
                                "gpus=%" PRIu64 "\nstreams=%" PRIu64
                                "\nfastest_gpus=%" PRIu64
                                "\nfastest_streams=%" PRIu64,
                                gpus, streams, best[table.best].gpus,
                                best[table.best].streams),
                   "%u rows", table.rows);
    else
        judge_pass(judgement,
                   "%u rows, best on %" PRIu64 " GPU%s with %" PRIu64
                   " stream%s%s",
                   table.rows, gpus, gpus == 1 ? "" : "s", streams,
                   streams == 1 ? "" : "s", each(large));
}

/* ---- times --------------------------------------------------------------- */

/* On the virtual GPU both clocks show computed times. What lies between is the
 * start of the grader's, and waits for GPUs that have nothing to do. */
static void judge_timer(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double slack = large->backend == BACKEND_VGPU ? 0.07 : 0.2;
    const bool one_early =
        (double)case_fact(large, "one_timer_ns") <
        (1 - slack) * (double)case_fact(large, "one_student_ns");

    cipher_judge_timer(large, judgement, slack,
                       one_early ? "timer-too-early" : "timer-of-one-gpu");
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const large = case_other(run, LARGE);
    const uint64_t gpus = case_param(even, "gpus");
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct finding found;

    if (trace.kernels == gpus)
        return mistake("one-piece");
    if (trace.pageable > 0)
        return mistake("pageable-memory");
    /* The host waits in between: for each GPU, or for each chunk? */
    if (trace.waits_between == (gpus - 1) * case_param(even, "streams"))
        return mistake_at("gpu-after-gpu", trace.wait_at);
    if (trace.waits_between == gpus - 1)
        return mistake_at("gpu-after-gpu/waits", trace.wait_at);
    found = chunks_explain_slow(&chunks);
    if (found.id)
        return found;
    return mistake_with(
        "bad-setting", "best_gpus=%" PRId64 "\nbest_streams=%" PRId64,
        case_fact(large, "best_gpus"), case_fact(large, "best_streams"));
}

/* Nothing is known of what is still to be written. */
static struct finding explain_speed(const struct case_run *run, enum ask failed)
{
    return failed == ASK_SPEED ? finding_todo_or(run, explain_slow(run))
                               : finding_none();
}

static bool judge_gradable(const struct case_run *large,
                           struct judgement *judgement)
{
    return cipher_is_gradable(
        large, judgement, "both_ns",
        "not gradable for speed here: all entries are copied in and back "
        "in {both_ns:ms} ms");
}

/* ---- the rules ----------------------------------------------------------- */

#define JOB(text)                                                              \
    .params = "job=decrypt iters=12 " text, .gpus = 4,                         \
    .data = &cipher_job_data, .judge = cipher_judge_job,                       \
    .asks = ASK_RIGHT | ASK_ORDER, .also = judge_kernels,                      \
    .explain = explain_job,                                                    \
    .passed = "{entries} entries, {gpus} GPU{gpus:s}, {streams} streams each"
/* Nothing is run: judged is what another case saw. */
#define SEEN .params = "job=none", .asks = ASK_RIGHT

static const struct case_data places_data = {.inputs = 1};

static const struct lab_case cases[] = {
    {.name = PLACES,
     .points = 10,
     .params = "job=places entries=8400 gpus=4 streams=7",
     .data = &places_data,
     .gpus = 4,
     .checked = true,
     .judge = judge_places},
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
     .points = 5,
     JOB("entries=5 gpus=4 streams=2"),
     .needs = EVEN},
    {.name = "called again",
     .points = 5,
     JOB("entries=1000 gpus=4 streams=2 again=1"),
     .needs = EVEN},
    {.name = "clean",
     .points = 10,
     .needs = ONE,
     SEEN,
     .also = judge_tidy,
     .passed = "all memory and streams of all GPUs given back"},
    /* A K20's link is slow enough that few entries for each of four GPUs show
     * the overlap. The sweep is 16 runs: with half of the rounds that would
     * make the kernel as long as a copy, the processor needs 2 s for it. */
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=786427 streams=4 most_rounds=96",
     .params_cuda = "job=large entries=33554427 streams=8",
     .data = &cipher_large_data,
     .gpus = 4,
     .gpus_needed = 2,
     .drawn = true,
     .sweep = "job=point entries=786427 most_rounds=96",
     .sweep_cuda = "job=point entries=33554427",
     .needs = EVEN,
     .seconds = 120,
     .judge = judge_large,
     .asks = ASK_RIGHT,
     .explain = explain_large,
     .passed = "{entries} entries, {best_gpus} GPU{best_gpus:s}, "
               "{best_streams} stream{best_streams:s}"},
    {.name = "timer", .points = 10, .needs = LARGE, SEEN, .judge = judge_timer},
    {.name = "sweep", .points = 10, .needs = LARGE, SEEN, .judge = judge_sweep},
    {.name = "fast",
     .points = 15,
     .needs = LARGE,
     .of = LAB_CASES(LARGE),
     .asks = ASK_ALSO,
     .also = judge_gradable,
     .speed = {"one_gpu_ns", "student_ns", "kernel_ns|both_ns", "h2d_ns|d2h_ns",
               0.77},
     .explain = explain_speed},
    {.name = "program",
     .points = 5,
     .params = "job=main",
     .gpus = 4,
     .gpus_needed = 1,
     .needs = EVEN,
     .asks = ASK_RIGHT,
     .also = cipher_judge_program,
     .passed = "main decrypts and finds no wrong entry"},
};

LAB_RULES(.name = "13_cipher_mgpu", .baseline = "one GPU with overlap",
          .explain_end = explain_end);
