/*
 * order_find.c: lines that make more order than needed, told at the end
 *
 * A line is asked about where it makes something wait: the host, a stream by an
 * event, all streams by the legacy default stream. What it costs is what the
 * run on paper is shorter by without it (order_again.c). The time that the host
 * spent there would say too much: most of it may be the device's work, which
 * has to be waited for somewhere.
 */
#include "array.h"
#include "order_again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/trace_line.h"

#define MOST_SOURCES 64
#define MOST_ASKED   300000 /* steps, of all runs on paper together */
#define LEAST_NS     30000  /* less nobody looks for */
#define LITTLE       20     /* parts of the run: less is not told */
#define MUCH         4      /* ... where a pause ends a round of all streams */
#define ALL          2      /* ... where there is but one stream */
#define FEW_TIMES    2

static const struct vgpu_order *const order = &vgpu_order;
static const struct vgpu_without nothing;

/* A line. */
struct source {
    uint64_t pcs[8];
    size_t pc_count;
    const char *call;
    enum vgpu_report_kind kind;
    uint64_t last_call;
    int64_t times, held_ns; /* the host is held */
    int64_t alone;          /* of these, while not all streams had work */
    int64_t calls;
    int64_t loops, ops_at; /* memory: again after other work */
    int64_t defaults, events;
    int64_t saved_ns;
    bool is_spin, is_memory, orders;
    bool matters; /* the host has not waited for all that comes before */
};

static struct {
    struct source sources[MOST_SOURCES];
    size_t count;
    int64_t ops; /* by now */
    int64_t run_ns, end_ns;
    size_t streams;
    uint64_t since[2]; /* streams with work since the host was held, + 1 */
    bool is_mixed;     /* ... and they are more */
    bool registers;
    struct vgpu_known was;
    uint32_t wait; /* the host's last one, or 0 */
} find;

static struct source *source_of(uint64_t pc, const char *call)
{
    struct source *s = find.sources, *end = find.sources + find.count;

    for (; s < end; s++)
        for (size_t i = 0; i < s->pc_count; i++)
            if (s->pcs[i] == pc)
                return s;
    if (!vgpu_line_find(pc, NULL))
        return NULL;
    for (s = find.sources; s < end; s++)
        if (vgpu_line_same(s->pcs[0], pc) && !strcmp(s->call, call) &&
            s->pc_count < 8) {
            s->pcs[s->pc_count++] = pc;
            return s;
        }
    if (find.count == MOST_SOURCES)
        return NULL;
    s = &find.sources[find.count++];
    s->pcs[s->pc_count++] = pc;
    s->call = call;
    return s;
}

/* People and graders are told now, a trace when it is written. */
static struct note {
    enum vgpu_report_kind kind;
    int64_t saved_ns, run_ns;
    char at[160], text[768];
} notes[MOST_SOURCES];
static size_t note_count;

static void put_note(enum vgpu_report_kind kind, uint64_t pc,
                     const struct vgpu_report *report)
{
    struct note *note;

    vgpu_check_warn(kind, pc, report);
    if (!vgpu_rt.tracing || note_count == MOST_SOURCES)
        return;
    note = &notes[note_count++];
    note->kind = kind;
    note->saved_ns = report->saved_ns;
    note->run_ns = report->run_ns;
    vgpu_line_format(pc, note->at, sizeof note->at);
    vgpu_report_words(note->text, sizeof note->text, kind, report);
}

size_t vgpu_order_put(FILE *out)
{
    for (const struct note *note = notes; note < notes + note_count; note++) {
        trace_begin(out, TRACE_RECORD_order);
        trace_text(out, TRACE_order_kind, vgpu_report_name(note->kind));
        trace_text(out, TRACE_order_at, note->at);
        trace_number(out, TRACE_order_saved_ns, note->saved_ns);
        trace_number(out, TRACE_order_run_ns, note->run_ns);
        trace_text(out, TRACE_order_text, note->text);
        trace_end(out);
    }
    return note_count;
}

/* ---- what each line does ------------------------------------------------- */

static void see_work(const struct vgpu_order_step *step)
{
    const uint64_t stream = (uint64_t)step->in.stream + 1;

    if (step->in.kind == VGPU_TIME_MARK)
        return;
    find.ops++;
    if (find.since[0] == stream || find.since[1] == stream)
        return;
    if (!find.since[0])
        find.since[0] = stream;
    else if (!find.since[1])
        find.since[1] = stream;
    else
        find.is_mixed = true;
}

/* Then it makes nothing wait. */
static bool is_waited_for(uint32_t step)
{
    return find.wait &&
           vgpu_known_row(&find.was, find.wait)[find.was.columns[step - 1]] >=
               step;
}

static void see_op(const struct vgpu_order_step *step)
{
    struct source *s;

    for (size_t e = 0; e < step->edges; e++) {
        const struct vgpu_order_edge *edge = &order->edges[step->edge + e];

        if (edge->why == VGPU_ORDER_STREAM)
            continue;
        s = source_of(edge->pc, step->call);
        if (!s)
            continue;
        s->events += edge->why == VGPU_ORDER_EVENT;
        s->orders |= edge->why == VGPU_ORDER_DEFAULT;
        s->matters |= !is_waited_for(edge->from);
    }
    if (step->is_default && !(step->in.timed && order->measures)) {
        s = source_of(step->pc, step->call);
        if (s) {
            s->call = step->call;
            s->defaults++;
        }
    }
    if (!(step->is_default && step->in.kind != VGPU_TIME_KERNEL))
        see_work(step);
}

static void see_wait(const struct vgpu_order_step *step)
{
    struct source *const s = step->measured || step->to_ns <= step->from_ns
                                 ? NULL
                                 : source_of(step->pc, step->call);

    if (s && s->last_call != step->call_id) {
        s->times++;
        s->alone += !find.is_mixed && find.since[0];
    }
    if (s) {
        s->call = step->call;
        s->last_call = step->call_id;
        s->held_ns += step->to_ns - step->from_ns;
        s->is_spin |= step->sort == VGPU_STEP_SPIN;
    }
    find.since[0] = find.since[1] = 0;
    find.is_mixed = false;
    find.wait = (uint32_t)(step - order->steps) + 1;
}

static void see_cost(const struct vgpu_order_step *step)
{
    struct source *const s = source_of(step->pc, step->call);

    find.registers |= step->memory && !strcmp(step->call, "cudaHostRegister");
    if (!s)
        return;
    s->calls++;
    s->loops += s->is_memory && s->ops_at != find.ops;
    s->ops_at = find.ops;
    s->is_memory = true;
    s->held_ns += step->to_ns - step->from_ns;
}

static void see_all(void)
{
    for (size_t i = 0; i < order->step_count; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];

        if (step->sort == VGPU_STEP_OP)
            see_op(step);
        else if (step->sort == VGPU_STEP_COST)
            see_cost(step);
        else
            see_wait(step);
    }
}

/* ---- what it costs --------------------------------------------------------
 */

/* Return: the kind of note that the line would get, or none. */
static enum vgpu_report_kind kind_of(const struct source *s)
{
    const bool holds = s->held_ns * LITTLE / 2 >= find.run_ns;

    if (s->is_memory)
        return s->loops > 1 && holds ? VGPU_REPORT_order_memory
                                     : VGPU_NO_REPORT;
    if (s->times >= FEW_TIMES && holds)
        return s->is_spin ? VGPU_REPORT_order_query : VGPU_REPORT_order_host;
    if (!vgpu_rt.checking || /* nobody has seen what data needs */
        !s->matters)
        return VGPU_NO_REPORT;
    if (s->orders && s->defaults)
        return VGPU_REPORT_order_default;
    return s->events >= FEW_TIMES ? VGPU_REPORT_order_event : VGPU_NO_REPORT;
}

static struct vgpu_without without_of(const struct source *s)
{
    return (struct vgpu_without){s->pcs, s->pc_count,
                                 s->kind != VGPU_REPORT_order_default &&
                                     s->kind != VGPU_REPORT_order_event};
}

/* A pause behind a round in which all streams had work is how many a right
 * program ends a round: told where it costs much. A program with one stream has
 * nothing to overlap: told where it costs most of the run. */
static bool is_worth(const struct source *s)
{
    int64_t parts = LITTLE;

    if ((s->kind == VGPU_REPORT_order_host ||
         s->kind == VGPU_REPORT_order_query) &&
        2 * s->alone < s->times)
        parts = MUCH;
    if (find.streams < 2)
        parts = ALL;
    if (s->kind == VGPU_REPORT_order_default && s->defaults < FEW_TIMES)
        parts = MUCH;
    return s->saved_ns >= LEAST_NS && s->saved_ns * parts >= find.run_ns;
}

static const char *time_text(char text[32], int64_t ns)
{
    if (ns < 100000)
        snprintf(text, 32, "%.1f us", (double)ns / 1e3);
    else
        snprintf(text, 32, "%.2f ms", (double)ns / 1e6);
    return text;
}

static const char *saved_text(char text[96], int64_t saved_ns)
{
    char part[32], run[32];

    time_text(text, saved_ns);
    if (saved_ns < find.run_ns)
        snprintf(text, 96, "%s of the %s with work", time_text(part, saved_ns),
                 time_text(run, find.run_ns));
    return text;
}

static const char *need_text(char text[256], const struct source *s)
{
    const struct vgpu_without without = without_of(s);
    const struct vgpu_order_step *by;
    char at[160];

    *text = '\0';
    switch (vgpu_order_need(&find.was, &without, &by)) {
    case VGPU_NEED_NONE:
        return "; this order is not needed: nothing that follows uses what "
               "came before";
    case VGPU_NEED_STEP:
        vgpu_line_format(by->pc, at, sizeof at);
        if (strcmp(at, "?"))
            snprintf(text, 256, "; %s uses what came before, and needs it", at);
        return text;
    default:
        return text;
    }
}

static void tell(const struct source *s)
{
    char held[32], saved[96], needed[256];
    const bool waits = without_of(s).waits;
    const char *also = waits && s->orders && s->defaults && !s->is_memory
                           ? "; in the legacy default stream it also waits "
                             "for all blocking streams"
                           : "";

    put_note(s->kind, s->pcs[0],
             &(struct vgpu_report){
                 .call = strcmp(s->call, "cudaLaunchKernel") ? s->call
                                                             : "this launch",
                 .times = s->is_memory                         ? s->calls
                          : waits                              ? s->times
                          : s->kind == VGPU_REPORT_order_event ? s->events
                                                               : s->defaults,
                 .held_ns = s->held_ns,
                 .held = time_text(held, s->held_ns),
                 .saved_ns = s->saved_ns,
                 .saved = saved_text(saved, s->saved_ns),
                 .run_ns = find.run_ns,
                 .needed = waits ? also : need_text(needed, s),
             });
}

static void ask_sources(void)
{
    size_t left = MOST_ASKED / order->step_count;

    for (struct source *s = find.sources; s < find.sources + find.count; s++) {
        struct vgpu_without without;
        int64_t end_ns;

        s->kind = kind_of(s);
        if (!s->kind || !left)
            continue;
        left--;
        without = without_of(s);
        end_ns = vgpu_again(&find.was, &without, 0, 0, NULL);
        s->saved_ns = end_ns < 0 ? 0 : find.end_ns - end_ns;
        if (is_worth(s))
            tell(s);
    }
}

/* ---- queues ---------------------------------------------------------------
 */

/* Streams with work, or with kernels of one device. */
static size_t count_streams(bool only_kernels, int device)
{
    bool *seen = calloc(vgpu_rt.next_stream + (size_t)1, sizeof *seen);
    size_t count = 0;

    for (size_t i = 0; seen && i < order->step_count; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];
        const bool counts = only_kernels ? step->in.kind == VGPU_TIME_KERNEL &&
                                               step->in.device == device
                                         : step->in.kind != VGPU_TIME_MARK;

        if (step->sort != VGPU_STEP_OP || !counts || seen[step->stream])
            continue;
        seen[step->stream] = true;
        count++;
    }
    free(seen);
    return count;
}

/* A line's operations begin so much earlier with queues enough. */
struct delay {
    uint64_t pc; /* one of the line's: a compiler may make several of a call */
    int64_t times, ns;
    int device;
};

static struct delay most_delayed(const struct vgpu_span *before,
                                 const struct vgpu_span *after)
{
    struct delay lines[MOST_SOURCES] = {{0}}, *most = lines;

    for (size_t i = 0; i < order->step_count; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];
        size_t k = 0;

        if (step->sort != VGPU_STEP_OP || step->in.kind == VGPU_TIME_MARK ||
            before[i].start_ns <= after[i].start_ns)
            continue;
        while (k < MOST_SOURCES && lines[k].pc && lines[k].pc != step->pc &&
               !vgpu_line_same(lines[k].pc, step->pc))
            k++;
        if (k == MOST_SOURCES) /* so many lines: one of the others, then */
            continue;
        lines[k].pc = step->pc;
        lines[k].device = step->in.device;
        lines[k].times++;
        lines[k].ns += before[i].start_ns - after[i].start_ns;
    }
    /* The first of those that lose the same. */
    for (size_t k = 0; k < MOST_SOURCES; k++)
        if (lines[k].ns > most->ns)
            most = &lines[k];
    return *most;
}

static void tell_queues(const struct delay *most, int64_t saved_ns)
{
    const int queues = vgpu_time_queues(vgpu_rt.time, most->device);
    const bool has_more =
        vgpu_rt.devices[most->device].profile->hardware_queues > queues;
    char saved[96];

    put_note(has_more ? VGPU_REPORT_order_queue : VGPU_REPORT_order_one_queue,
             most->pc,
             &(struct vgpu_report){
                 .times = most->times,
                 .streams = (int64_t)count_streams(true, most->device),
                 .queues = queues,
                 .saved_ns = saved_ns,
                 .saved = saved_text(saved, saved_ns),
                 .run_ns = find.run_ns,
             });
}

static bool shares_queues(void)
{
    return !vgpu_time_has_queues(vgpu_rt.time, find.was.streams);
}

static void ask_queues(const struct vgpu_span *before)
{
    struct vgpu_span *after = calloc(order->step_count, sizeof *after);
    int64_t end_ns = -1;

    if (after && shares_queues())
        end_ns = vgpu_again(&find.was, &nothing, 32, 0, after);
    if (end_ns >= 0 && (find.end_ns - end_ns) * LITTLE >= find.run_ns) {
        const struct delay most = most_delayed(before, after);

        tell_queues(&most, find.end_ns - end_ns);
    }
    free(after);
}

/* ---- page-locking ---------------------------------------------------------
 */

/* What copies that used @memory took, of those after step @from, before the
 * memory is given back; *@end_ns: that takes. -1: it is not. */
static int64_t copies_ns(size_t from, const struct vgpu_span *spans,
                         int64_t *end_ns)
{
    const uint32_t memory = order->steps[from].memory;
    int64_t sum = 0;

    for (size_t i = from + 1; i < order->step_count; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];

        if (step->memory != memory)
            continue;
        if (step->sort == VGPU_STEP_COST) {
            *end_ns = step->to_ns - step->from_ns;
            return sum;
        }
        sum += spans[i].end_ns - spans[i].start_ns;
    }
    return -1;
}

static void tell_registered(const struct vgpu_span *spans)
{
    for (size_t i = 0; i < order->step_count; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];
        int64_t more_ns = 0, sum, all;
        char held[32], saved[32];

        if (step->sort != VGPU_STEP_COST || !step->memory ||
            strcmp(step->call, "cudaHostRegister"))
            continue;
        sum = copies_ns(i, spans, &more_ns);
        all = step->to_ns - step->from_ns + more_ns;
        if (sum > 0 && all > sum && all * LITTLE >= find.run_ns)
            put_note(VGPU_REPORT_register_few, step->pc,
                     &(struct vgpu_report){.call = step->call,
                                           .held_ns = all,
                                           .held = time_text(held, all),
                                           .saved_ns = sum,
                                           .saved = time_text(saved, sum),
                                           .run_ns = find.run_ns});
    }
}

/* ---- clocks ---------------------------------------------------------------
 */

static void tell_early(const struct vgpu_span *spans)
{
    struct vgpu_early found[VGPU_EARLY];
    const size_t count = vgpu_order_read_early(spans, found);
    char held[32], saved[32];

    for (const struct vgpu_early *early = found; early < found + count; early++)
        put_note(VGPU_REPORT_clock_early, early->launch->pc,
                 &(struct vgpu_report){
                     .held_ns = early->read_ns,
                     .held = time_text(held, early->read_ns),
                     .saved_ns = early->took_ns,
                     .saved = time_text(saved, early->took_ns),
                     .run_ns = find.run_ns,
                 });
}

/* ---- all of it ------------------------------------------------------------
 */

static int order_uses(const void *a, const void *b)
{
    const struct vgpu_order_use *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void sort_uses(void)
{
    size_t kept = 0;

    if (!order->use_count)
        return;
    qsort(vgpu_order.uses, vgpu_order.use_count, sizeof *vgpu_order.uses,
          order_uses);
    for (size_t i = 0; i < vgpu_order.use_count; i++)
        if (!kept ||
            order_uses(&vgpu_order.uses[kept - 1], &vgpu_order.uses[i]) != 0)
            vgpu_order.uses[kept++] = vgpu_order.uses[i];
    vgpu_order.use_count = kept;
}

static bool all_known(void)
{
    for (size_t i = 0; i < order->step_count; i++)
        if (order->steps[i].sort == VGPU_STEP_OP && !order->steps[i].is_known)
            return false;
    return true;
}

/* The time in which something is issued and has not ended. Steps come in the
 * order of their issue, but for several threads'. */
static int64_t run_ns(const struct vgpu_span *spans)
{
    int64_t sum = 0, until_ns = 0;

    for (size_t i = 0; i < order->step_count; i++) {
        int64_t from_ns = order->steps[i].to_ns;

        if (order->steps[i].sort != VGPU_STEP_OP)
            continue;
        if (from_ns < until_ns)
            from_ns = until_ns;
        if (spans[i].end_ns > from_ns) {
            sum += spans[i].end_ns - from_ns;
            until_ns = spans[i].end_ns;
        }
    }
    return sum;
}

/* Whoever else there is reads nothing before the one that calls has waited. */
static bool one_thread(void)
{
    for (size_t i = 1; i < order->step_count; i++)
        if (order->steps[i].thread != order->steps[0].thread)
            return false;
    return true;
}

/* What there is to ask about, before any run on paper is paid for. */
static bool has_questions(void)
{
    struct vgpu_early early[VGPU_EARLY];
    bool has;

    see_all();
    has =
        find.registers || shares_queues() || vgpu_order_read_early(NULL, early);
    for (size_t i = 0; i < find.count && !has; i++)
        has = kind_of(&find.sources[i]);
    return has;
}

/* What is gone through on paper has to come out as it was. */
static bool begin(struct vgpu_span *spans)
{
    const struct vgpu_order_step *const last =
        &order->steps[order->step_count - 1];
    const int64_t from_ns = order->steps[0].from_ns;
    const int64_t tolerance_ns = (last->to_ns - from_ns) / 50 + 1;

    vgpu_order.uses_whole = order->uses_whole && vgpu_check_saw_all() &&
                            !vgpu_rt.sample && one_thread() &&
                            !vgpu_texture_changes();
    sort_uses();
    if (!vgpu_known_make(&find.was, &nothing) || !has_questions())
        return false;
    find.end_ns = vgpu_again(&find.was, &nothing, 0, tolerance_ns, spans);
    find.run_ns = run_ns(spans);
    find.streams = count_streams(false, 0);
    return find.end_ns >= 0 && find.run_ns > 0;
}

void vgpu_order_tell(void)
{
    struct vgpu_span *spans = calloc(order->step_count + 1, sizeof *spans);

    if (spans && order->is_whole && order->step_count > 1 && all_known() &&
        begin(spans)) {
        ask_sources();
        ask_queues(spans);
        tell_registered(spans);
        tell_early(spans);
    }
    vgpu_known_free(&find.was);
    free(spans);
}
