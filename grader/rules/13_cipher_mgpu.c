/*
 * 13_cipher_mgpu.c: rules of lab 13, the cipher program on all GPUs. A lab of
 * cases, like lab 09. What goes wrong on one GPU is found on one GPU, so that
 * what then goes wrong on several is a mistake with GPUs.
 */
#include <string.h>

#include "chunks.h"
#include "cipher.h"

#define TASK   "What to do"
#define PARTS  CIPHER_PARTS
#define CLOCK  CIPHER_CLOCK
#define OWNER  "Who owns what"
#define SHARES "Two offsets"
#define ORDER  "In which order?"
#define SWEEP  "How many GPUs, how many streams?"

/* Names of cases that other code asks for. */
#define PLACES "places"
#define ONE    "one GPU"
#define EVEN   "all GPUs"
#define UNEVEN "uneven, three GPUs"
#define EMPTY  "a GPU without entries"
#define LARGE  "large"

#define ULL(value) ((unsigned long long)(value))

static bool is_case(const struct case_run *run, const char *name)
{
    return strcmp(run->rules->name, name) == 0;
}

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

static void judge_places(const struct case_run *run,
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

/* ---- the operations, as a trace shows them ------------------------------- */

/* The run that a case is judged by: its own, or that of the even chunks. */
static const struct case_run *seen_of(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const one = case_other(run, ONE);

    if (run->virtual_run && run->virtual_run->traced)
        return run->virtual_run;
    if (even && even->virtual_run && even->virtual_run->traced)
        return even->virtual_run;
    return one && one->virtual_run && one->virtual_run->traced
               ? one->virtual_run
               : NULL;
}

static uint64_t chunks_of(const struct case_run *run)
{
    return case_param(run, "gpus") * case_param(run, "streams");
}

static struct chunks view(const struct case_run *run, struct trace_facts *trace)
{
    const struct case_run *const seen = seen_of(run);

    memset(trace, 0, sizeof *trace);
    if (seen)
        trace_facts_take(trace, &seen->trace);
    return (struct chunks){
        .idea = PARTS,
        .task = TASK,
        .entries = case_param(run, "entries"),
        .streams = chunks_of(run),
        .trace = trace,
        .trace_entries = seen ? case_param(seen, "entries") : 0,
        .trace_streams = seen ? chunks_of(seen) : 0,
        .first_todo = run->evidence->first_todo,
    };
}

static unsigned kernel_devices(const struct case_run *run)
{
    const struct case_run *const seen = seen_of(run);

    return seen ? query_devices(
                      &seen->trace,
                      &(struct query){.kinds = QUERY_KIND(TRACE_KIND_KERNEL)})
                : 0;
}

/* ---- one run of a program's job ------------------------------------------ */

/* The TODO of lab.cu that is about the wait. */
enum { TODO_WAIT = 5 };

/* GPUs that the host waited for, once all work was queued, as bits. */
static unsigned waited_devices(const struct trace *trace)
{
    const struct trace_op *last = NULL, *op = NULL;
    const struct trace_call *call = NULL;
    unsigned devices = 0;
    uint64_t queued_ns = 0;

    while ((op = query_next(trace, &(struct query){0}, op)) != NULL)
        if (query_call_of(trace, op) &&
            query_call_of(trace, op)->start_ns > queued_ns) {
            queued_ns = query_call_of(trace, op)->start_ns;
            last = op;
        }
    while (last && (call = query_next_call(trace, "cudaDeviceSynchronize",
                                           call)) != NULL)
        if (call->start_ns > queued_ns)
            devices |= 1u << call->device;
    return devices;
}

static struct finding explain_not_waited(const struct case_run *run,
                                         const struct chunks *chunks)
{
    const struct case_run *const seen = seen_of(run);
    const unsigned waited = seen ? waited_devices(&seen->trace) : 0;

    if (run->evidence->first_todo > 0 && run->evidence->first_todo <= TODO_WAIT)
        return finding_open_todo(run->evidence);
    if (case_param(run, "gpus") < 2 || chunks->trace->waits == 0 ||
        chunks->trace->kernels_default + chunks->trace->copies_default > 0)
        return chunks_explain_not_waited(chunks);
    for (unsigned gpu = 0; waited && gpu < case_param(run, "gpus"); gpu++)
        if (waited == 1u << gpu)
            return finding_make(
                "one-gpu-waited", CLOCK,
                "The function waits for GPU %u only: "
                "cudaDeviceSynchronize waits for the current GPU. Set each "
                "GPU in turn, and wait for it.",
                gpu);
    return finding_make("partial-sync", CLOCK,
                        "The function does not wait for all streams of all "
                        "GPUs: wait for every GPU, one after the other.");
}

/* Right on one GPU, wrong on several. */
static struct finding explain_gpus(const struct case_run *run,
                                   const struct run_result *result)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t part = n / case_param(run, "gpus");
    const unsigned devices = kernel_devices(run);

    if (cells_cover(&result->host, CELL_CIPHER, part, n) && devices == 1)
        return run->evidence->first_todo > 0
                   ? finding_open_todo(run->evidence)
                   : finding_make("one-gpu-works", PARTS,
                                  "Only the chunk of the first GPU is "
                                  "decrypted: the others get no work.");
    if (result->host.count[CELL_CIPHER] > 0 &&
        result->host.first[CELL_CIPHER] >= part)
        return finding_make("gpu-offset-missing", SHARES,
                            "All GPUs work on the entries of the first one. "
                            "Among all entries, the chunk of GPU g begins at "
                            "g * gpu_chunk; only in the memory of its GPU "
                            "does it begin at 0.");
    if (result->device.first_wrong >= part &&
        (result->host.count[CELL_UNTOUCHED_RUN] > 0 ||
         result->host.count[CELL_UNTOUCHED] > 0))
        return finding_make("device-offset", SHARES,
                            "The operations of a chunk do not agree on where "
                            "it is in the GPU's memory: all three begin at "
                            "the stream's offset in the GPU chunk.");
    return finding_none();
}

/* Wrong on one GPU, and streams that come into each other's way. */
static struct finding explain_streams_share(const struct chunks *chunks,
                                            const struct run_result *result)
{
    const uint64_t chunk = chunks->entries / chunks->streams;

    if (cells_cover(&result->device, CELL_UNTOUCHED, chunk, chunks->entries))
        return finding_make("stream-offset-missing", SHARES,
                            "All streams of the GPU use the start of its "
                            "memory at the same time: there, each stream's "
                            "chunk begins at s * stream_chunk.");
    return finding_make("hazard", PARTS,
                        "Two operations on the same entries are in different "
                        "streams. The copy in, the kernel and the copy back of "
                        "a chunk belong in one stream.");
}

static struct finding explain_job(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct run_result result = {0};
    struct finding found = finding_none();

    if (!cipher_compare_cells(run, &result.host, &result.device))
        return finding_none();
    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return explain_not_waited(run, &chunks);
    if (is_case(run, ONE))
        found = chunks_explain_wrong(&chunks, &result);
    if (is_case(run, ONE) && found.id == NULL && run->virtual_run &&
        run->virtual_run->checked.hazards > 0)
        found = explain_streams_share(&chunks, &result);
    if (is_case(run, EVEN))
        found = explain_gpus(run, &result);
    if (found.id == NULL && is_case(run, UNEVEN))
        found = cipher_explain_tail(chunks.entries, chunks.streams, &result);
    return found;
}

/* A hazard between two GPUs or within one? */
static struct finding explain_order(const struct case_run *run,
                                    const struct chunks *chunks)
{
    const struct checked *const checked = &run->virtual_run->checked;

    if (checked->by_driver)
        return explain_not_waited(run, chunks);
    if (is_case(run, UNEVEN) || is_case(run, EMPTY))
        return finding_make("parts-overlap", SHARES,
                            "Two chunks hold the same entries. A GPU chunk is "
                            "stream_chunk * num_streams entries, and the next "
                            "GPU's begins right behind it.");
    if (is_case(run, EVEN))
        return finding_make("gpus-share-entries", SHARES,
                            "Two streams work on the same entries at the same "
                            "time: each stream of each GPU has a chunk of its "
                            "own.");
    return chunks_explain_order(chunks, checked);
}

static void judge_job(const struct case_run *run, struct judgement *judgement)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);

    if (!judge_right(run, judgement)) {
        judgement->finding = explain_job(run);
        return;
    }
    if (!judge_order(run, judgement)) {
        judgement->finding = explain_order(run, &chunks);
        return;
    }
    if (trace.there && trace.kernels == 0) {
        judge_fail(judgement, chunks_explain_slow(&chunks), "no kernel ran");
        return;
    }
    judge_pass(judgement, "%llu entries, %llu GPU%s, %llu streams each%s",
               ULL(chunks.entries), ULL(case_param(run, "gpus")),
               case_param(run, "gpus") == 1 ? "" : "s",
               ULL(case_param(run, "streams")),
               run->virtual_run ? ", no hazard" : "");
}

/* ---- a program that did not return --------------------------------------- */

static bool error_is(const struct case_run *run, const char *name)
{
    return strcmp(run->error.name, name) == 0;
}

/* What CHECK said of a call that concerns a GPU. */
static struct finding explain_gpu_error(const struct case_run *run)
{
    if (error_is(run, "cudaErrorInvalidDevice"))
        return finding_make("no-such-gpu", OWNER,
                            "%s: there is no GPU of that number. They are "
                            "counted from 0 to num_gpus - 1.",
                            run->error.at);
    if (strncmp(run->error.call, "cudaEventRecord", 15) == 0 ||
        strncmp(run->error.call, "cudaEventElapsedTime", 20) == 0)
        return finding_make("event-of-another-gpu", CLOCK,
                            "%s at %s: an event belongs to the GPU that was "
                            "current when it was made. It can be recorded in "
                            "streams of that GPU only, and two events tell a "
                            "time only if they are of one GPU.",
                            run->error.call, run->error.at);
    if (error_is(run, "cudaErrorInvalidResourceHandle") ||
        error_is(run, "cudaErrorContextIsDestroyed"))
        return finding_make("no-such-stream", OWNER,
                            "%s: this stream was never made, or is destroyed "
                            "already. Each GPU has num_streams of its own.",
                            run->error.at);
    return finding_none();
}

/* Memory was reached that is not there. It all went well on one GPU. */
static struct finding explain_outside(const struct case_run *run)
{
    if (is_case(run, UNEVEN) || is_case(run, EMPTY) || is_case(run, LARGE))
        return finding_make("past-the-end", SHARES,
                            "A chunk reaches beyond the last entry or the end "
                            "of its GPU's memory, or begins behind it. Chunks "
                            "may be shorter or empty, and so may the chunk of "
                            "a whole GPU.");
    if (strstr(text_string(&run->fault), "without peer access"))
        return finding_make("gpus-mixed", OWNER,
                            "A kernel runs on the GPU that its stream belongs "
                            "to, and can reach that GPU's memory only. Here "
                            "the chunk's stream and its memory belong to "
                            "different GPUs.");
    return finding_make("global-offset", SHARES,
                        "%s%sreaches beyond the GPU's memory. "
                        "data_gpu[gpu] holds the chunk of that GPU only: "
                        "there, a stream's offset counts from the start of the "
                        "GPU chunk, not of all entries.",
                        run->error.at[0] ? run->error.at : "The kernel",
                        run->error.at[0] ? ": this copy " : " ");
}

static struct finding explain_end(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    const bool outside = error_is(run, "cudaErrorInvalidValue") ||
                         error_is(run, "cudaErrorInvalidConfiguration") ||
                         run->fault.length > 0 || run->late[0] != '\0';
    const struct run_result result = {.end = run->end,
                                      .code = run->code,
                                      .error = run->error,
                                      .fault = run->fault};
    struct finding found = cipher_explain_free(run);

    if (found.id == NULL || strcmp(found.id, "no-such-stream") == 0)
        found = explain_gpu_error(run).id ? explain_gpu_error(run) : found;
    if (found.id)
        return found;
    if (outside && !is_case(run, ONE) && !is_case(run, PLACES))
        return explain_outside(run);
    return chunks_explain_end(&chunks, &result);
}

/* ---- clean --------------------------------------------------------------- */

static unsigned count_left(const struct case_run *run)
{
    const char *line = NULL;
    unsigned count = 0;

    while (run->virtual_run &&
           (line = checked_find(&run->virtual_run->checked, "warning", "text",
                                "never", line)) != NULL)
        count++;
    return count;
}

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    static const char *const names[] = {ONE, PLACES, EVEN, UNEVEN};
    const char *const first_only =
        "What the job takes on GPU 0 is given back, but not all that it takes "
        "on the others: cipher_destroy goes through all GPUs.";
    const char *const any =
        "cipher_destroy must give back all that cipher_create takes, for each "
        "GPU, and every other function what it takes itself.";
    const struct case_run *const one = case_other(run, ONE);
    const bool one_is_clean = one && one->ran && count_left(one) == 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct case_run *const other = case_other(run, names[i]);

        if (other == NULL || !other->ran)
            continue;
        if (!cipher_judge_tidy(other, judgement,
                               one_is_clean ? first_only : any)) {
            if (one_is_clean && judgement->finding.id &&
                strcmp(judgement->finding.id, "leak") == 0)
                judgement->finding.id = "leak-on-other-gpus";
            return;
        }
    }
    judge_pass(judgement, "all memory and streams of all GPUs given back");
}

/* ---- large --------------------------------------------------------------- */

static void judge_large(const struct case_run *run, struct judgement *judgement)
{
    const int64_t gpus = case_fact(run, "best_gpus");
    const int64_t streams = case_fact(run, "best_streams");

    if (gpus < 1 || gpus > case_fact(run, "gpus") || streams < 1 ||
        streams > 1024) {
        judge_fail(judgement,
                   finding_make("sweep-returns-nothing", SWEEP,
                                "cipher_sweep returns %lld GPUs and %lld "
                                "streams: it must return the setting that was "
                                "fastest.",
                                (long long)gpus, (long long)streams),
                   "%lld GPUs, %lld streams", (long long)gpus,
                   (long long)streams);
        return;
    }
    if (judge_right(run, judgement))
        judge_pass(judgement, "%llu entries, %lld GPU%s, %lld stream%s%s",
                   ULL(case_param(run, "entries")), (long long)gpus,
                   gpus == 1 ? "" : "s", (long long)streams,
                   streams == 1 ? "" : "s", gpus == 1 ? "" : " each");
    else
        judgement->finding =
            finding_make("wrong-when-large", PARTS,
                         "The small jobs are right, entries of this large one "
                         "are not. What depends on the number of entries or "
                         "on the setting that the sweep returns?");
}

/* ---- the program's own clock --------------------------------------------- */

/* On the virtual GPU both clocks show computed times. What lies between is the
 * start of the grader's, and waits for GPUs that have nothing to do. */
static double clock_slack(const struct case_run *run)
{
    return run->backend == BACKEND_VGPU ? 0.07 : 0.2;
}

static void judge_timer(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double slack = clock_slack(large);
    const bool one_early =
        (double)case_fact(large, "one_timer_ns") <
        (1 - slack) * (double)case_fact(large, "one_student_ns");
    struct finding early = finding_make(
        "timer-too-early", CLOCK,
        "The timer does not cover all of the work, on one GPU neither: it must "
        "start before the first copy, and stop when the last stream is done.");

    if (!one_early)
        early = finding_make(
            "timer-of-one-gpu", CLOCK,
            "On one GPU the time is right, on several it ends before all of "
            "them are done. An event is a point in a stream of one GPU, and "
            "knows nothing of the others: stop the clock when all GPUs are "
            "done.");
    cipher_judge_timer(judgement, (double)case_fact(large, "timer_ns"),
                       (double)case_fact(large, "student_ns"), slack, early);
}

/* ---- the sweep ----------------------------------------------------------- */

enum { LEAST_STREAMS = 8 };

/* What of the settings is in the table. */
struct tried {
    unsigned gpus, streams; /* different numbers of them */
    bool all;               /* each number of GPUs, with 1 and with 8 streams */
};

static struct tried table_tried(const struct cipher_table *table, int64_t gpus)
{
    struct tried tried = {.all = true};

    for (unsigned i = 0; i < table->rows; i++) {
        bool new_gpus = true, new_streams = true;

        for (unsigned k = 0; k < i; k++) {
            new_gpus &= table->row[k].gpus != table->row[i].gpus;
            new_streams &= table->row[k].streams != table->row[i].streams;
        }
        tried.gpus += new_gpus;
        tried.streams += new_streams;
    }
    for (int64_t g = 1; g <= gpus; g++) {
        bool few = false, many = false;

        for (unsigned i = 0; i < table->rows; i++) {
            few |= ULL(g) == table->row[i].gpus && table->row[i].streams == 1;
            many |= ULL(g) == table->row[i].gpus &&
                    table->row[i].streams >= LEAST_STREAMS;
        }
        tried.all = tried.all && few && many;
    }
    tried.all = tried.all && tried.streams >= 4;
    return tried;
}

static struct finding explain_table(const struct case_run *run,
                                    const struct cipher_table *table,
                                    const struct tried *tried)
{
    if (run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (table->rows == 0)
        return finding_make("no-table", SWEEP,
                            "cipher_sweep prints no table: call print_row for "
                            "each setting.");
    if (tried->gpus == 1 && case_fact(case_other(run, LARGE), "gpus") > 1)
        return finding_make("sweep-of-streams-only", SWEEP,
                            "The sweep tries numbers of streams, but always "
                            "on %llu GPU%s: try every number of GPUs.",
                            table->row[0].gpus,
                            table->row[0].gpus == 1 ? "" : "s");
    if (tried->streams == 1)
        return finding_make("sweep-of-gpus-only", SWEEP,
                            "The sweep tries numbers of GPUs, but always with "
                            "%llu stream%s each: try 1, 2, 4 and 8.",
                            table->row[0].streams,
                            table->row[0].streams == 1 ? "" : "s");
    return finding_make("short-table", SWEEP,
                        "The table has %u rows: measure every number of GPUs, "
                        "each with 1, 2, 4 and so on up to 8 streams at "
                        "least.",
                        table->rows);
}

/* Is the row of a setting what the same code took when the grader ran it? */
static bool row_is_measured(const struct case_run *large,
                            const struct cipher_table *table, int64_t gpus,
                            int64_t streams, int64_t timer_ns)
{
    const double row = cipher_table_ms(table, ULL(gpus), ULL(streams));
    const double ms = (double)timer_ns / 1e6;
    const double noise = large->backend == BACKEND_VGPU ? 0.05 : 0.3;

    return row == 0 || ms == 0 ||
           (row > (1 - noise) * ms && row < (1 + noise) * ms);
}

static struct finding explain_rows(const struct case_run *large,
                                   const struct cipher_table *table)
{
    const int64_t gpus = case_fact(large, "best_gpus");
    const int64_t streams = case_fact(large, "best_streams");
    const int64_t all_ns = case_fact(large, "timer_ns");
    const int64_t one_ns = case_fact(large, "one_timer_ns");
    const bool all = row_is_measured(large, table, gpus, streams, all_ns);

    if (all && row_is_measured(large, table, 1, streams, one_ns))
        return finding_none();
    return finding_make(
        "sweep-does-not-measure", SWEEP,
        "The table says %.3f ms for %lld GPU%s with %lld "
        "stream%s. The same cipher_decrypt takes %.3f ms when "
        "the grader calls it so: each row must measure its own "
        "setting.",
        cipher_table_ms(table, all ? 1 : ULL(gpus), ULL(streams)),
        all ? 1LL : (long long)gpus, (all ? 1 : gpus) == 1 ? "" : "s",
        (long long)streams, streams == 1 ? "" : "s",
        (double)(all ? one_ns : all_ns) / 1e6);
}

static void judge_sweep(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const unsigned long long gpus = ULL(case_fact(large, "best_gpus"));
    const unsigned long long streams = ULL(case_fact(large, "best_streams"));
    struct cipher_table table;
    struct finding found;
    struct tried tried;
    double ms;

    cipher_table_read(&table, text_string(&large->printed), true);
    tried = table_tried(&table, case_fact(large, "gpus"));
    ms = cipher_table_ms(&table, gpus, streams);
    found = explain_rows(large, &table);
    if (!tried.all)
        judge_fail(judgement, explain_table(run, &table, &tried),
                   "%u row%s, %u number%s of GPUs, %u of streams", table.rows,
                   table.rows == 1 ? "" : "s", tried.gpus,
                   tried.gpus == 1 ? "" : "s", tried.streams);
    else if (found.id)
        judge_fail(judgement, found, "%u rows, not as measured", table.rows);
    else if (ms == 0 || ms > 1.02 * table.row[table.best].ms)
        judge_fail(judgement,
                   finding_make("not-the-fastest", SWEEP,
                                "cipher_sweep returns %llu GPUs with %llu "
                                "streams, but by its own table %llu GPUs with "
                                "%llu were faster.",
                                gpus, streams, table.row[table.best].gpus,
                                table.row[table.best].streams),
                   "%u rows", table.rows);
    else
        judge_pass(judgement,
                   "%u rows, best on %llu GPU%s with %llu stream%s%s",
                   table.rows, gpus, gpus == 1 ? "" : "s", streams,
                   streams == 1 ? "" : "s", gpus == 1 ? "" : " each");
}

/* ---- fast ---------------------------------------------------------------- */

/* The host waits in between: for each GPU, or for each chunk? */
static struct finding explain_waits(const struct trace_facts *trace,
                                    const struct case_run *even)
{
    const uint64_t gpus = case_param(even, "gpus");

    if (trace->waits_between <= gpus * case_param(even, "streams") &&
        trace->waits_between % case_param(even, "streams") == 0 &&
        trace->waits_between == (gpus - 1) * case_param(even, "streams"))
        return finding_make("gpu-after-gpu", ORDER,
                            "%s: the host waits for all streams of one GPU "
                            "before it queues the work of the next, so only "
                            "one GPU works at a time. Queue everything first.",
                            trace->wait_at);
    if (trace->waits_between == gpus - 1)
        return finding_make("gpu-after-gpu", ORDER,
                            "%s: the host waits for one GPU before it queues "
                            "the work of the next, so only one GPU works at a "
                            "time. Queue everything first.",
                            trace->wait_at);
    return finding_none();
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const large = case_other(run, LARGE);
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct finding found = finding_none();

    if (trace.kernels == case_param(even, "gpus"))
        return finding_make(
            "one-piece", PARTS,
            "Each GPU has its chunk in one piece, so on each of "
            "them every step waits for the one before it: cut "
            "it into a chunk for each stream.");
    if (trace.pageable > 0)
        return finding_make("pageable-memory", PARTS,
                            "The host's memory is pageable: each copy holds "
                            "the host until it is done, and the other GPUs "
                            "wait for the host. Pin it (cudaMallocHost).");
    if (trace.there && trace.waits_between > 0)
        found = explain_waits(&trace, even);
    if (found.id == NULL)
        found = chunks_explain_slow(&chunks);
    if (found.id)
        return found;
    return finding_make("bad-setting", SWEEP,
                        "The work overlaps, but %lld GPU%s with %lld stream%s "
                        "each is not a good setting here. Which one does your "
                        "table say?",
                        (long long)case_fact(large, "best_gpus"),
                        case_fact(large, "best_gpus") == 1 ? "" : "s",
                        (long long)case_fact(large, "best_streams"),
                        case_fact(large, "best_streams") == 1 ? "" : "s");
}

/* Below that, the host's calls on a virtual device with a fast link hide what
 * the GPUs gain. */
enum { SHORT_COPY_NS = 250000 };

static void judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double h2d = (double)case_fact(large, "h2d_ns");
    const double d2h = (double)case_fact(large, "d2h_ns");
    const double kernel = (double)case_fact(large, "kernel_ns");
    const double both = (double)case_fact(large, "both_ns");
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(large, "one_gpu_ns"),
        .student_ns = (double)case_fact(large, "student_ns"),
        .bound_ns = kernel > both ? kernel : both,
        .least_ns = h2d > d2h ? h2d : d2h,
        .eta_needed = 0.77,
    };

    if (run->backend == BACKEND_VGPU && both < SHORT_COPY_NS)
        judge_pass(judgement,
                   "not gradable for speed here: all entries are copied in and "
                   "back in %.3f ms",
                   both / 1e6);
    else if (!judge_speed(run, judgement, &times) &&
             judgement->finding.id == NULL)
        judgement->finding = run->evidence->first_todo > 0
                                 ? finding_open_todo(run->evidence)
                                 : explain_slow(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n) ((n) * sizeof(uint64_t))

/* A K20's link is slow enough that few entries for each of four GPUs show the
 * overlap. The sweep is 16 runs: with half of the rounds that would make the
 * kernel as long as a copy, the processor needs 2 s for it. */
#define LARGE_VGPU (3 * (1 << 18) - 5)
#define LARGE_CUDA ((1 << 25) - 5)

static const struct lab_case cases[] = {
    {.name = PLACES,
     .points = 10,
     .params = "job=places entries=8400 gpus=4 streams=7",
     .input_bytes = ENTRIES(8400),
     .gpus = 4,
     .checked = true,
     .judge = judge_places},
    {.name = ONE,
     .points = 5,
     .params = "job=decrypt entries=7000 gpus=1 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(7000),
     .output_bytes = 2 * ENTRIES(7000),
     .gpus = 4,
     .gpus_needed = 1,
     .checked = true,
     .compare = cipher_compare_job,
     .judge = judge_job},
    {.name = EVEN,
     .points = 10,
     .params = "job=decrypt entries=8400 gpus=4 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(8400),
     .output_bytes = 2 * ENTRIES(8400),
     .gpus = 4,
     .checked = true,
     .needs = ONE,
     .compare = cipher_compare_job,
     .judge = judge_job},
    {.name = UNEVEN,
     .points = 5,
     .params = "job=decrypt entries=10007 gpus=3 streams=5 iters=12 current=3",
     .input_bytes = 2 * ENTRIES(10007),
     .output_bytes = 2 * ENTRIES(10007),
     .gpus = 4,
     .checked = true,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .judge = judge_job},
    {.name = EMPTY,
     .points = 5,
     .params = "job=decrypt entries=5 gpus=4 streams=2 iters=12",
     .input_bytes = 2 * ENTRIES(5),
     .output_bytes = 2 * ENTRIES(5),
     .gpus = 4,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .judge = judge_job},
    {.name = "called again",
     .points = 5,
     .params = "job=decrypt entries=1000 gpus=4 streams=2 iters=12 again=1",
     .input_bytes = 2 * ENTRIES(1000),
     .output_bytes = 2 * ENTRIES(1000),
     .gpus = 4,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .judge = judge_job},
    {.name = "clean",
     .points = 10,
     .params = "job=none",
     .needs = ONE,
     .judge = judge_tidy},
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=786427 streams=4 most_rounds=96",
     .params_cuda = "job=large entries=33554427 streams=8",
     .input_bytes = ENTRIES(LARGE_VGPU),
     .output_bytes = ENTRIES(LARGE_VGPU),
     .input_bytes_cuda = ENTRIES(LARGE_CUDA),
     .output_bytes_cuda = ENTRIES(LARGE_CUDA),
     .gpus = 4,
     .gpus_needed = 2,
     .drawn = true,
     .sweep = "job=point entries=786427 most_rounds=96",
     .sweep_cuda = "job=point entries=33554427",
     .needs = EVEN,
     .seconds = 120,
     .compare = cipher_compare_large,
     .judge = judge_large},
    {.name = "timer",
     .points = 10,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_timer},
    {.name = "sweep",
     .points = 10,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_sweep},
    {.name = "fast",
     .points = 15,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_fast},
    {.name = "program",
     .points = 5,
     .params = "job=main",
     .gpus = 4,
     .gpus_needed = 1,
     .needs = EVEN,
     .judge = cipher_judge_program},
};

static const struct lab_rules lab_13 = {
    .name = "13_cipher_mgpu",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "one GPU with overlap",
    .explain_end = explain_end,
};

LAB_RULES(lab_13);
