/* cipher.c: what labs share that decrypt entries: see cipher.h */
#include "cipher.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cipher_entry.h"
#include "base/cores.h"
#include "number.h"

/* ---- one job ------------------------------------------------------------- */

uint64_t cipher_entries(const struct case_run *run)
{
    const size_t room = run->input_bytes < run->output_bytes
                            ? run->input_bytes
                            : run->output_bytes;
    const uint64_t n =
        max_u64(fact(run, "entries"), case_param(run, "entries"));

    return min_u64(n, room / sizeof(uint64_t));
}

/* With most_rounds= the driver chooses how much work there is. */
uint64_t *cipher_reference(const struct case_run *run, struct reference *ref)
{
    const uint64_t most = case_param(run, "most_rounds");
    const uint64_t rounds = min_u64(fact(run, "rounds"), most);
    const uint64_t n =
        most > 0 ? cipher_entries(run) : case_param(run, "entries");
    const uint64_t more = case_param(run, "guard");
    const uint64_t guard = more > 0 ? n + more : 0;
    const uint64_t *const input = run->input;
    uint64_t *const plain = malloc((n + 1) * sizeof *plain);

    *ref = (struct reference){.entries = n,
                              .guard = guard,
                              .iters =
                                  most > 0 ? rounds : case_param(run, "iters"),
                              .plain = plain,
                              .cipher = input,
                              .host_guard = input + n,
                              .device = input + n + guard};
    if (plain)
        reference_decrypt(plain, input, n, ref->iters);
    return plain;
}

/* What is in both buffers: the host's entries first, then the device's. */
bool cipher_compare_cells(const struct case_run *run, struct cells *host,
                          struct cells *device)
{
    const uint64_t *const output = run->output;
    struct reference ref;
    OWNED uint64_t *const plain = cipher_reference(run, &ref);

    if (plain == NULL)
        return false;
    reference_compare(&ref, output, host);
    reference_compare(&ref, output + ref.entries, device);
    return true;
}

/* Of the host alone: those of the device explain them. */
uint64_t cipher_expect(const struct case_run *run, void *expected)
{
    const uint64_t n = case_param(run, "entries");

    reference_decrypt(expected, run->input, n, case_param(run, "iters"));
    return n;
}

bool cipher_is_other_rounds(const struct case_run *run, uint64_t at)
{
    enum { MOST_ROUNDS = 1000 };
    const uint64_t *const input = run->input, *const output = run->output;
    uint64_t rounds = 1;

    if (run->wrong_rounds == 0 || run->difference.wrong == 0)
        return false;
    while (rounds < MOST_ROUNDS &&
           decrypt_entry(input[at], rounds) != output[run->difference.first])
        rounds++;
    return rounds < MOST_ROUNDS;
}

enum { SAMPLES = 1 << 16, ALL_AT_MOST = 1 << 20 };

/* How many rounds a large job has is chosen where it is measured. */
struct sample {
    const uint64_t *input, *output;
    uint64_t rounds, step, random;
    bool wrong; /* set by whoever sees it */
};

static bool entry_is_wrong(const struct sample *of, uint64_t i)
{
    return of->output[i] != decrypt_entry(of->input[i], of->rounds);
}

static void sample_part(void *work, uint64_t lower, uint64_t upper)
{
    struct sample *const of = work;
    uint64_t random = (of->random ^ lower) | 1; /* xorshift never leaves 0 */

    for (uint64_t i = lower; i < upper; i += 1 + random % (2 * of->step - 1)) {
        if (entry_is_wrong(of, i))
            __atomic_store_n(&of->wrong, true, __ATOMIC_RELAXED);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
    }
}

/* Decrypting all of it once more would take the grader longer than the GPU: a
 * sample of which nobody knows the entries beforehand, but the last one. */
static bool sample_is_wrong(struct sample *of, uint64_t n)
{
    of->step = n / SAMPLES + 1;
    if (getrandom(&of->random, sizeof of->random, 0) < 0)
        of->random = 0;
    cores_share(n, SAMPLES, sample_part, of);
    return of->wrong || (n > 0 && entry_is_wrong(of, n - 1));
}

void cipher_compare_large(const struct case_run *run, struct difference *found)
{
    const uint64_t n = cipher_entries(run);
    struct sample all = {.input = run->input,
                         .output = run->output,
                         .rounds = fact(run, "rounds")};
    const uint64_t step = n > ALL_AT_MOST ? n / SAMPLES + 1 : 1;

    found->noun = "entry";
    found->count = n;
    /* Without a time there was no run either. */
    if (!case_has(run, "student_ns") || !sample_is_wrong(&all, n))
        return;
    /* Wrong: now the same entries each time, so that two grades are alike. */
    for (uint64_t i = 0; i < n; i += step) {
        if (!entry_is_wrong(&all, i))
            continue;
        found->last = i;
        if (found->wrong++ > 0)
            continue;
        found->first = i;
        found->around[1] =
            all.output[i] == all.input[i] ? "still encrypted" : "wrong";
    }
    if (found->wrong == 0)
        found->wrong = 1; /* between two of them */
}

/* A job that is done again only if the first one was right elsewhere: what was
 * not copied in was not copied in this time. */
struct finding cipher_explain_again(const struct case_run *run,
                                    struct finding found)
{
    return case_param(run, "again") > 0 && finding_is(&found, "no-copy-in")
               ? mistake("no-copy-in/again")
               : found;
}

/* Rounded down leaves out the remainder; rounded up, the last is shorter. */
struct finding cipher_explain_tail(uint64_t entries, uint64_t chunks,
                                   const struct cells *host)
{
    const uint64_t left = entries % chunks, chunk = div_up(entries, chunks);
    const struct sign signs[] = {
        {left > 0 && cells_cover(host, CELL_CIPHER, entries - left, entries),
         "floor-division"},
        {chunk > 0 &&
             cells_cover(host, CELL_CIPHER, entries / chunk * chunk, entries),
         "tail-skipped"}};

    return mistake_first(signs);
}

/* Entries that nothing came to: of a large result @wrong counts a sample. */
static uint64_t count_missing(const struct case_run *run)
{
    const uint64_t *const input = run->input, *const output = run->output;
    uint64_t missing = 0;

    for (uint64_t i = 0; i < run->difference.count; i++)
        missing += output[i] == input[i];
    return missing;
}

/* A number of 16 bits loses a multiple of 65536. Of chunks that begin there,
 * none reaches the last quarter, and the first entries are in several. */
struct finding cipher_explain_narrow(const struct case_run *run,
                                     enum ask failed)
{
    const struct difference *const found = &run->difference;
    const uint64_t missing =
        found->count > ALL_AT_MOST ? count_missing(run) : found->wrong;
    const bool narrow =
        missing > 0 && missing < found->count && missing % 65536 == 0;
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t n = found->count, first = found->first, late = n / 4 * 3;
    const bool begin =
        n > 4 * 65536 && first < 65536 && output[first] != input[first] &&
        output[late] == input[late] && output[n - 1] == input[n - 1];

    (void)failed; /* nothing else is asked */
    return mistake_with(narrow  ? "too-narrow/16"
                        : begin ? "too-narrow/begin"
                                : run->rules->mistake,
                        "missing=%" PRIu64, missing);
}

/* ---- whole programs ------------------------------------------------------ */

/* Of a job what the devices hold comes and goes as well, since it tells which
 * operation went wrong. Of a large one there is only time for the host's. */
const struct case_data cipher_job_data = {
    .inputs = 2, .outputs = 2, CIPHER_ENTRIES, CIPHER_WORK};
const struct case_data cipher_host_data = {CIPHER_ENTRIES, CIPHER_WORK,
                                           .part = "chunk", .parts = "chunks"};
const struct case_data cipher_large_data = {.compare = cipher_compare_large,
                                            CIPHER_WORK};

/* Whoever has one GPU has no parameter for it. */
static uint64_t chunks_of(const struct case_run *run)
{
    return max_u64(case_param(run, "gpus"), 1) * case_param(run, "streams");
}

/* What a case needs was right: its trace shows the code in simpler sizes. */
const struct case_run *cipher_seen(const struct case_run *run)
{
    while (run && !(run->virtual_run && run->virtual_run->traced))
        run = run->rules->needs ? case_other(run, run->rules->needs) : NULL;
    return run ? run->virtual_run : NULL;
}

/* The trace may be another case's, of other sizes: the same code queued it. */
struct chunks cipher_view(const struct case_run *run, struct trace_facts *trace)
{
    const struct case_run *const seen = cipher_seen(run);

    trace_facts_take(trace, seen ? &seen->trace : NULL);
    return (struct chunks){
        .entries = case_param(run, "entries"),
        .streams = chunks_of(run),
        .trace = trace,
        .trace_entries = seen ? case_param(seen, "entries") : 0,
        .trace_streams = seen ? chunks_of(seen) : 0,
        .first_todo = run->evidence->first_todo,
    };
}

/* A copy is refused at once, a kernel's fault comes with a later call. */
bool cipher_is_outside(const struct case_run *run)
{
    return case_failed(run, NULL, "Invalid[CV]*") || run->fault.length > 0 ||
           run->late[0] != '\0';
}

/* free() may crash in many ways on memory that is not its own: so whoever died
 * in cipher_destroy, with pinned memory to give back. A stream that is not
 * there is most often one that is gone already; an event of another GPU looks
 * like one. What only a shorter chunk shows went well in even ones. */
struct finding cipher_explain_end(const struct case_run *run)
{
    const bool several = on_several(run);
    const bool died = finding_is_memory(run);
    const char *const access = case_reported(run, REPORTED(host_access));
    const uint64_t chunks = chunks_of(run);
    const bool uneven = chunks > 0 && case_param(run, "entries") % chunks > 0;
    const struct finding found = mistake_first((struct sign[]){
        {died && access && report_is_drivers(access, "at") &&
             report_holds(access, "verb", "writes"),
         "host-too-small"},
        {case_failed(run, "cudaFree*", NULL) ||
             case_failed(run, "cudaHostUnregister*", NULL) ||
             (died && run->code == SIGABRT) ||
             (died && case_fact(run, "gives_back_pinned") != 0),
         "free-mismatch"},
        {several && case_failed(run, NULL, "InvalidDevice"), "no-such-gpu"},
        {several && case_failed(run, "cudaEvent[RE]*", NULL),
         "event-of-another-gpu"},
        {case_failed(run, NULL, "InvalidResourceHandle") ||
             case_failed(run, NULL, "ContextIsDestroyed"),
         "no-such-stream"},
        {uneven && cipher_is_outside(run), "past-the-end"},
        {chunks_is_empty_launch(run), "empty-launch"}});

    return found.id || several ? found : chunks_explain_end(run);
}

/* @place, @does: keys of the report for the side. */
static bool is_side(const char *line, const char *place, const char *does,
                    unsigned by)
{
    const unsigned who =
        report_is_drivers(line, place) ? DONE_BY_GRADER : DONE_BY_STUDENT;

    return ((by & DONE_BY_SOMEBODY) == 0 || (by & who) != 0) &&
           ((by & ~DONE_BY_SOMEBODY) == 0 ||
            (by & report_does(line, does)) != 0);
}

bool cipher_has_hazard(const struct case_run *run, unsigned first,
                       unsigned second)
{
    const char *line = NULL;

    while ((line = checked_find(case_checked(run), REPORTED_HAZARDS, NULL, NULL,
                                line)) != NULL)
        if (is_side(line, "first", "first_does", first) &&
            is_side(line, "second", "second_does", second))
            return true;
    return false;
}

bool cipher_judge_warning(const char *line, const char *name,
                          struct judgement *judgement)
{
    OWNED_TEXT words = {0};
    struct finding found;

    if (line == NULL)
        return true;
    report_take_place(&words, line, "at");
    found = mistake_at(name, text_string(&words));
    text_printf(&words, ": ");
    report_take_field(&words, line, "text");
    judge_fail(judgement, found, "%s", text_string(&words));
    return false;
}

static const char *warning_of(const struct case_run *run, reported_t kinds)
{
    return checked_find(case_checked(run), kinds, NULL, NULL, NULL);
}

bool cipher_judge_direction(const struct case_run *run,
                            struct judgement *judgement)
{
    return cipher_judge_warning(warning_of(run, REPORTED(copy_direction)),
                                "copy-direction", judgement);
}

/* What is clean on one GPU leaves on several what is on the others. Pageable
 * memory is warned of as well: that is a matter of speed. */
bool cipher_judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    const bool one = case_param(run, "gpus") < 2;

    if (run->pending[0] || run->late[0])
        return judge_clean(run, judgement);
    return cipher_judge_warning(
               warning_of(run, REPORTED_LEFT | REPORTED(work_left)),
               one ? "leak/destroy" : "leak-on-other-gpus", judgement) &&
           cipher_judge_direction(run, judgement);
}

bool cipher_is_other_unit(double told, double real)
{
    const double off = told > real ? told / real : real / told;

    return (off > 9.3e2 && off < 1.08e3) || (off > 9.3e5 && off < 1.08e6);
}

/* Below that, fixed costs and the host's calls hide what overlaps. */
enum { SHORT_COPY_NS = 250000 };

/* Virtual time is exact, and this is long enough that calls are little of it.
 */
static bool is_long(const struct case_run *run)
{
    return run->backend == BACKEND_VGPU &&
           case_fact(run, "both_ns") >= SHORT_COPY_NS;
}

/* Too long is milliseconds taken for something else, or more than the work. On
 * the virtual GPU both clocks show computed times: what lies between is the
 * start of the grader's, and waits for GPUs that have nothing to do. */
struct finding cipher_explain_timer(const struct case_run *run)
{
    const bool several = on_several(run);
    const double slack = several && is_long(run) ? 0.07 : 0.2;
    const double own = (double)case_fact(run, "timer_ns");
    const double ours = (double)case_fact(run, "student_ns");
    const double one_own = (double)case_fact(run, "one_timer_ns");
    const double one = (double)case_fact(run, "one_student_ns");
    const bool early_on_one = one_own < (1 - slack) * one;
    /* A clock that starts too late may be off by as much, but once. */
    const bool unit = cipher_is_other_unit(own, ours) &&
                      (one == 0 || cipher_is_other_unit(one_own, one));
    return mistake_first((struct sign[]){
        {unit, "timer-unit"},
        {own > (1 + slack) * ours,
         fmod(own, 1e6) == 0 ? "timer-whole" : "timer-wrong"},
        {!several && case_fact(run, "best_streams") == 1 &&
             own >= (1 - slack) * ours && one_own > (1 + slack) * one,
         "timer-sum"},
        {own >= (1 - slack) * ours, NULL},
        {own > 0 && fmod(own, 1e6) == 0, "timer-whole"},
        {fabs(own * (double)case_fact(run, "best_streams") / ours - 1) < 0.05 ||
             fabs(own * (double)case_fact(run, "best_gpus") / ours - 1) < 0.05,
         "timer-mean"},
        {several && !early_on_one, "timer-of-one-gpu"},
        {true, "timer-too-early"},
    });
}

enum { MOST_STREAMS = 768 }; /* as the drivers have it */

/* With a setting that cannot be, the driver ends behind the sweep; where there
 * are too many streams, it takes fewer: so many look fast by a wrong clock. */
bool cipher_judge_setting(const struct case_run *run,
                          struct judgement *judgement)
{
    const int64_t gpus = case_fact(run, "best_gpus");
    const int64_t streams = case_fact(run, "best_streams");
    const struct finding clock = cipher_explain_timer(run);
    const bool timed = streams > MOST_STREAMS && case_has(run, "timer_ns");

    return (gpus >= 1 && gpus <= case_fact(run, "gpus") && streams >= 1 &&
            streams <= MOST_STREAMS) ||
           judge_no(run, judgement,
                    timed && clock.id ? clock
                                      : mistake("sweep-returns-nothing"),
                    on_several(run) ? "{best_gpus} GPUs, {best_streams} streams"
                                    : "{best_streams} streams");
}

/* Chunks are alike, so the last stream is done last, unless it has none; and
 * two GPUs are done at about the same time, but four with little work are not:
 * this looks where the difference is large.
 */
static bool is_timed_whole(const struct case_run *small)
{
    const double part = on_several(small) ? 0.82 : 0.5;

    return !small || !case_has(small, "timer_ns") ||
           (double)case_fact(small, "timer_ns") >
               part * (double)case_fact(small, "student_ns");
}

/* Is the last event, the stop, recorded in the stream of the last copy? */
static bool stops_in_last_stream(const struct case_run *run)
{
    const struct case_run *const seen = cipher_seen(run);
    const struct trace_event *const stop =
        seen ? query_last_event(&seen->trace) : NULL;
    const struct trace_op *op = NULL, *last = NULL;

    while (stop && (op = query_next(&seen->trace, QUERY_OF(QUERY_COPIES), op)))
        last = last && last->call > op->call ? last : op;
    return last && stop->stream == last->stream && stop->stream != 0;
}

bool cipher_judge_timer(const struct case_run *run, struct judgement *judgement)
{
    const struct finding found = cipher_explain_timer(run);
    const bool several = on_several(run);
    const struct case_run *const small =
        case_other(run, several ? CIPHER_AGAIN : CIPHER_FEWER);
    /* On a busy GPU a large job shows it, too. */
    const bool by_small =
        !is_timed_whole(small) &&
        (!found.id || (!several && finding_is(&found, "timer-too-early") &&
                       stops_in_last_stream(run)));

    if (found.id && !by_small) {
        judge_no(run, judgement, found,
                 finding_is(&found, "timer-sum")
                     ? "{one_timer_ns:ms} ms with {one_streams} streams, the "
                       "grader's clock says {one_student_ns:ms} ms"
                     : CIPHER_TIMER);
        judgement->borderline = run->backend == BACKEND_CUDA;
        return false;
    }
    return !by_small ||
           judge_no(
               small, judgement,
               mistake(case_fact(small, "timer_ns") == 0 ? "timer-whole"
                       : several                         ? "timer-of-one-gpu"
                                 : "timer-of-the-last-stream"),
               "with {entries} entries in {streams} streams " CIPHER_TIMER);
}
