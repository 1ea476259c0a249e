/*
 * 09_cipher_overlap.c: rules of lab 09. The student's file is a whole program,
 * see cipher.h. What is wrong where all chunks are of one size is explained
 * from there, by what the buffers hold and by the trace.
 */
#include "cipher.h"

#define EVEN "even chunks"

/* Where the chunks are of one size, each operation can be told from what the
 * buffers hold; elsewhere what is new is the last chunk. */
static struct finding explain_job(const struct case_run *run, enum ask failed)
{
    struct trace_facts trace;
    const struct chunks chunks = cipher_view(run, &trace);
    struct chunks_left left = {0};

    if (failed == ASK_ORDER)
        return chunks_explain_order(&chunks, case_checked(run));
    if (!cipher_compare_cells(run, &left.host, &left.device))
        return finding_none();
    if (case_checked(run)->by_driver)
        return chunks_explain_not_waited(&chunks);
    if (chunks.entries % chunks.streams == 0)
        return cipher_explain_again(run, chunks_explain_wrong(&chunks, &left));
    return cipher_explain_tail(chunks.entries, chunks.streams, &left.host);
}

/* All that the trace shows comes before the number of streams: the work must
 * overlap for that to matter. */
static struct finding explain_speed(const struct case_run *run, enum ask failed)
{
    struct trace_facts trace;
    const struct chunks chunks = cipher_view(run, &trace);
    struct finding found;

    (void)failed; /* nothing else is asked */
    if (trace.kernels == 1)
        return finding_todo_or(run, mistake("one-piece"));
    if (trace.pageable > 0)
        return finding_todo_or(run, mistake("pageable-memory"));
    found = chunks_explain_slow(&chunks);
    return found.id
               ? found
               : mistake(cipher_explain_timer(run).id ? "chosen-by-wrong-clock"
                                                      : "bad-number");
}

/* ---- the rules ----------------------------------------------------------- */

#define JOB(text)                                                              \
    CIPHER_JOB, .params = "job=decrypt iters=12 " text,                        \
                .explain = explain_job,                                        \
                .passed = "{entries} entries, {streams} streams{no_hazard}"

static const struct lab_case cases[] = {
    {.name = EVEN,
     .points = 10,
     JOB("entries=7000 streams=7"),
     .checked = true},
    {.name = "uneven chunks",
     .points = 10,
     JOB("entries=10007 streams=16"),
     .checked = true,
     .needs = EVEN},
    {.name = CIPHER_FEWER,
     .points = 5,
     JOB("entries=10 streams=7 clock=200000"),
     .profile = "k20",
     .needs = EVEN},
    {.name = "called again",
     .points = 5,
     JOB("entries=1000 streams=4 again=1"),
     .needs = EVEN},
    {.name = "clean",
     .points = 10,
     .of = LAB_CASES(EVEN, "uneven chunks"),
     .asks = LAB_ASKS(cipher_judge_tidy),
     .passed = "all memory, streams and events given back"},
    /* As in lab 08, the slow link of a K20 shows on few MiB what a fast one
     * shows on many: enough that the best of the sweep is well above the needed
     * eta, and little enough that the processor runs seven times as much in
     * 2 s. */
    {.name = CIPHER_LARGE,
     .points = 5,
     .params = "job=large entries=736427..836427 streams=16 other=0..4",
     .params_cuda = "job=large entries=32108854..35000000 streams=32",
     .data = &cipher_large_data,
     .profile_vgpu = "k20",
     .drawn = true,
     .sweep = "job=point entries=736427..836427",
     .sweep_cuda = "job=point entries=32108854..35000000",
     .needs = EVEN,
     .seconds = 60,
     .asks = LAB_ASKS(judge_right, cipher_judge_setting),
     .explain = cipher_explain_narrow,
     .passed = "{entries} entries, as many streams as the sweep says"},
    CIPHER_TIMER_AND_SWEEP(10),
    {CIPHER_SEEN("fast", 25), .asks = LAB_ASKS(judge_fast),
     .speed = {CIPHER_TIMES, .eta_needed = 0.84}, .explain = explain_speed},
    {.name = "program",
     .points = 5,
     .params = "job=main entries=5003 iters=12",
     .needs = EVEN,
     .checked = true,
     .asks = LAB_ASKS(judge_right, cipher_judge_main),
     .passed = "main decrypts and finds no wrong entry"},
};

LAB_RULES(.name = "09_cipher_overlap", .explain_end = cipher_explain_end);
