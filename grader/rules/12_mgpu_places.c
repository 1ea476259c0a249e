/*
 * 12_mgpu_places.c: one run of mgpu_decrypt, entry by entry. What lies where,
 * on the host and on each GPU, tells which offset or width is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "12_mgpu.h"
#include "cipher_entry.h"

/* ---- one run of mgpu_decrypt, entry by entry ------------------------------
 */

bool mgpu_view_open(struct mgpu_view *v, const struct case_run *run)
{
    const struct case_run *const seen = run->virtual_run;

    memset(v, 0, sizeof *v);
    v->run = run;
    v->n = case_param(run, "entries");
    v->gpus = case_param(run, "gpus");
    v->streams = case_param(run, "streams");
    v->iters = case_param(run, "iters");
    v->guard = case_param(run, "guard");
    v->stream_chunk = div_up(v->n, v->gpus * v->streams);
    v->gpu_chunk = v->stream_chunk * v->streams;
    v->room = v->n + v->gpu_chunk + v->guard;
    v->in = run->input;
    v->out = run->output;
    v->plain = malloc((v->n + 1) * sizeof *v->plain);
    if (v->plain)
        reference_decrypt(v->plain, v->in, v->n, v->iters);
    if (seen && seen->traced)
        trace_facts_take(&v->trace, &seen->trace);
    return v->plain != NULL;
}

void mgpu_view_close(struct mgpu_view *v)
{
    free(v->plain);
}

/* What a GPU held before and after, at entry @at of its memory. */
uint64_t mgpu_before(const struct mgpu_view *v, uint64_t gpu, uint64_t at)
{
    return v->in[v->n + v->guard + gpu * v->room + at];
}

uint64_t mgpu_after(const struct mgpu_view *v, uint64_t gpu, uint64_t at)
{
    return v->out[v->n + v->guard + gpu * v->room + at];
}

uint64_t mgpu_part_lower(const struct mgpu_view *v, uint64_t gpu)
{
    return min_u64(gpu * v->gpu_chunk, v->n);
}

uint64_t mgpu_part_entries(const struct mgpu_view *v, uint64_t gpu)
{
    return mgpu_part_lower(v, gpu + 1) - mgpu_part_lower(v, gpu);
}

static uint64_t decrypted(const struct mgpu_view *v, uint64_t value)
{
    return decrypt_entry(value, v->iters);
}

/* Nothing was copied here; a kernel may have been. */
static bool is_stale(const struct mgpu_view *v, uint64_t gpu, uint64_t at)
{
    return mgpu_after(v, gpu, at) == mgpu_before(v, gpu, at) ||
           mgpu_after(v, gpu, at) == decrypted(v, mgpu_before(v, gpu, at));
}

/* The entry of the data that this is, encrypted, decrypted or both ways too
 * often; the number of entries for none. */
static uint64_t origin(const struct mgpu_view *v, uint64_t value)
{
    for (uint64_t i = 0; i < v->n; i++)
        if (value == v->in[i] || value == v->plain[i] ||
            value == decrypted(v, v->plain[i]))
            return i;
    return v->n;
}

/* Is a GPU's chunk as it should be when all is done? */
static bool part_right(const struct mgpu_view *v, uint64_t gpu)
{
    const uint64_t lower = mgpu_part_lower(v, gpu);

    for (uint64_t i = 0; i < mgpu_part_entries(v, gpu); i++)
        if (mgpu_after(v, gpu, i) != v->plain[lower + i])
            return false;
    return true;
}

bool mgpu_parts_right(const struct mgpu_view *v)
{
    for (uint64_t g = 0; g < v->gpus; g++)
        if (!part_right(v, g))
            return false;
    return true;
}

static bool part_untouched(const struct mgpu_view *v, uint64_t gpu)
{
    for (uint64_t i = 0; i < mgpu_part_entries(v, gpu); i++)
        if (mgpu_after(v, gpu, i) != mgpu_before(v, gpu, i))
            return false;
    return true;
}

/* Host entries [from, to) are still encrypted and no others. */
static bool host_left(const struct mgpu_view *v, uint64_t from, uint64_t to)
{
    for (uint64_t i = 0; i < v->n; i++)
        if ((v->out[i] == v->in[i]) != (i >= from && i < to))
            return false;
    return from < to;
}

/* ---- offsets ------------------------------------------------------------- */

/* On GPU 1, at the place where its entries begin in the *host's* data: nobody
 * has anything to do there. */
struct finding mgpu_explain_global(const struct mgpu_view *v)
{
    const uint64_t lower = mgpu_part_lower(v, 1);
    const uint64_t old = mgpu_before(v, 1, lower),
                   new = mgpu_after(v, 1, lower);
    const bool in = new == v->in[lower] || new == v->plain[lower];
    const bool kernel = new == decrypted(v, old) || new == v->plain[lower];
    const bool back =
        v->out[lower] == old || v->out[lower] == decrypted(v, old) ||
        (in && kernel && v->out[lower] == v->plain[lower] && is_stale(v, 1, 0));
    const char *const who = in && kernel && back ? "all three operations use"
                            : in && kernel       ? "copy in and kernel use"
                            : in && back         ? "copy in and copy back use"
                            : kernel && back     ? "kernel and copy back use"
                            : in                 ? "the copy in uses"
                            : kernel             ? "the kernel uses"
                                                 : "the copy back uses";

    if (mgpu_part_entries(v, 1) == 0 || !(in || kernel || back))
        return finding_none();
    return mistake_with("global-offset", "who=%s", who);
}

/* Which entry of the host did GPU 1 get first? */
struct finding mgpu_explain_gpu_lower(const struct mgpu_view *v)
{
    const uint64_t right = mgpu_part_lower(v, 1);
    const uint64_t from = origin(v, mgpu_after(v, 1, 0));

    if (mgpu_part_entries(v, 1) == 0 || from == right || from == v->n)
        return finding_none();
    if (from == 0)
        return mistake("local-offset");
    if (from == div_up(v->n, v->gpus) || from == v->n / v->gpus)
        return mistake_with("gpu-chunk-not-whole/gpu-lower",
                            "from=%llu\nright=%llu", (ull)from, (ull)right);
    if (from == v->stream_chunk)
        return mistake("one-chunk-a-gpu/gpu-lower");
    return mistake_with("gpu-begins-elsewhere", "from=%llu\nright=%llu",
                        (ull)from, (ull)right);
}

/* The second stream of GPU 0: did it get its own chunk, to its own place? */
struct finding mgpu_explain_stream_offset(const struct mgpu_view *v)
{
    const uint64_t at = v->stream_chunk;
    const bool worked = mgpu_after(v, 0, 0) != mgpu_before(v, 0, 0);
    const bool all_queued = v->trace.copies_in >= v->gpus * v->streams;

    if (mgpu_part_entries(v, 0) <= at || !worked || !all_queued)
        return finding_none();
    if (is_stale(v, 0, at))
        return mistake("stream-offset-on-gpu");
    if (mgpu_after(v, 0, at) == v->in[at] && mgpu_after(v, 0, 0) != v->in[0])
        return mistake("stream-offset-on-gpu/stream-offset");
    if (origin(v, mgpu_after(v, 0, at)) == 0)
        return mistake("stream-offset-on-host");
    return finding_none();
}

/* The GPUs hold what they should, but the host does not. */
struct finding mgpu_explain_copy_back(const struct mgpu_view *v)
{
    const uint64_t lower = mgpu_part_lower(v, 1), at = v->stream_chunk;

    if (v->trace.there && v->trace.copies_back == 0)
        return mistake("no-copy-back");
    if (host_left(v, lower, v->n))
        return mistake("local-offset/copy-back");
    if (at < lower && v->out[at] == v->in[at] && v->out[0] != v->in[0])
        return mistake("stream-offset-on-host/copy-back");
    if (at < lower && v->out[at] == v->plain[0])
        return mistake("stream-offset-on-gpu/copy-back");
    return finding_none();
}

/* ---- what is left out, and what is too much -------------------------------
 */

struct finding mgpu_explain_left_out(const struct mgpu_view *v)
{
    const uint64_t chunks = v->gpus * v->streams;
    const uint64_t floor = v->n / chunks, last = v->gpus - 1;

    for (uint64_t g = 1; g < v->gpus; g++)
        if (mgpu_part_entries(v, g) > 0 && part_untouched(v, g))
            return mistake_with("gpu-without-work", "g=%u", (unsigned)g);
    if (floor != v->stream_chunk && host_left(v, floor * chunks, v->n))
        return mistake_with("floor-division/left-out", "chunks=%llu",
                            (ull)(v->n - floor * chunks));
    if (v->n % v->stream_chunk > 0 &&
        host_left(v, v->n / v->stream_chunk * v->stream_chunk, v->n))
        return mistake("tail-dropped");
    if (v->out[v->gpu_chunk - 1] == v->in[v->gpu_chunk - 1] &&
        v->out[v->gpu_chunk - v->stream_chunk] ==
            v->in[v->gpu_chunk - v->stream_chunk] &&
        v->out[0] == v->plain[0] && v->streams > 1)
        return mistake_with("end-of-gpu-dropped", "s=%s", last > 1 ? "s" : "");
    return finding_none();
}

/* Behind the last entry, on the last GPU that has any and on the host. */
struct finding mgpu_explain_overrun(const struct mgpu_view *v)
{
    uint64_t gpu = v->gpus - 1, end;
    bool in = false, kernel = false, back = false;

    while (gpu > 0 && mgpu_part_entries(v, gpu) == 0)
        gpu--;
    end = mgpu_part_entries(v, gpu);
    for (uint64_t i = 0; i < v->guard; i++) {
        const uint64_t old = mgpu_before(v, gpu, end + i);
        const uint64_t new = mgpu_after(v, gpu, end + i);
        const uint64_t host = v->in[v->n + i];

        in |= new == host || new == decrypted(v, host);
        kernel |= new == decrypted(v, old) || new == decrypted(v, host);
        back |= v->out[v->n + i] != host;
    }
    if (in)
        return mistake("tail-copy-in");
    if (kernel)
        return mistake("tail-kernel");
    if (back)
        return mistake("tail-copy-back");
    return finding_none();
}
