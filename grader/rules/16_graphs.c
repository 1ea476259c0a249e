/*
 * 16_graphs.c: rules of lab 16. Frames of many small kernels, all of one shape.
 * Judged are what comes out, in the order of a stream, whether one graph was
 * made and launched once for each frame, a number of rounds that changes, and
 * two times: a frame's and the host's. What a capture does not allow is told by
 * the call that failed.
 */
#include "cipher.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cipher_entry.h"
#include "number.h"

#define TURNS "a frame at a time"
#define FLOW  "in the order of the stream"
#define GRAPH "one graph for all frames"
#define THEN  "another number of rounds"
#define FAST  "a frame's time"

/* ---- what must come out -------------------------------------------------- */

static uint64_t entries_of(const struct case_run *run)
{
    return case_param(run, "channels") * case_param(run, "channel");
}

static uint64_t count(const struct case_run *run)
{
    return entries_of(run) * max_u64(case_param(run, "frames"), 1);
}

/* The rounds of frame @f: as in the driver's part. */
enum { AT_FIRST = -1 };
static uint64_t iters_of(const struct case_run *run, int64_t f)
{
    const uint64_t then = case_param(run, "then");

    return f == AT_FIRST || then == 0 ? case_param(run, "iters")
                                      : 2 + (then + (uint64_t)f / 2 * 5) % 13;
}

/* Whose number a frame has. */
static int64_t itself(int64_t f, int64_t last)
{
    (void)last;
    return f;
}
static int64_t before(int64_t f, int64_t last)
{
    (void)last;
    return f < 2 ? AT_FIRST : f - 2;
}
static int64_t at_first(int64_t f, int64_t last)
{
    (void)f;
    (void)last;
    return AT_FIRST;
}
static int64_t at_last(int64_t f, int64_t last)
{
    (void)f;
    return last;
}

/* Frame after frame, @times times. One memory that is a frame again and again
 * is one. */
static void decrypt(const struct case_run *run, uint64_t *to,
                    int64_t (*whose)(int64_t f, int64_t last), uint64_t times)
{
    const int64_t last = (int64_t)max_u64(case_param(run, "frames"), 1) - 1;

    times *= case_param(run, "layers") * max_u64(case_param(run, "turns"), 1);
    memcpy(to, run->input, run->output_bytes);
    for (uint64_t i = 0; i < count(run); i++) {
        const int64_t f = whose((int64_t)(i / entries_of(run)), last);

        for (uint64_t n = 0; n < times; n++)
            to[i] = decrypt_entry(to[i], iters_of(run, f));
    }
}

/* difference.kinds */
enum { STILL_ENCRYPTED, BEFORE, CREATED, LATER, TWICE, NUM_KNOWN };

/* Which number of rounds was taken, where it was another one. */
static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t all = count(run);
    OWNED uint64_t *const values = calloc(NUM_KNOWN * all + 1, sizeof *values);
    struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = run->output,
        .expected = values,
        .count = all,
        .known = {{"still encrypted", run->input},
                  {"decrypted with the old number of rounds", values + all},
                  {"decrypted with the number of rounds that the receiver was "
                   "made with",
                   values + 2 * all},
                  {"decrypted with the number of rounds of a later frame",
                   values + 3 * all},
                  {"decrypted twice", values + 4 * all}},
        .noun = "entry",
    };

    if (!values)
        return;
    decrypt(run, values, itself, 1);
    decrypt(run, values + all, before, 1);
    decrypt(run, values + 2 * all, at_first, 1);
    decrypt(run, values + 3 * all, at_last, 1);
    decrypt(run, values + 4 * all, itself, 2);
    difference_in_parts(run, &arrays);
    difference_arrays(found, &arrays);
}

/* ---- what the calls were ------------------------------------------------- */

/* In the region: of one receiver's life, or of the frames of a timed case. */
struct calls {
    unsigned instances, launches;
    unsigned captures;             /* launches with one behind them, or more */
    unsigned kernels;              /* of graphs */
    unsigned working;              /* of these, that took off a layer */
    const struct trace_op *inside; /* a kernel that ran during a capture */
    const struct trace_op *beside; /* one of another call, behind a launch */
    const struct trace_call *elsewhere; /* a launch in another stream */
};

/* Was it called between the begin of a capture and its end? */
static bool is_in_capture(const struct trace *trace, uint64_t id)
{
    const struct trace_call *call = NULL;
    bool inside = false;

    while ((call = query_next_call(trace, "cudaStream*Capture*", call)) &&
           call->id < id)
        inside = text_matches(call->name, "cudaStreamBeginCapture*");
    return inside;
}

/* Did it take a layer off a channel? What did less stands for nothing. */
static bool has_worked(const struct case_run *run, const struct trace_op *op)
{
    uint64_t least = case_param(run, "iters");

    for (uint64_t f = 0; f < case_param(run, "frames"); f++)
        least = min_u64(least, iters_of(run, (int64_t)f));
    return op->work >= WORK_LEAST_OPS * least * case_param(run, "channel");
}

/* A number may come by its own copy; what is as long as a channel may not. */
static void read_op(const struct case_run *run, const struct trace *trace,
                    const struct trace_op *op, struct calls *calls)
{
    const bool kernel = op->kind == TRACE_KIND_KERNEL;
    const struct trace_call *const call = query_call_of(trace, op);
    const struct trace_call *const launch =
        query_call(trace, "cudaGraphLaunch");

    if (call && text_matches(call->name, "cudaGraphLaunch"))
        calls->kernels += kernel,
            calls->working += kernel && has_worked(run, op);
    else if (kernel && is_in_capture(trace, op->call))
        calls->inside = calls->inside ? calls->inside : op;
    else if (launch && launch->id < op->call && !calls->beside &&
             !query_is_own(op->at) &&
             (kernel ||
              op->bytes >= case_param(run, "channel") * sizeof(uint64_t)))
        calls->beside = op;
}

/* The stream that frames come by had the driver's own kernel before. */
static uint64_t stream_of(const struct trace *trace)
{
    size_t i = 0;

    while (i < trace->num_ops && trace->ops[i].kind != TRACE_KIND_KERNEL)
        i++;
    return i < trace->num_ops ? trace->ops[i].stream : TRACE_NO_STREAM;
}

static struct calls read_calls(const struct case_run *run,
                               const struct trace *trace)
{
    const struct trace_op *op = NULL;
    const struct trace_call *call = NULL;
    struct calls calls = {.launches = query_calls(trace, "cudaGraphLaunch")};

    calls.instances = query_calls(trace, "cudaGraphInstantiate*");
    while ((op = query_next(trace, QUERY_OF(0), op)) != NULL)
        read_op(run, trace, op, &calls);
    call = query_call(trace, "cudaGraphLaunch");
    while (call) {
        const struct trace_call *const capture =
            query_next_call(trace, "cudaStreamBeginCapture*", call);

        call = query_next_call(trace, "cudaGraphLaunch", call);
        calls.captures += capture && (!call || capture->id < call->id);
    }
    while ((call = query_next_call(trace, "cudaGraphLaunch", call)) != NULL)
        if (call->stream != stream_of(trace) && !calls.elsewhere)
            calls.elsewhere = call;
    return calls;
}

/* So many frames there are, and so many kernels. */
static unsigned frames_asked(const struct case_run *run)
{
    return (unsigned)max_u64(case_param(run, "frames"),
                             case_param(run, "turns"));
}

static unsigned kernels_asked(const struct case_run *run)
{
    return frames_asked(run) * (unsigned)case_param(run, "channels") *
           (unsigned)case_param(run, "layers");
}

/* ---- what is not a graph, launched for each frame ------------------------ */

/* Is more of a kind made than given back? The checker does not look for
 * graphs. In the whole trace: where calls take no time, the last of the region
 * are as late as its end. */
static unsigned count_all(const struct trace *trace, const char *name)
{
    unsigned calls = 0;

    for (size_t i = 0; i < trace->num_calls; i++)
        calls += text_matches(trace->calls[i].name, name) &&
                 !query_is_own(trace->calls[i].at);
    return calls;
}

static bool has_leak(const struct trace *trace)
{
    return count_all(trace, "cudaStreamEndCapture*") +
                   count_all(trace, "cudaGraphCreate") +
                   count_all(trace, "cudaGraphClone") >
               count_all(trace, "cudaGraphDestroy") ||
           count_all(trace, "cudaGraphInstantiate*") >
               count_all(trace, "cudaGraphExecDestroy");
}

/* Instances are made before the frames, of which a timed case shows no more. */
static struct finding explain_instances(const struct case_run *run,
                                        const struct calls *calls)
{
    const unsigned frames = frames_asked(run);
    const unsigned channels = (unsigned)case_param(run, "channels");
    const bool again = calls->instances > 1;
    const bool recaptured = calls->captures + 1 >= frames && frames > 1;

    return mistake_first((struct sign[]){
        {calls->launches == 0 && calls->instances > 0, "never-launched"},
        {calls->launches == 0, "no-graph"},
        {recaptured && !again, "captured-each-time/update"},
        {recaptured, "captured-each-time"},
        {again && calls->launches == frames * channels, "graph-per-channel"},
        {again && calls->instances >= frames, "instantiated-each-time"},
        {again, "instantiated-again"}});
}

static struct finding explain_launches(const struct case_run *run,
                                       const struct calls *calls)
{
    const unsigned frames = frames_asked(run);

    if (calls->launches == frames && calls->kernels < kernels_asked(run) &&
        run->difference.whole_parts)
        return finding_parts(&run->difference);
    return mistake_first((struct sign[]){
        SIGN_AT("launched-elsewhere", calls->elsewhere),
        SIGN_AT("beside-the-graph", calls->beside),
        {calls->launches > frames, "launched-too-often"},
        {calls->launches < frames, "launches-missing"},
        {calls->kernels < kernels_asked(run), "kernels-missing"},
        {calls->working < kernels_asked(run), "sham-kernels"},
        {calls->kernels > kernels_asked(run), "kernels-too-many"}});
}

/* Without a virtual GPU nobody has seen the calls. */
static bool ask_graph(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct calls calls = read_calls(run, trace);
    struct finding found;

    if (!trace)
        return true;
    found = explain_instances(seen_run(run), &calls);
    if (!found.id)
        found = explain_launches(seen_run(run), &calls);
    if (!found.id && has_leak(trace))
        return judge_no(run, judgement, mistake("graph-leaked"),
                        "a graph is left behind");
    return !found.id ||
           judge_no(run, judgement, finding_todo_or(run, found),
                    "right, but a frame is not one launch of one graph, with "
                    "all its kernels");
}

/* The host brings frames to the stream and does not wait for any. Who asks
 * again and again, with nothing in between, waits. */
static bool ask_no_wait(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *call = NULL;
    const char *at = "";
    const struct trace_op *frame = NULL, *last = NULL, *op = NULL;

    do
        frame = query_next(trace, QUERY_OF(QUERY_BACK), frame);
    while (frame && !query_is_own(frame->at));
    while ((op = query_next(trace, QUERY_OF(QUERY_KERNELS), op)) != NULL)
        last = last && last->call > op->call ? last : op;
    for (; frame && last && (call = query_next_call(trace, "*", call)) != NULL;
         at = call->at)
        if ((query_is_wait(call) ||
             (text_matches(call->name, "*Query") && !strcmp(call->at, at))) &&
            call->id > frame->call && call->id < last->call)
            return judge_no(run, judgement, mistake_at("host-waits", call->at),
                            "right, but the host waits for a frame");
    return true;
}

/* ---- wrong results ------------------------------------------------------- */

/* The number of rounds that has changed reaches all nodes, some, or none. */
static struct finding explain_rounds(const struct case_run *run,
                                     const struct trace *trace)
{
    const unsigned nodes = kernels_asked(run) / frames_asked(run);
    const unsigned set =
        query_calls(trace, "cudaGraphExec*KernelNodeSetParams") +
        query_calls(trace, "cudaGraphExecNodeSetParams");
    const struct difference *const found = &run->difference;
    const unsigned sets = ((unsigned)case_param(run, "frames") + 1) / 2;
    const bool old = found->kinds[BEFORE] + found->kinds[CREATED] > 0;

    return mistake_first((struct sign[]){
        {set > 0 && set < sets * nodes, "update-partial"},
        {old && set == 0 && query_calls(trace, "cudaGraph*NodeSetParams") > 0,
         "graph-not-exec"},
        {old && found->last < 2 * entries_of(run), "number-before-first"},
        {old, query_call(trace, "cudaGraphExecUpdate")
                  ? "number-captured/updated"
                  : "number-captured"},
        {found->kinds[LATER] > 0, "number-in-flight"},
        {found->wrong == count(run), "number-other"}});
}

/* What ran while it should have been captured is the reason of much else. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct calls calls = read_calls(run, trace);
    const uint64_t bytes = case_param(run, "channel") * sizeof(uint64_t);
    struct finding found = finding_none();
    struct trace_facts facts;

    if (case_fact(run, "other") > 0)
        return mistake("job-kept");
    if (case_todo_is_open(run) || !trace || failed == ASK_CLEAN)
        return found;
    if (failed == ASK_SPEED)
        return mistake(query_overlap(trace, QUERY_KERNELS, QUERY_KERNELS)
                           ? NULL
                           : "channels-in-turn");
    trace_facts_take(&facts, trace);
    found = mistake_first((struct sign[]){
        SIGN_AT("not-captured", calls.inside),
        {max_u64(facts.in.longest, facts.back.longest) > bytes &&
             facts.in.copies > frames_asked(run),
         "channel-too-long"},
        {run->difference.kinds[TWICE] > 0 &&
             cipher_has_hazard(run, DONE_BY_STUDENT, DONE_BY_STUDENT),
         "channels-overlap"},
        {calls.launches == 0 && calls.instances > 0 &&
             query_count(trace, QUERY_KERNELS) == 0,
         "never-launched"}});
    if (!found.id && case_param(run, "then") > 0)
        found = explain_rounds(run, trace);
    if (!found.id && calls.launches > 0)
        found = explain_launches(seen_run(run), &calls);
    if (!found.id)
        found = trace_explain_bytes(&facts, bytes);
    return found.id
               ? found
               : mistake_first((struct sign[]){
                     /* The driver brings frames and fetches them. */
                     {facts.back.copies == 0, "no-copy-back/way"},
                     {cipher_has_hazard(run, DONE_BY_GRADER, DONE_BY_STUDENT),
                      "not-forked"},
                     {cipher_has_hazard(run, DONE_BY_STUDENT, DONE_BY_GRADER),
                      "not-joined"},
                     {calls.launches > 0 &&
                          cipher_has_hazard(run, DONE_BY_STUDENT,
                                            DONE_BY_STUDENT),
                      "edges-missing"}});
}

/* ---- functions that did not return --------------------------------------- */

#define CAPTURE "StreamCapture"

static struct finding explain_end(const struct case_run *run)
{
    const bool forbidden = case_failed(run, NULL, CAPTURE "Unsupported") ||
                           case_failed(run, NULL, "CapturedEvent");
    const bool copies = case_failed(run, "cudaMemcpy*", CAPTURE "*") &&
                        !case_failed(run, "cudaMemcpy*Async*", NULL);
    const struct sign signs[] = {
        /* Before the first frame there may be none yet. */
        {case_is(run, THEN) &&
             case_failed(run, "cudaGraphExec*", "InvalidValue"),
         "number-before-first/made"},
        {case_failed(run, "cudaStreamBeginCapture*", NULL), "capture-begin"},
        {copies, "blocking-in-capture"},
        {forbidden && (case_failed(run, "cuda*Synchronize*", NULL) ||
                       case_failed(run, "cuda*Query*", NULL)),
         "wait-in-capture"},
        {forbidden, "forbidden-in-capture"},
        {case_failed(run, NULL, CAPTURE "Implicit"),
         "default-stream-in-capture"},
        {case_failed(run, NULL, CAPTURE "Unjoined"), "not-joined/end"},
        {case_failed(run, NULL, CAPTURE "Isolation"), "fork-outside"},
        {case_failed(run, NULL, CAPTURE "Unmatched"), "capture-ends-elsewhere"},
        {case_failed(run, NULL, CAPTURE "Invalidated") ||
             case_failed(run, "cudaStreamWaitEvent", "InvalidValue"),
         "capture-spoiled"},
        {case_failed(run, NULL, "GraphExecUpdateFailure"), "update-refused"},
        {case_failed(run, "cudaGraphLaunch*", "InvalidValue"),
         "nothing-to-launch"}};

    return mistake_first(signs);
}

/* ---- the rules ----------------------------------------------------------- */

/* All rounds of all layers of all frames. */
static uint64_t work(const struct case_run *run)
{
    uint64_t rounds = 0;

    for (unsigned f = 0; f < frames_asked(run); f++)
        rounds += iters_of(run, f);
    return rounds * entries_of(run) * case_param(run, "layers");
}

static const struct case_data frames = {.count = count,
                                        .compare = compare,
                                        .work = work,
                                        .part = "channel",
                                        .part_entries = "channel",
                                        .parts = "channels",
                                        .part_again = true};

#define FRAMES(sizes)                                                          \
    .params = "job=frames " sizes, .data = &frames, .checked = true,           \
    .explain = explain, .passed = "{frames} frames"
#define MEASURED "turns=8 channels=4 channel=256 layers=8 iters=4"

/* Frames are so small that a kernel takes no longer than to launch it. */
static const struct lab_case cases[] = {
    {.name = TURNS,
     .points = 15,
     FRAMES("frames=4 channels=3 channel=200 layers=2 iters=5")},
    {.name = "one entry",
     .points = 5,
     FRAMES("frames=3 channels=1 channel=1 layers=1 iters=3")},
    {.name = FLOW,
     .points = 15,
     FRAMES("flow=1 frames=7 channels=8 channel=300 layers=3 iters=7 todo=1"),
     .asks = LAB_ASKS(JUDGE_ALL, ask_no_wait)},
    {.name = GRAPH,
     .points = 20,
     .of = LAB_CASES(FLOW),
     .asks = LAB_ASKS(ask_graph),
     .passed = "{frames} launches"},
    {.name = THEN,
     .points = 15,
     .needs = GRAPH,
     FRAMES("flow=1 frames=10 channels=3 channel=257 layers=2 iters=16..18 "
            "then=20..32 todo=4"),
     .asks = LAB_ASKS(JUDGE_ALL, ask_graph)},
    {.name = FAST,
     .points = 15,
     .params = "job=fast " MEASURED,
     .params_cuda = "job=fast turns=50 channels=4 channel=256 layers=8 iters=4",
     .data = &frames,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = GRAPH,
     .asks = LAB_ASKS(JUDGE_ALL, ask_graph),
     .speed = {"streams_ns", "student_ns", "graph_ns", "least_ns",
               .eta_needed = 0.7},
     .explain = explain},
    {.name = "the host's time",
     .points = 10,
     .needs = GRAPH,
     .of = LAB_CASES(FAST),
     .speed = {"streams_host_ns", "host_ns", "graph_host_ns", "least_host_ns",
               .eta_needed = 0.7},
     .explain = explain},
};

LAB_RULES(.name = "16_graphs", .baseline = "with streams",
          .undone = LAB_UNDONE({"wait-in-capture", LAB_TODO(1)}),
          .explain_end = explain_end);
