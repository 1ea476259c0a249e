/*
 * 11_multi_gpu.c: rules of lab 11. One host thread and several GPUs: the parts,
 * the memory, the work, the wait, and how the mistakes that students make there
 * look from outside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_entry.h"
#include "judge.h"

#define TASK    "What to do"
#define PARTS   "The parts"
#define CURRENT "The current device"
#define TURNS   "All at the same time"
#define WAITING "Waiting for all of them"

#define ETA_NEEDED 0.80

/* Names of cases that other code asks for. */
#define SPLIT  "parts"
#define MEMORY "memory"
#define EVEN   "equal parts"
#define UNEVEN "uneven parts"
#define FEW    "fewer entries than GPUs"
#define AGAIN  "called again"
#define LARGE  "large"

enum { MOST_GPUS = 8 };

/* ---- helpers ------------------------------------------------------------- */

static unsigned gpus_of(const struct case_run *run)
{
    return (unsigned)case_fact(run, "gpus");
}

static bool is_job(const struct case_run *run, const char *job)
{
    return strstr(run->params, job) != NULL;
}

/* A fact of one GPU: "room2". */
static int64_t fact_of(const struct case_run *run, const char *what,
                       unsigned gpu)
{
    char key[32];

    snprintf(key, sizeof key, "%s%u", what, gpu);
    return case_fact(run, key);
}

static bool is_open(const struct case_run *run, int todo)
{
    const int first = run->evidence->first_todo;

    return first > 0 && first <= todo;
}

static const struct trace *trace_of(const struct case_run *run)
{
    return run && run->virtual_run && run->virtual_run->traced
               ? &run->virtual_run->trace
               : NULL;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* "GPU 3" or "GPUs 0, 1 and 2": a set. */
static void print_gpus(struct text *words, unsigned set)
{
    const bool one = (set & (set - 1)) == 0;

    text_printf(words, one ? "GPU" : "GPUs");
    for (unsigned g = 0, shown = 0; g < MOST_GPUS; g++) {
        if (!(set >> g & 1))
            continue;
        text_printf(words, "%s%u",
                    shown++ == 0    ? " "
                    : set >> g == 1 ? " and "
                                    : ", ",
                    g);
    }
}

/* ---- parts --------------------------------------------------------------- */

/* The parts of one number of entries on one number of GPUs. */
struct split {
    uint64_t n, gpus;
    const uint64_t *pairs; /* lower and width of each */
};

static bool is_floor(const struct split *split)
{
    for (uint64_t g = 0; g < split->gpus; g++)
        if (split->pairs[2 * g + 1] != split->n / split->gpus)
            return false;
    return split->n % split->gpus != 0;
}

static struct finding explain_width(const struct split *split, uint64_t gpu)
{
    const uint64_t lower = split->pairs[2 * gpu];
    const uint64_t width = split->pairs[2 * gpu + 1];

    if (width > UINT64_MAX / 2)
        return finding_make(
            "width-underflow", PARTS,
            "GPU %u of %u gets a part of nearly 2^64 entries. It would begin "
            "behind the last of the %u entries, and there a difference is not "
            "negative but huge, because the type is unsigned: compare before "
            "you subtract.",
            (unsigned)gpu, (unsigned)split->gpus, (unsigned)split->n);
    if (width > 0 && (lower > split->n || width > split->n - lower))
        return finding_make(
            "part-too-long", PARTS,
            "With %u entries on %u GPUs, the part of GPU %u goes on past the "
            "last entry: the last part is shorter than the others, and a "
            "part behind the end is empty.",
            (unsigned)split->n, (unsigned)split->gpus, (unsigned)gpu);
    return finding_none();
}

/* Each entry must be in one part: @times counts in how many it is. */
static struct finding explain_cover(const struct split *split,
                                    const unsigned char *times)
{
    uint64_t left = 0, twice = 0;

    for (uint64_t i = 0; i < split->n; i++) {
        left += times[i] == 0;
        twice += times[i] > 1;
    }
    if (left > 0 && is_floor(split))
        return finding_make(
            "floor-division", PARTS,
            "With %u entries on %u GPUs, %u belong to no GPU: %u / %u rounds "
            "down, and the parts do not reach the end. Round up (sdiv).",
            (unsigned)split->n, (unsigned)split->gpus, (unsigned)left,
            (unsigned)split->n, (unsigned)split->gpus);
    if (left > 0)
        return finding_make("entries-left-out", PARTS,
                            "With %u entries on %u GPUs, %u belong to no GPU.",
                            (unsigned)split->n, (unsigned)split->gpus,
                            (unsigned)left);
    if (twice > 0)
        return finding_make("parts-overlap", PARTS,
                            "With %u entries on %u GPUs, %u belong to more "
                            "than one GPU: each would decrypt them.",
                            (unsigned)split->n, (unsigned)split->gpus,
                            (unsigned)twice);
    return finding_none();
}

static struct finding explain_split(const struct split *split)
{
    unsigned char *const times = calloc(split->n + 1, 1);
    struct finding found = finding_none();
    uint64_t longest = 0, owner = 0;

    for (uint64_t g = 0; times && g < split->gpus && !found.id; g++) {
        const uint64_t lower = split->pairs[2 * g];
        const uint64_t width = split->pairs[2 * g + 1];

        found = explain_width(split, g);
        for (uint64_t i = 0; !found.id && i < width; i++)
            times[lower + i] += times[lower + i] < 2;
        if (width > longest) {
            longest = width;
            owner = g;
        }
    }
    if (times && !found.id)
        found = explain_cover(split, times);
    free(times);
    if (!found.id && longest > div_up(split->n, split->gpus))
        return finding_make(
            "unbalanced", PARTS,
            "With %u entries on %u GPUs, GPU %u gets %u of them, and the "
            "others wait for it: no part needs more than %u.",
            (unsigned)split->n, (unsigned)split->gpus, (unsigned)owner,
            (unsigned)longest, (unsigned)div_up(split->n, split->gpus));
    return found;
}

static void judge_parts(const struct case_run *run, struct judgement *judgement)
{
    const unsigned sizes = (unsigned)case_param(run, "sizes");
    const uint64_t *pairs = run->output;

    for (unsigned i = 0; i < sizes; i++) {
        char n[16], g[16];
        struct split split;
        struct finding found;

        snprintf(n, sizeof n, "n%u", i);
        snprintf(g, sizeof g, "g%u", i);
        split = (struct split){case_param(run, n), case_param(run, g), pairs};
        pairs += 2 * split.gpus;
        found = explain_split(&split);
        if (found.id == NULL)
            continue;
        judge_fail(judgement,
                   is_open(run, 1) ? finding_open_todo(run->evidence) : found,
                   "%u entries on %u GPUs: not each entry once, or not evenly",
                   (unsigned)split.n, (unsigned)split.gpus);
        return;
    }
    judge_pass(judgement, "%u sizes, each entry in one part", sizes);
}

/* ---- memory -------------------------------------------------------------- */

static struct finding explain_place(const struct case_run *run, unsigned wrong)
{
    const int64_t first = fact_of(run, "device", 0);
    struct text words = {0};
    struct finding found;
    bool same = true;

    for (unsigned g = 0; g < gpus_of(run); g++)
        same &= fact_of(run, "device", g) == first;
    print_gpus(&words, wrong);
    if (same)
        found = finding_make(
            "all-on-one-gpu", CURRENT,
            "All of the memory is on GPU %d. cudaMalloc takes memory of the "
            "current device, whichever element of the array the pointer goes "
            "to: call cudaSetDevice before.",
            (int)first);
    else
        found = finding_make(
            "wrong-gpu", CURRENT,
            "The memory for %s is on another GPU. Each part's memory must "
            "be taken while its own GPU is the current one.",
            text_string(&words));
    text_free(&words);
    return found;
}

/* Which GPUs' memory is not there, is elsewhere, is too small? */
static struct finding explain_memory(const struct case_run *run)
{
    const unsigned gpus = gpus_of(run);
    unsigned none = 0, wrong = 0, small = 0;

    for (unsigned g = 0; g < gpus; g++) {
        const int64_t device = fact_of(run, "device", g);

        none |= (unsigned)(device < 0) << g;
        wrong |= (unsigned)(device >= 0 && device != g) << g;
        small |= (unsigned)(device == g && !fact_of(run, "room", g)) << g;
    }
    if (none == (1u << gpus) - 1 && is_open(run, 2))
        return finding_open_todo(run->evidence);
    if (none)
        return finding_make("no-memory", TASK,
                            "memory_create leaves a GPU that has entries "
                            "without memory of its own (cudaMalloc).");
    if (case_fact(run, "beyond") > 0)
        return finding_make("too-many-gpus", TASK,
                            "memory_create takes memory on more GPUs than "
                            "`num_gpus`, and writes past the end of the "
                            "array: the machine may have more GPUs than "
                            "this job.");
    if (wrong)
        return explain_place(run, wrong);
    if (small)
        return finding_make("memory-too-small", PARTS,
                            "The memory has no room for the part. cudaMalloc "
                            "counts bytes, and an entry has 8 of them.");
    return finding_none();
}

static void judge_memory(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct finding found = explain_memory(run);

    if (found.id)
        judge_fail(judgement, found, "not on each GPU for its own part");
    else if (judge_order(run, judgement))
        judge_pass(judgement, "on each of %u GPUs for its part", gpus_of(run));
}

static void judge_given_back(const struct case_run *run,
                             struct judgement *judgement)
{
    const struct case_run *const memory = case_other(run, MEMORY);
    const unsigned gpus = gpus_of(memory);
    unsigned left = 0, count = 0;
    struct text words = {0};

    for (unsigned g = 0; g < gpus; g++) {
        left |= (unsigned)(fact_of(memory, "left", g) != 0) << g;
        count += fact_of(memory, "left", g) != 0;
    }
    print_gpus(&words, left);
    if (left == 0)
        judge_pass(judgement, "on all %u GPUs", gpus);
    else if (is_open(run, 3))
        judge_fail(judgement, finding_open_todo(run->evidence), "not on %s",
                   text_string(&words));
    else
        judge_fail(judgement,
                   count == gpus
                       ? finding_make("leak", TASK,
                                      "memory_destroy gives nothing back.")
                       : finding_make("leak-on-some-gpus", TASK,
                                      "memory_destroy forgets %s: what "
                                      "is taken for each GPU must be given "
                                      "back for each.",
                                      text_string(&words)),
                   "not on %s", text_string(&words));
    text_free(&words);
}

/* ---- one job: data ------------------------------------------------------- */

static uint64_t *make_plain(const struct case_run *run, uint64_t n)
{
    const uint64_t iters = case_param(run, "iters");
    const uint64_t *const input = run->input;
    uint64_t *const plain = malloc((n + 1) * sizeof *plain);

    for (uint64_t i = 0; plain && i < n; i++)
        plain[i] = decrypt_entry(input[i], iters);
    return plain;
}

static void compare_job(const struct case_run *run, struct difference *found)
{
    const uint64_t n = case_param(run, "entries");
    uint64_t *const plain = make_plain(run, n);
    const struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = run->output,
        .expected = plain,
        .count = plain ? n : 0,
        .known = {{"still encrypted", run->input}},
        .noun = "entry",
    };

    difference_arrays(found, &arrays);
    free(plain);
}

/* What is in the host's memory and in that of the GPUs, part after part. */
struct seen {
    struct cells host, device;
    uint64_t n, gpus, part; /* longest part */
};

static bool look(const struct case_run *run, struct seen *seen)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t *const output = run->output;
    struct reference ref = {.entries = n, .iters = case_param(run, "iters")};

    memset(seen, 0, sizeof *seen);
    seen->n = n;
    seen->gpus = gpus_of(run);
    seen->part = div_up(n, seen->gpus > 0 ? seen->gpus : 1);
    ref.plain = make_plain(run, n);
    if (ref.plain == NULL)
        return false;
    ref.cipher = run->input;
    ref.device = (uint64_t *)run->input + n;
    reference_compare(&ref, output, &seen->host);
    reference_compare(&ref, output + n, &seen->device);
    free(ref.plain);
    return true;
}

/* All wrong entries are of one kind, and at the end of the array. */
static bool is_tail(const struct cells *cells, enum cell kind, uint64_t from,
                    uint64_t n)
{
    return cells->count[kind] == n - from && cells->wrong == n - from &&
           cells->first[kind] == from;
}

/* ---- one job: the wait --------------------------------------------------- */

/* GPUs whose parts were still encrypted when the grader read them: the virtual
 * GPU runs what nothing waits for as late as it may. */
static unsigned not_waited(const struct case_run *run)
{
    const struct case_run *const seen = run->virtual_run;
    const uint64_t *const input = seen->input, *const output = seen->output;
    const uint64_t n = case_param(seen, "entries");
    unsigned set = 0;

    for (unsigned g = 0; g < gpus_of(seen); g++) {
        const uint64_t lower = (uint64_t)fact_of(seen, "lower", g);

        if (fact_of(seen, "width", g) > 0 && lower < n &&
            output[lower] == input[lower])
            set |= 1u << g;
    }
    return set;
}

/* All waits for a device were for the same one. Return: which, or -1. */
static int only_device_waited(const struct trace *trace)
{
    const struct trace_call *call = NULL;
    int device = -1;

    while ((call = query_next_call(trace, "cudaDeviceSynchronize", call))) {
        if (device >= 0 && device != (int)call->device)
            return -1;
        device = (int)call->device;
    }
    return device;
}

static struct finding explain_wait(const struct case_run *run)
{
    const struct trace *const trace = trace_of(run);
    const unsigned set = not_waited(run), all = (1u << gpus_of(run)) - 1;
    const int device = trace ? only_device_waited(trace) : -1;
    struct text words = {0};
    struct finding found;

    print_gpus(&words, set);
    if (set == all && is_open(run, 5))
        found = finding_open_todo(run->evidence);
    else if (set == all)
        found = finding_make("no-final-sync", WAITING,
                             "The function returns before its work is done. "
                             "Its calls only queue: wait for every GPU at "
                             "the end.");
    else if (device >= 0 && query_calls(trace, "cudaDeviceSynchronize") > 1)
        found = finding_make("same-gpu-waited", WAITING,
                             "cudaDeviceSynchronize is called %u times, and "
                             "each time for GPU %d: it waits for the current "
                             "device. %s may still be working when the "
                             "function returns.",
                             query_calls(trace, "cudaDeviceSynchronize"),
                             device, text_string(&words));
    else if (device >= 0)
        found = finding_make("one-gpu-waited", WAITING,
                             "The function waits for GPU %d only: "
                             "cudaDeviceSynchronize waits for the current "
                             "device. %s may still be working when the "
                             "function returns.",
                             device, text_string(&words));
    else
        found =
            finding_make("partial-sync", WAITING,
                         "The function does not wait for all of its "
                         "work%s%s%s.",
                         set ? ": " : "", set ? text_string(&words) : "",
                         set ? " may still be working when it returns" : "");
    text_free(&words);
    return found;
}

/* ---- one job: wrong entries ---------------------------------------------- */

static struct finding explain_nothing(const struct case_run *run)
{
    if (is_open(run, 4))
        return finding_open_todo(run->evidence);
    return finding_make("nothing-done", TASK,
                        "No part is copied to its GPU, decrypted or copied "
                        "back.");
}

static struct finding explain_left_out(const struct seen *seen)
{
    const uint64_t left = seen->host.first[CELL_CIPHER];

    if (left == seen->part)
        return finding_make("only-gpu-0", TASK,
                            "Only the part of GPU 0 is decrypted: the others "
                            "have one too.");
    if (seen->n - left <= seen->part)
        return finding_make("last-gpu-left-out", PARTS,
                            "The last GPU that has entries gets no work.");
    return finding_make("gpus-left-out", TASK,
                        "Some GPUs that have entries get no work.");
}

/* The GPUs' memory is as it should be; the host's is not. */
static struct finding explain_copy_back(const struct seen *seen)
{
    const struct cells *const host = &seen->host;

    if (host->count[CELL_CIPHER] == seen->n)
        return finding_make("no-copy-back", TASK,
                            "The GPUs hold the right entries, but nothing is "
                            "copied back to the host.");
    if (host->count[CELL_CIPHER] == seen->n - seen->part &&
        host->first[CELL_CIPHER] == seen->part)
        return finding_make("copy-back-offset", PARTS,
                            "Every GPU copies its part back to the start of "
                            "`data_host`: add the part's `lower` to the "
                            "destination.");
    if (seen->part / sizeof(uint64_t) == host->first_wrong &&
        host->count[CELL_CIPHER] == host->wrong)
        return finding_make("bytes-not-entries", TASK,
                            "Only an eighth of each part is copied back: the "
                            "size of a copy is in bytes, and an entry has 8 "
                            "of them.");
    return finding_none();
}

static struct finding explain_device(const struct seen *seen)
{
    const struct cells *const device = &seen->device;
    const uint64_t n = seen->n;

    if (device->count[CELL_CIPHER] == n)
        return finding_make("no-kernel", TASK,
                            "The entries are copied to the GPUs and back, "
                            "still encrypted: no kernel decrypts them.");
    if (device->count[CELL_UNTOUCHED_RUN] == n)
        return finding_make("no-copy-in", TASK,
                            "The kernels decrypt memory that nothing was "
                            "copied to: copy the part in first.");
    if (device->count[CELL_ROUNDS] > 0)
        return finding_make("wrong-rounds", TASK,
                            "The entries are decrypted with another number of "
                            "rounds: hand `num_iters` to the kernel.");
    if (device->count[CELL_MOVED] > 0 && device->first_wrong >= seen->part &&
        device->count[CELL_RIGHT] >= seen->part)
        return finding_make("copy-in-offset", PARTS,
                            "Every GPU gets the entries of GPU 0: add the "
                            "part's `lower` to the source of the copy in, "
                            "`data_host`.");
    if (device->count[CELL_AGAIN] > 0)
        return finding_make("decrypted-again", TASK,
                            "Entries are decrypted more than once: one kernel "
                            "for each part.");
    if (device->count[CELL_UNTOUCHED] + device->count[CELL_UNTOUCHED_RUN] > 0 &&
        device->first_wrong == seen->part / sizeof(uint64_t))
        return finding_make("bytes-not-entries", TASK,
                            "Only an eighth of each part is copied: the size "
                            "of a copy is in bytes, and an entry has 8 of "
                            "them.");
    return finding_none();
}

/* One GPU copies in from where another copies back to: a hazard between two
 * copies, the one back first. */
static struct finding explain_copies_meet(const struct case_run *run)
{
    static const char *const back = "copy device to host";
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct trace *const trace = trace_of(run);
    const uint64_t n = case_param(run, "entries");
    const char *line = NULL;
    bool meet = false;

    if (trace == NULL)
        return finding_none();
    while ((line = checked_find(&run->virtual_run->checked, "hazard",
                                "first_what", back, line)) != NULL) {
        struct text second = {0};

        report_take_field(&second, line, "second_what");
        meet |= strcmp(text_string(&second), "copy host to device") == 0;
        text_free(&second);
    }
    if (!meet)
        return finding_none();
    if (query_bytes(trace, &in) > n * sizeof(uint64_t) * 3 / 2)
        return finding_make("whole-array", TURNS,
                            "More is copied in than there is: each GPU must "
                            "copy its own part, not the whole array. And some "
                            "entries are copied in by one GPU while another "
                            "already copies them back.");
    return finding_make("copy-in-offset", PARTS,
                        "A GPU copies in entries of another GPU's part, while "
                        "that one already copies them back: add the part's "
                        "`lower` to the source of the copy in, `data_host`.");
}

/* A kernel and a copy of its data are in queues of two GPUs: a copy goes to the
 * queue of the current device, whatever its pointers say. */
static struct finding explain_queues(const struct case_run *run)
{
    struct text words = {0};
    const char *line = NULL;
    struct finding found = finding_none();

    if (run->virtual_run == NULL)
        return found;
    while (!found.id &&
           (line = checked_find(&run->virtual_run->checked, "hazard",
                                "first_agent", "default stream of device",
                                line)) != NULL) {
        text_clear(&words);
        report_take_field(&words, line, "first_what");
        text_printf(&words, " and ");
        report_take_field(&words, line, "second_what");
        if (strstr(text_string(&words), "kernel decrypt_gpu") == NULL ||
            strstr(text_string(&words), "copy ") == NULL)
            continue;
        found = finding_make("queue-of-another-gpu", CURRENT,
                             "A kernel and the copy %s are in queues of two "
                             "GPUs, and nothing orders them. A copy without "
                             "a stream goes to the queue of the current "
                             "device, whatever its pointers say: call "
                             "cudaSetDevice before it.",
                             strstr(text_string(&words), "device to host")
                                 ? "of its result"
                                 : "that brings its data");
    }
    text_free(&words);
    return found;
}

static struct finding explain_wrong(const struct case_run *run)
{
    struct finding found;
    struct seen seen;

    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return explain_wait(run);
    if (run->pending[0] || !look(run, &seen))
        return run->pending[0]
                   ? finding_make("cuda-error", NULL,
                                  "A CUDA call failed with %s and nobody "
                                  "looked: wrap every call in CHECK.",
                                  run->pending)
                   : finding_none();
    if (seen.host.count[CELL_CIPHER] == seen.n &&
        seen.device.count[CELL_UNTOUCHED] == seen.n)
        return explain_nothing(run);
    if (is_tail(&seen.host, CELL_CIPHER, seen.host.first[CELL_CIPHER],
                seen.n) &&
        seen.device.count[CELL_UNTOUCHED] == seen.host.wrong)
        return explain_left_out(&seen);
    if (seen.device.count[CELL_RIGHT] == seen.n)
        return explain_copy_back(&seen);
    found = explain_copies_meet(run);
    if (!found.id)
        found = explain_queues(run);
    return found.id ? found : explain_device(&seen);
}

/* ---- one job: right, but ------------------------------------------------- */

static struct finding explain_order(const struct case_run *run)
{
    const struct checked *const checked = &run->virtual_run->checked;
    struct finding found;

    if (checked->by_driver)
        return explain_wait(run);
    found = explain_copies_meet(run);
    if (!found.id)
        found = explain_queues(run);
    if (found.id)
        return found;
    if (checked->hazards > 0)
        return finding_make("hazard", TURNS,
                            "Two operations on the same entries are in "
                            "different queues, and nothing orders them. Copy "
                            "in, kernel and copy back of a part belong in one "
                            "queue of its GPU.");
    return finding_none();
}

static const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL)};

/* The entries are right. Were they decrypted where they should be? */
static struct finding explain_where(const struct case_run *run)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct query back = {.kinds = QUERY_KIND(TRACE_KIND_D2H)};
    const struct trace *const trace = trace_of(run);
    const uint64_t n = case_param(run, "entries");
    const unsigned parts = n < gpus_of(run) ? 1 : gpus_of(run);
    unsigned devices;

    if (trace == NULL || n == 0)
        return finding_none();
    devices = query_devices(trace, &kernels);
    if (devices > 0 && (query_bytes(trace, &in) < n * sizeof(uint64_t) ||
                        query_bytes(trace, &back) < n * sizeof(uint64_t)))
        return finding_make("not-copied", TASK,
                            "The entries are right, but not all of them were "
                            "copied to a GPU and back.");
    if (devices == 0)
        return finding_make("host-decrypt", TASK,
                            "The entries are right, but no kernel ran: they "
                            "were not decrypted on the GPUs.");
    if (devices < parts && n >= 100)
        return finding_make("one-gpu", CURRENT,
                            "The entries are right, but the kernels ran on %u "
                            "of %u GPUs only. A launch without a stream goes "
                            "to the current device, whatever its arguments "
                            "are.",
                            devices, parts);
    return finding_none();
}

static void judge_job(const struct case_run *run, struct judgement *judgement)
{
    struct finding found;

    if (!judge_right(run, judgement)) {
        judgement->finding = explain_wrong(run);
        return;
    }
    if (!judge_order(run, judgement)) {
        judgement->finding = explain_order(run);
        return;
    }
    found = explain_where(run);
    if (found.id)
        judge_fail(judgement, found, "right, but not by all GPUs");
    else
        judge_pass(judgement, "%llu %s on %u GPU%s%s",
                   (unsigned long long)case_param(run, "entries"),
                   case_param(run, "entries") == 1 ? "entry" : "entries",
                   gpus_of(run), gpus_of(run) == 1 ? "" : "s",
                   run->virtual_run ? ", no hazard" : "");
}

/* ---- a function that did not return -------------------------------------- */

/* What of the work has reached a GPU before the error? A run that ended has a
 * trace only where it was under the checker. */
static unsigned count_copies(const struct case_run *run)
{
    const struct query copies = {.kinds = QUERY_COPIES};

    return run->traced ? query_count(&run->trace, &copies) : 0;
}

static struct finding explain_outside(const struct case_run *run,
                                      const char *at)
{
    if (strcmp(run->rules->name, EVEN) != 0)
        return finding_make("part-too-long", PARTS,
                            "%s: this reaches beyond the part. With parts of "
                            "the same size all was well: take the part's own "
                            "`width`.",
                            at);
    if (count_copies(run) > 0)
        return finding_make(
            "global-offset", PARTS,
            "%s: this reaches beyond the memory of GPU 1, and for GPU 0 the "
            "same line was right. A part begins at `lower` in the host's "
            "memory, but at 0 in the memory of its own GPU.",
            at);
    return finding_make("outside-the-part", PARTS,
                        "%s: this reaches beyond the memory. `data_gpu[g]` "
                        "holds the entries of GPU g only and begins at 0; "
                        "sizes of copies are in bytes.",
                        at);
}

static struct finding explain_fault(const struct case_run *run)
{
    const char *const fault = text_string(&run->fault);

    if (strstr(fault, "without peer access"))
        return finding_make(
            "wrong-gpu-launch", CURRENT,
            "A kernel runs on one GPU with a pointer to another GPU's memory. "
            "A launch without a stream goes to the current device, whatever "
            "its arguments are: call cudaSetDevice before it.");
    if (strstr(fault, "past the end") || strstr(fault, "no memory"))
        return explain_outside(run, "decrypt_gpu");
    return finding_make(
        "illegal-address", CURRENT,
        "A kernel used memory that its GPU cannot reach. Either it ran on "
        "another GPU than the one whose memory it got (cudaSetDevice), or it "
        "went past the end of its part.");
}

static bool is_launch(const struct api_error *error)
{
    return strncmp(error->call, "cudaGetLastError", 16) == 0 ||
           strncmp(error->call, "cudaPeekAtLastError", 19) == 0;
}

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;
    const bool invalid = strcmp(error->name, "cudaErrorInvalidValue") == 0;

    if (strcmp(error->name, "cudaErrorIllegalAddress") == 0 ||
        strcmp(run->late, "cudaErrorIllegalAddress") == 0)
        return explain_fault(run);
    if (strcmp(error->name, "cudaErrorInvalidDevice") == 0)
        return finding_make("no-such-gpu", TASK,
                            "%s: there is no GPU of this number. Devices are "
                            "0 to num_gpus - 1.",
                            error->at);
    /* CUDA 13 on an H200 says InvalidValue to a launch of 0 blocks. */
    if (strcmp(error->name, "cudaErrorInvalidConfiguration") == 0 ||
        (invalid && is_launch(error)))
        return finding_make("empty-launch", PARTS,
                            "%s: a kernel is launched with 0 blocks. A GPU "
                            "whose part is empty has nothing to do: queue "
                            "nothing for it.",
                            error->at);
    if (strncmp(error->call, "cudaFree", 8) == 0 && is_job(run, "job=memory"))
        return finding_make("free-mismatch", TASK,
                            "%s: this gives back what was not taken, or was "
                            "given back before.",
                            error->at);
    if (invalid && strncmp(error->call, "cudaMemcpy", 10) == 0 &&
        is_job(run, "job=decrypt"))
        return explain_outside(run, error->at);
    return finding_end(run);
}

/* ---- judged from what others saw ----------------------------------------- */

static const char *const jobs[] = {MEMORY, EVEN, UNEVEN, FEW, AGAIN};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void judge_current(const struct case_run *run,
                          struct judgement *judgement)
{
    for (size_t i = 0; i < JOBS; i++) {
        const struct case_run *const job = case_other(run, jobs[i]);
        const char *const by = job ? case_text(job, "changed_by") : "";
        const int from = job ? (int)case_fact(job, "changed_from") : 0;
        const int to = job ? (int)case_fact(job, "changed_to") : 0;
        struct finding found;

        if (by[0] == '\0')
            continue;
        if (is_open(run, 6))
            found = finding_open_todo(run->evidence);
        else if (to == 0)
            found = finding_make(
                "device-0-assumed", CURRENT,
                "%s leaves GPU 0 as the current device, but the caller had "
                "GPU %d. Ask for it at the start (cudaGetDevice), and set it "
                "again at the end.",
                by, from);
        else
            found = finding_make(
                "device-changed", CURRENT,
                "%s leaves GPU %d as the current device, and the caller's "
                "next cudaMalloc or launch goes there: set the one that the "
                "caller had (cudaGetDevice at the start).",
                by, to);
        judge_fail(judgement, found, "%s: GPU %d before, GPU %d after", by,
                   from, to);
        return;
    }
    judge_pass(judgement, "the same before and after each call");
}

static struct finding explain_warning(const struct case_run *run)
{
    const char *const seen =
        run->virtual_run ? text_string(&run->virtual_run->checked.first_warning)
                         : "";

    if (strstr(seen, "is launched into a stream of device"))
        return finding_make("stream-of-another-gpu", CURRENT,
                            "A kernel is launched into a stream of another "
                            "GPU than the current one. Today it runs, on the "
                            "GPU of the stream; older toolkits refuse the "
                            "launch. Set the device before it.");
    return finding_leak(run);
}

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    for (size_t i = 0; i < JOBS; i++) {
        const struct case_run *const job = case_other(run, jobs[i]);

        if (job && job->ran && !judge_clean(job, judgement)) {
            if (!judgement->finding.id)
                judgement->finding = explain_warning(job);
            return;
        }
    }
    judge_pass(judgement, "no error left, no leak");
}

/* ---- large --------------------------------------------------------------- */

enum { SAMPLES = 1 << 16 };

/* A sample that is spread over the array: all of it would take the grader
 * longer than the GPUs. */
static void compare_large(const struct case_run *run, struct difference *found)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t iters = (uint64_t)case_fact(run, "rounds");
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t step = n / SAMPLES + 1;

    found->noun = "entry";
    found->count = n;
    if (!case_has(run, "all_ns"))
        return;
    for (uint64_t i = 0; i < n; i += i + step < n ? step : n - i) {
        if (output[i] == decrypt_entry(input[i], iters))
            continue;
        if (found->wrong++ == 0)
            found->first = i;
        found->last = i;
        found->around[1] = output[i] == input[i] ? "still encrypted" : "wrong";
    }
}

static double ms(const struct case_run *run, const char *fact)
{
    return (double)case_fact(run, fact) / 1e6;
}

static void judge_large(const struct case_run *run, struct judgement *judgement)
{
    if (judge_right(run, judgement))
        judge_pass(judgement,
                   "one GPU %.3f ms, %u GPUs %.3f ms; all at once: copy in "
                   "%.3f, kernel %.3f, copy back %.3f ms",
                   ms(run, "one_ns"), gpus_of(run), ms(run, "all_ns"),
                   ms(run, "in_ns"), ms(run, "kernel_ns"), ms(run, "back_ns"));
}

/* ---- fast ---------------------------------------------------------------- */

static const char *place_of_call(const struct trace *trace, const char *name)
{
    const struct trace_call *const call = query_next_call(trace, name, NULL);

    return call ? query_place(call->at) : "";
}

/* A wait of the host with work queued behind it, or NULL. */
static const struct trace_call *find_wait(const struct trace *trace)
{
    static const char *const names[] = {"cudaDeviceSynchronize",
                                        "cudaStreamSynchronize",
                                        "cudaEventSynchronize"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (query_calls_before(trace, names[i], "cudaMemcpyAsync") > 0 ||
            query_calls_before(trace, names[i], "cudaLaunchKernel") > 0)
            return query_next_call(trace, names[i], NULL);
    return NULL;
}

static struct finding explain_copies(const struct trace *trace, uint64_t bytes)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct query back = {.kinds = QUERY_KIND(TRACE_KIND_D2H)};
    const struct query pageable = {.kinds = QUERY_COPIES,
                                   .mems = QUERY_MEM(TRACE_MEM_PAGEABLE)};
    const struct query between = {.kinds = QUERY_KIND(TRACE_KIND_PEER)};

    if (query_count(trace, &between) > 0)
        return finding_make("through-another-gpu", TURNS,
                            "Entries are copied from one GPU to another. "
                            "Every GPU can copy from and to the host itself, "
                            "all of them at the same time.");
    if (query_calls(trace, "cudaMemcpy") > 0)
        return finding_make("blocking-copy", TURNS,
                            "%s: cudaMemcpy holds the host until the copy is "
                            "done, so the next GPU gets its work too late and "
                            "the GPUs take turns. Use cudaMemcpyAsync.",
                            place_of_call(trace, "cudaMemcpy"));
    if (query_count(trace, &pageable) > 0)
        return finding_make("pageable-memory", TURNS,
                            "Copies come from pageable memory or go there, "
                            "and hold the host until they are done, so the "
                            "GPUs take turns: `data_host` is pinned, copy "
                            "from there.");
    if (query_bytes(trace, &in) > bytes * 3 / 2 ||
        query_bytes(trace, &back) > bytes * 3 / 2)
        return finding_make("whole-array", TURNS,
                            "More is copied than there is: each GPU must copy "
                            "its own part, not the whole array.");
    return finding_none();
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct trace *const trace = trace_of(even);
    const struct trace_call *wait;
    struct finding found;

    if (trace == NULL)
        return finding_none();
    found =
        explain_copies(trace, case_param(even, "entries") * sizeof(uint64_t));
    if (found.id)
        return found;
    wait = find_wait(trace);
    if (wait)
        return finding_make("sync-in-loop", TURNS,
                            "%s: the host waits before the next GPU has its "
                            "work, so the GPUs take turns. Wait in a loop of "
                            "its own, when all have theirs.",
                            query_place(wait->at));
    if (query_calls(trace, "cudaMalloc*") + query_calls(trace, "cudaFree*") > 0)
        return finding_make("allocates-each-time", TASK,
                            "decrypt_on_gpus takes and frees memory each "
                            "time, and cudaFree waits for the GPU: the memory "
                            "of memory_create is enough.");
    return finding_none();
}

static void judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double in = (double)case_fact(large, "in_ns");
    const double kernel = (double)case_fact(large, "kernel_ns");
    const double back = (double)case_fact(large, "back_ns");
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(large, "one_ns"),
        .student_ns = (double)case_fact(large, "all_ns"),
        .bound_ns = in + kernel + back,
        .least_ns = in > back ? in : back,
        .eta_needed = ETA_NEEDED,
    };

    if (!judge_speed(run, judgement, &times) && judgement->finding.id == NULL)
        judgement->finding = explain_slow(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n) ((n) * sizeof(uint64_t))

/* Half a million entries for each virtual GPU, behind a slow link: the copies
 * take much longer than the calls that queue them. Few rounds, for it is the
 * processor that runs them. */
#define LARGE_VGPU ((1 << 21) - 5)
#define LARGE_CUDA ((1 << 25) - 5)

#define JOB_OF(n)                                                              \
    .input_bytes = 2 * ENTRIES(n), .output_bytes = 2 * ENTRIES(n),             \
    .compare = compare_job, .judge = judge_job, .checked = true

static const struct lab_case cases[] = {
    {.name = SPLIT,
     .points = 10,
     .params = "job=parts sizes=9 n0=12 g0=3 n1=10 g1=3 n2=10 g2=7 n3=10007 "
               "g3=4 n4=5 g4=4 n5=3 g5=8 n6=1 g6=2 n7=7 g7=1 n8=0 g8=3",
     .output_bytes = 2 * ENTRIES(3 + 3 + 7 + 4 + 4 + 8 + 2 + 1 + 3),
     .judge = judge_parts},
    {.name = MEMORY,
     .points = 10,
     .params = "job=memory entries=10007 use=3",
     .gpus = 4,
     .gpus_needed = 2,
     .input_bytes = ENTRIES(10007),
     .checked = true,
     .needs = SPLIT,
     .judge = judge_memory},
    {.name = "memory given back",
     .points = 5,
     .params = "job=none",
     .needs = MEMORY,
     .judge = judge_given_back},
    {.name = EVEN, /* 9240 divides by 1 to 8 */
     .points = 15,
     .params = "job=decrypt entries=9240 use=4 iters=12",
     .gpus = 4,
     .gpus_needed = 2,
     .needs = MEMORY,
     JOB_OF(9240)},
    {.name = UNEVEN,
     .points = 5,
     .params = "job=decrypt entries=10007 use=3 iters=12",
     .gpus = 4,
     .gpus_needed = 2,
     .needs = EVEN,
     JOB_OF(10007)},
    {.name = FEW,
     .points = 5,
     .params = "job=decrypt entries=10 use=7 iters=12",
     .gpus = 7,
     .needs = EVEN,
     JOB_OF(10)},
    {.name = "one GPU",
     .points = 5,
     .params = "job=decrypt entries=1000 use=1 iters=12",
     .needs = EVEN,
     JOB_OF(1000)},
    {.name = AGAIN,
     .points = 5,
     .params = "job=decrypt entries=3001 use=3 iters=12 current=1 again=1",
     .gpus = 4,
     .gpus_needed = 2,
     .needs = EVEN,
     JOB_OF(3001)},
    {.name = "current device",
     .points = 5,
     .params = "job=none",
     .needs = EVEN,
     .judge = judge_current},
    {.name = "clean",
     .points = 5,
     .params = "job=none",
     .needs = EVEN,
     .judge = judge_tidy},
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=2097147 rounds=60",
     .params_cuda = "job=large entries=33554427",
     .gpus = 4,
     .gpus_needed = 2,
     .input_bytes = ENTRIES(LARGE_VGPU),
     .output_bytes = ENTRIES(LARGE_VGPU),
     .input_bytes_cuda = ENTRIES(LARGE_CUDA),
     .output_bytes_cuda = ENTRIES(LARGE_CUDA),
     .drawn = true,
     .needs = EVEN,
     .seconds = 60,
     .compare = compare_large,
     .judge = judge_large},
    {.name = "fast",
     .points = 20,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_fast},
};

static const struct lab_rules lab_11 = {
    .name = "11_multi_gpu",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "one GPU",
    .explain_end = explain_end,
};

LAB_RULES(lab_11);
