/*
 * 12_mgpu_made.c: the sizes that a student chooses, and what is made on which
 * GPU
 */
#include <string.h>

#include "12_mgpu.h"

static uint64_t indexed(const struct case_run *run, const char *key, int i)
{
    return (uint64_t)case_numbered_fact(run, key, (unsigned)i);
}

/* ---- sizes of chunks ----------------------------------------------------- */

/* What students take for the size of a chunk, and what it should be. */
enum formula {
    STREAM_RIGHT,
    STREAM_FLOOR,
    STREAM_FLOOR_OF_GPU,
    STREAM_OF_FLOOR,
    WITHOUT_GPUS,
    WITHOUT_STREAMS,
    WITHOUT_STREAMS_FLOOR,
    GPU_RIGHT,
    TIMES_GPUS,
    NOTHING,
    FORMULAS,
};

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

static uint64_t compute(enum formula formula, const struct problem *p)
{
    const uint64_t right = div_up(p->n, p->gpus * p->streams);

    switch (formula) {
    case STREAM_RIGHT:
        return right;
    case STREAM_FLOOR:
        return p->n / (p->gpus * p->streams);
    case STREAM_FLOOR_OF_GPU:
        return div_up(p->n, p->gpus) / p->streams;
    case STREAM_OF_FLOOR:
        return div_up(p->n / p->gpus, p->streams);
    case WITHOUT_GPUS:
        return div_up(p->n, p->streams);
    case WITHOUT_STREAMS:
        return div_up(p->n, p->gpus);
    case WITHOUT_STREAMS_FLOOR:
        return p->n / p->gpus;
    case GPU_RIGHT:
        return right * p->streams;
    case TIMES_GPUS:
        return right * p->gpus;
    default:
        return 0;
    }
}

/* Is this how the student has it, for every problem? */
static bool chosen_by(const struct case_run *run, bool gpu_chunk,
                      enum formula formula)
{
    const int count = (int)case_fact(run, "count");

    for (int i = 0; i < count; i++) {
        const struct problem p = problem_of(run, i);

        if ((gpu_chunk ? p.gpu_chunk : p.stream_chunk) != compute(formula, &p))
            return false;
    }
    return true;
}

static struct finding explain_stream_chunk(const struct case_run *run)
{
    if (chosen_by(run, false, NOTHING))
        return finding_none();
    if (chosen_by(run, false, STREAM_FLOOR) ||
        chosen_by(run, false, STREAM_FLOOR_OF_GPU) ||
        chosen_by(run, false, STREAM_OF_FLOOR))
        return mistake("floor-division");
    if (chosen_by(run, false, WITHOUT_GPUS))
        return mistake("gpus-forgotten");
    if (chosen_by(run, false, WITHOUT_STREAMS) ||
        chosen_by(run, false, WITHOUT_STREAMS_FLOOR))
        return mistake("streams-forgotten");
    if (chosen_by(run, false, GPU_RIGHT) && chosen_by(run, true, STREAM_RIGHT))
        return mistake("chunks-exchanged");
    return mistake("stream-chunk");
}

static struct finding explain_gpu_chunk(const struct case_run *run)
{
    const struct problem p = problem_of(run, 1);

    if (chosen_by(run, true, NOTHING))
        return finding_none();
    if (chosen_by(run, true, WITHOUT_STREAMS) ||
        chosen_by(run, true, WITHOUT_STREAMS_FLOOR))
        return mistake_with(
            "gpu-chunk-not-whole",
            "n=%llu\ngpus=%llu\ngpu_chunk=%llu\nstreams=%llu\nstream_chunk=%"
            "llu\nstream_chunk2=%llu\ngpu_chunk2=%llu",
            (ull)p.n, (ull)p.gpus, (ull)p.gpu_chunk, (ull)p.streams,
            (ull)p.stream_chunk, (ull)(p.streams * p.stream_chunk),
            (ull)(p.streams * p.stream_chunk - p.gpu_chunk));
    if (chosen_by(run, true, TIMES_GPUS))
        return mistake("times-gpus");
    if (chosen_by(run, true, STREAM_RIGHT))
        return mistake("one-chunk-a-gpu");
    return mistake("gpu-chunk");
}

void mgpu_judge_chunks(const struct case_run *run, struct judgement *judgement)
{
    const int count = (int)case_fact(run, "count");

    for (int i = 0; i < count; i++) {
        const struct problem p = problem_of(run, i);
        const uint64_t stream_chunk = compute(STREAM_RIGHT, &p);
        const uint64_t gpu_chunk = compute(GPU_RIGHT, &p);
        const bool stream_right = p.stream_chunk == stream_chunk;

        if (stream_right && p.gpu_chunk == gpu_chunk)
            continue;
        judge_fail(judgement,
                   chosen_by(run, false, STREAM_RIGHT)
                       ? explain_gpu_chunk(run)
                       : explain_stream_chunk(run),
                   "%llu entries, %llu GPUs, %llu streams: chunks of %llu and "
                   "%llu, not %llu and %llu",
                   (ull)p.n, (ull)p.gpus, (ull)p.streams, (ull)p.stream_chunk,
                   (ull)p.gpu_chunk, (ull)stream_chunk, (ull)gpu_chunk);
        return;
    }
    judge_pass(judgement, "right for %d problems", count);
}

/* ---- widths -------------------------------------------------------------- */

static struct finding explain_width(uint64_t lower, uint64_t size, uint64_t n,
                                    uint64_t width)
{
    if (width == 0)
        return finding_none();
    if (lower > n && (width == n - lower || width > UINT64_MAX / 2))
        return mistake("width-underflow");
    if (lower < n && width == size)
        return mistake("tail-not-shortened");
    if (lower >= n && width == size)
        return mistake("empty-not-empty");
    return mistake("width");
}

void mgpu_judge_widths(const struct case_run *run, struct judgement *judgement)
{
    const int count = (int)case_fact(run, "count");

    for (int i = 0; i < count; i++) {
        const uint64_t lower = indexed(run, "lower", i);
        const uint64_t size = indexed(run, "size", i);
        const uint64_t n = indexed(run, "entries", i);
        const uint64_t width = indexed(run, "width", i);
        const uint64_t left = lower < n ? n - lower : 0;
        const uint64_t expected = left < size ? left : size;

        if (width == expected)
            continue;
        judge_fail(judgement, explain_width(lower, size, n, width),
                   "a chunk of %llu at %llu of %llu entries: width %llu, not "
                   "%llu",
                   (ull)size, (ull)lower, (ull)n, (ull)width, (ull)expected);
        return;
    }
    judge_pass(judgement, "right for %d chunks", count);
}

/* ---- streams and memory -------------------------------------------------- */

/* "0000/1111/": the GPU that each stream of a GPU is on. */
struct made {
    const char *streams, *memory;
    uint64_t gpus, per_gpu;
};

static char stream_at(const struct made *made, uint64_t gpu, uint64_t s)
{
    return made->streams[gpu * (made->per_gpu + 1) + s];
}

static bool streams_all(const struct made *made, char what)
{
    for (uint64_t g = 0; g < made->gpus; g++)
        for (uint64_t s = 0; s < made->per_gpu; s++)
            if (stream_at(made, g, s) != what)
                return false;
    return true;
}

static bool memory_all(const struct made *made, char what)
{
    for (uint64_t g = 0; g < made->gpus; g++)
        if (made->memory[g] != what)
            return false;
    return true;
}

static bool memory_right(const struct made *made)
{
    for (uint64_t g = 0; g < made->gpus; g++)
        if (made->memory[g] != (char)('0' + g))
            return false;
    return true;
}

static bool streams_right(const struct made *made)
{
    for (uint64_t g = 0; g < made->gpus; g++)
        for (uint64_t s = 0; s < made->per_gpu; s++)
            if (stream_at(made, g, s) != (char)('0' + g))
                return false;
    return true;
}

/* streams[stream][gpu] was filled. */
static bool is_exchanged(const struct made *made)
{
    for (uint64_t g = 0; g < made->gpus; g++)
        for (uint64_t s = 0; s < made->per_gpu; s++)
            if (stream_at(made, g, s) !=
                (s < made->gpus ? (char)('0' + s) : '-'))
                return false;
    return true;
}

/* Each GPU's are on the one before it. */
static bool is_late(const struct made *made)
{
    for (uint64_t g = 0; g < made->gpus; g++)
        for (uint64_t s = 0; s < made->per_gpu; s++)
            if (stream_at(made, g, s) != (char)('0' + (g > 0 ? g - 1 : 0)))
                return false;
    return true;
}

static struct finding explain_homes(const struct made *made)
{
    if (streams_all(made, '0') && memory_all(made, '0'))
        return mistake("set-device-forgotten");
    if (streams_all(made, '0'))
        return mistake("streams-on-gpu-0");
    if (memory_all(made, '0'))
        return mistake("memory-on-gpu-0");
    if (is_late(made))
        return mistake("set-device-late");
    if (is_exchanged(made))
        return mistake("indices-exchanged");
    return finding_none();
}

static struct finding explain_memory(const struct made *made)
{
    if (strchr(made->memory, '-'))
        return mistake_with("no-memory", "memory=%u",
                            (unsigned)strcspn(made->memory, "-"));
    if (strchr(made->memory, 'h'))
        return mistake_with("not-gpu-memory", "h=%u",
                            (unsigned)strcspn(made->memory, "h"));
    if (strchr(made->memory, '<'))
        return mistake_with("memory-too-small", "memory=%u",
                            (unsigned)strcspn(made->memory, "<"));
    return mistake_with("memory-elsewhere", "memory=%s", made->memory);
}

static struct finding explain_streams(const struct made *made)
{
    const size_t none = strcspn(made->streams, "-");

    if (strchr(made->streams, '='))
        return mistake("stream-twice");
    if (made->streams[none])
        return mistake_with("streams-missing", "per_gpu=%u\nper_gpu2=%u",
                            (unsigned)(none / (made->per_gpu + 1)),
                            (unsigned)(none % (made->per_gpu + 1)));
    return mistake_with("streams-elsewhere", "streams=%s", made->streams);
}

static struct finding explain_made(const struct made *made)
{
    struct finding found;

    if (streams_all(made, '-') && memory_all(made, '-'))
        return finding_none();
    found = explain_homes(made);
    if (found.id)
        return found;
    if (!streams_right(made))
        return explain_streams(made);
    return explain_memory(made);
}

/* Room for all entries on every GPU? Half of the difference counts as noise. */
static bool takes_too_much(const struct case_run *run)
{
    const int64_t bytes = (int64_t)(case_param(run, "entries") * 8);
    const int64_t gpus = (int64_t)case_param(run, "gpus");

    return case_fact(run, "taken") > bytes + bytes * (gpus - 1) / 2;
}

void mgpu_judge_made(const struct case_run *run, struct judgement *judgement)
{
    const struct made made = {
        case_text(run, "streams_on"), case_text(run, "memory_on"),
        case_param(run, "gpus"), case_param(run, "streams")};

    if (strlen(made.streams) != made.gpus * (made.per_gpu + 1) ||
        strlen(made.memory) != made.gpus)
        judge_fail(judgement, finding_none(), "nothing was reported");
    else if (run->pending[0])
        judge_clean(run, judgement);
    else if (!streams_right(&made) || !memory_right(&made))
        judge_fail(judgement, explain_made(&made),
                   "streams on GPUs %.*s, memory on GPUs %s",
                   (int)strlen(made.streams) - 1, made.streams, made.memory);
    else if (takes_too_much(run))
        judge_fail(judgement, mistake("whole-array-on-each-gpu"),
                   "room for all entries on each GPU");
    else
        judge_pass(judgement, "%llu streams and a chunk on each of %llu GPUs",
                   (ull)made.per_gpu, (ull)made.gpus);
}

/* ---- given back ---------------------------------------------------------- */

static bool judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    return (run->pending[0] == '\0' && run->late[0] == '\0') ||
           judge_clean(run, judgement);
}

void mgpu_judge_given_back(const struct case_run *run,
                           struct judgement *judgement)
{
    const struct case_run *const seen = run->virtual_run;
    const char *const line =
        seen ? checked_find(&seen->checked, "warning", "text", "never", NULL)
             : NULL;
    struct text words = {0};

    if (line == NULL) {
        if (judge_order(run, judgement) && judge_tidy(run, judgement))
            judge_pass(judgement, "all streams and memory given back");
        return;
    }
    report_take_place(&words, line, "at");
    text_printf(&words, ": ");
    report_take_field(&words, line, "text");
    judge_fail(judgement,
               run->evidence->first_todo > 0 ? finding_none() : mistake("leak"),
               "%s", text_string(&words));
    text_free(&words);
}
