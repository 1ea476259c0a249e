/* trace_read.c: from the text of a trace to the trace
 *
 * Three steps: each line is split (trace_record.h) and its keys are taken over
 * by the reader of its kind; then the whole is sorted; then what only the whole
 * can show is checked, such as an id that is given twice.
 *
 * What a later version of the format may add is passed over: unknown keys, and
 * records whose kind begins with "x-". Anything else that is not known is an
 * error with its line, because a record that is silently missing would make a
 * picture wrong, and nobody would see it.
 */
#include "trace_read.h"

#include "number.h"
#include "trace_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The position is the truth of trace_mark.start. */
static const char *const mark_words[] = {"stop", "start"};
static const char *const hazard_words[] = {"write-read", "read-write",
                                           "write-write"};

/* Room for one more element: the array doubles at each power of two. */
static void *grow(struct record *r, void **array, size_t *num, size_t size)
{
    if ((*num & (*num - 1)) == 0) {
        void *more = realloc(*array, (*num ? *num * 2 : 1) * size);

        if (!more) {
            tl_record_fail(r, "out of memory");
            return NULL;
        }
        *array = more;
    }
    return memset((char *)*array + (*num)++ * size, 0, size);
}

/* Into a local first: the search for its index must not find itself. */
static bool read_device(struct trace *t, struct record *r)
{
    struct trace_device d = {.name = "", .backend = ""}, *slot;

    if (!tl_record_need_index(r, "index", TRACE_MAX_DEVICES, &d.index) ||
        !tl_record_need_string(r, "name", &d.name) ||
        !tl_record_need_string(r, "backend", &d.backend) ||
        !tl_record_may_index(r, "copy_engines", 1000, &d.copy_engines) ||
        !tl_record_may_index(r, "sms", 1000000, &d.sms))
        return false;
    if (trace_find_device(t, d.index))
        return tl_record_fail(r, "device %u is described twice", d.index);
    slot = grow(r, (void **)&t->devices, &t->num_devices, sizeof d);
    if (!slot)
        return false;
    *slot = d;
    return true;
}

static bool check_times(struct record *r, uint64_t start_ns, uint64_t end_ns)
{
    if (end_ns < start_ns)
        return tl_record_fail(r, "%s ends before it starts", r->kind);
    return true;
}

/* An operation without a name has that of its kind. */
static bool read_op_words(struct record *r, struct trace_op *op)
{
    unsigned kind, engine, mem = TRACE_MEM_UNKNOWN;

    if (!tl_record_need_word(r, "kind", trace_kind_words, TRACE_NUM_KINDS,
                             &kind) ||
        !tl_record_need_word(r, "engine", trace_engine_words, TRACE_NUM_ENGINES,
                             &engine))
        return false;
    if (tl_record_get(r, "mem") &&
        !tl_record_need_word(r, "mem", trace_mem_words, TRACE_NUM_MEMS, &mem))
        return false;
    op->kind = (enum trace_kind)kind;
    op->engine = (enum trace_engine)engine;
    op->mem = (enum trace_mem)mem;
    op->name = trace_kind_words[kind];
    return true;
}

/* after=1,2,3: the ids of all operations stand in one array, because most have
 * one or two. */
static bool read_ids(struct record *r, const char *key, uint64_t **array,
                     size_t *num)
{
    const char *rest = tl_record_get(r, key);

    while (rest) {
        uint64_t id, *slot;

        if (!tl_record_next_number(r, key, &rest, &id))
            return false;
        slot = grow(r, (void **)array, num, sizeof **array);
        if (!slot)
            return false;
        *slot = id;
    }
    return true;
}

static bool read_after(struct trace *t, struct record *r, struct trace_op *op)
{
    op->after_at = t->num_after;
    op->via_at = t->num_via;
    if (!read_ids(r, "after", &t->after, &t->num_after) ||
        !read_ids(r, "via", &t->via, &t->num_via))
        return false;
    op->num_after = t->num_after - op->after_at;
    op->num_via = t->num_via - op->via_at;
    return true;
}

/* The element is made first and filled in place. Where that fails the trace is
 * dropped as a whole, so that half an element is never seen.
 */
static bool read_op(struct trace *t, struct record *r)
{
    struct trace_op *op =
        grow(r, (void **)&t->ops, &t->num_ops, sizeof *t->ops);

    if (!op)
        return false;
    op->at = op->grid = op->block = "";
    if (!read_op_words(r, op) || !tl_record_need_number(r, "id", &op->id) ||
        !tl_record_need_index(r, "device", TRACE_MAX_DEVICES, &op->device) ||
        !tl_record_need_number(r, "stream", &op->stream) ||
        !tl_record_need_number(r, "start_ns", &op->start_ns) ||
        !tl_record_need_number(r, "end_ns", &op->end_ns) ||
        !tl_record_may_number(r, "bytes", &op->bytes) ||
        !tl_record_may_number(r, "work", &op->work) ||
        !tl_record_may_number(r, "call", &op->call) ||
        !tl_record_may_index(r, "peer", TRACE_MAX_DEVICES, &op->peer) ||
        !tl_record_may_string(r, "name", &op->name) ||
        !tl_record_may_string(r, "at", &op->at) ||
        !tl_record_may_string(r, "grid", &op->grid) ||
        !tl_record_may_string(r, "block", &op->block))
        return false;
    if (op->id == 0)
        return tl_record_fail(r, "id=0 is not an id");
    return read_after(t, r, op) && check_times(r, op->start_ns, op->end_ns);
}

/* Both absences differ from number 0, which is a stream and a device. */
static bool read_call(struct trace *t, struct record *r)
{
    struct trace_call *call =
        grow(r, (void **)&t->calls, &t->num_calls, sizeof *t->calls);

    if (!call)
        return false;
    call->at = "";
    call->stream = TRACE_NO_STREAM;
    call->asked = TRACE_NO_DEVICE;
    if (!tl_record_need_number(r, "id", &call->id) ||
        !tl_record_need_string(r, "name", &call->name) ||
        !tl_record_need_number(r, "start_ns", &call->start_ns) ||
        !tl_record_need_number(r, "end_ns", &call->end_ns) ||
        !tl_record_may_number(r, "thread", &call->thread) ||
        !tl_record_may_number(r, "stream", &call->stream) ||
        !tl_record_may_index(r, "device", TRACE_MAX_DEVICES, &call->device) ||
        !tl_record_may_index(r, "asked", TRACE_MAX_DEVICES, &call->asked) ||
        !tl_record_may_string(r, "at", &call->at))
        return false;
    if (call->id == 0)
        return tl_record_fail(r, "id=0 is not an id");
    return check_times(r, call->start_ns, call->end_ns);
}

static bool read_mark(struct trace *t, struct record *r)
{
    struct trace_mark *mark =
        grow(r, (void **)&t->marks, &t->num_marks, sizeof *t->marks);
    unsigned start;

    if (!mark || !tl_record_need_word(r, "what", mark_words, 2, &start) ||
        !tl_record_need_number(r, "t_ns", &mark->t_ns))
        return false;
    mark->start = start;
    return true;
}

/* Sides name operations and calls by id, but need not find them: a recorder may
 * have lost some. What is missing is 0 or "".
 */
static bool read_hazard(struct trace *t, struct record *r)
{
    struct trace_hazard *h =
        grow(r, (void **)&t->hazards, &t->num_hazards, sizeof *t->hazards);
    unsigned kind;

    if (!h || !tl_record_need_word(r, "kind", hazard_words, 3, &kind))
        return false;
    h->kind = hazard_words[kind];
    h->first_at = h->second_at = h->why = "";
    h->has_range = tl_record_get(r, "lo") && tl_record_get(r, "hi");
    return tl_record_may_number(r, "first_op", &h->first_op) &&
           tl_record_may_number(r, "first_call", &h->first_call) &&
           tl_record_may_number(r, "second_op", &h->second_op) &&
           tl_record_may_number(r, "second_call", &h->second_call) &&
           tl_record_may_number(r, "buffer", &h->buffer) &&
           tl_record_may_number(r, "lo", &h->lo) &&
           tl_record_may_number(r, "hi", &h->hi) &&
           tl_record_may_string(r, "first_at", &h->first_at) &&
           tl_record_may_string(r, "second_at", &h->second_at) &&
           tl_record_may_string(r, "why", &h->why);
}

static bool read_note(struct trace *t, struct record *r)
{
    const char **note =
        grow(r, (void **)&t->notes, &t->num_notes, sizeof *t->notes);

    return note && tl_record_need_string(r, "text", note);
}

static bool read_event(struct trace *t, struct record *r)
{
    struct trace_event *e =
        grow(r, (void **)&t->events, &t->num_events, sizeof *t->events);

    if (!e)
        return false;
    e->name = e->at = "";
    e->t_ns = TRACE_NO_TIME;
    return tl_record_need_number(r, "id", &e->id) &&
           tl_record_need_index(r, "device", TRACE_MAX_DEVICES, &e->device) &&
           tl_record_need_number(r, "stream", &e->stream) &&
           tl_record_may_number(r, "call", &e->call) &&
           tl_record_may_number(r, "t_ns", &e->t_ns) &&
           tl_record_may_string(r, "name", &e->name) &&
           tl_record_may_string(r, "at", &e->at);
}

static bool read_wait(struct trace *t, struct record *r)
{
    struct trace_wait *w =
        grow(r, (void **)&t->waits, &t->num_waits, sizeof *t->waits);

    if (!w)
        return false;
    w->at = "";
    return tl_record_need_number(r, "id", &w->id) &&
           tl_record_may_number(r, "event", &w->event) &&
           tl_record_may_number(r, "stream", &w->stream) &&
           tl_record_may_number(r, "call", &w->call) &&
           tl_record_may_string(r, "at", &w->at);
}

static bool read_stream(struct trace *t, struct record *r)
{
    struct trace_stream *s =
        grow(r, (void **)&t->streams, &t->num_streams, sizeof *t->streams);

    return s && tl_record_need_number(r, "number", &s->number) &&
           tl_record_need_index(r, "device", TRACE_MAX_DEVICES, &s->device) &&
           tl_record_need_string(r, "name", &s->name);
}

static bool read_range(struct trace *t, struct record *r)
{
    struct trace_range *range =
        grow(r, (void **)&t->ranges, &t->num_ranges, sizeof *t->ranges);

    if (!range)
        return false;
    range->at = "";
    return tl_record_need_string(r, "name", &range->name) &&
           tl_record_may_number(r, "thread", &range->thread) &&
           tl_record_need_number(r, "start_ns", &range->start_ns) &&
           tl_record_need_number(r, "end_ns", &range->end_ns) &&
           tl_record_may_string(r, "at", &range->at) &&
           check_times(r, range->start_ns, range->end_ns);
}

static bool read_result(struct trace *t, struct record *r)
{
    return tl_record_need_string(r, "failed", &t->failed);
}

/* The writer said how many there are; a line that was lost on the way, for
 * instance in a full file system, is noticed. */
static bool check_count(struct record *r, const char *key, size_t found)
{
    uint64_t number = found;

    if (!tl_record_may_number(r, key, &number))
        return false;
    if (number != found)
        return tl_record_fail(r,
                              "%s=%s, but the file holds %zu: lines are lost",
                              key, tl_record_get(r, key), found);
    return true;
}

static bool read_end(struct trace *t, struct record *r, size_t records)
{
    uint64_t unused;

    if (!tl_record_need_number(r, "records", &unused))
        return false;
    t->complete = true;
    return check_count(r, "records", records) &&
           check_count(r, "ops", t->num_ops) &&
           check_count(r, "calls", t->num_calls);
}

/* In the order of how frequent they are: most lines are operations or calls. */
static bool read_record(struct trace *t, struct record *r, size_t records)
{
    static const struct {
        const char *kind;
        bool (*read)(struct trace *, struct record *);
    } readers[] = {{"op", read_op},           {"call", read_call},
                   {"device", read_device},   {"mark", read_mark},
                   {"hazard", read_hazard},   {"note", read_note},
                   {"x-event", read_event},   {"x-wait", read_wait},
                   {"x-stream", read_stream}, {"x-range", read_range},
                   {"x-result", read_result}};

    if (t->complete)
        return tl_record_fail(r, "a record after the end record");
    if (records >= TRACE_MAX_RECORDS)
        return tl_record_fail(r, "more than %u records", TRACE_MAX_RECORDS);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(r->kind, readers[i].kind) == 0)
            return readers[i].read(t, r);
    if (strcmp(r->kind, "end") == 0)
        return read_end(t, r, records);
    if (strncmp(r->kind, "x-", 2) == 0)
        return true;
    return tl_record_fail(r, "'%.32s' is not a kind of record", r->kind);
}

static bool fail_file(struct trace_error *err, size_t line, const char *text)
{
    err->line = line;
    snprintf(err->text, sizeof err->text, "%s", text);
    return false;
}

/* A file of a later version deserves another message than one that is no trace
 * at all. */
static bool check_first_line(const char *text, size_t len,
                             struct trace_error *err)
{
    static const char family[] = "cuda-streams-lab trace ";

    if (len == sizeof TRACE_FIRST_LINE - 1 &&
        memcmp(text, TRACE_FIRST_LINE, len) == 0)
        return true;
    if (len > sizeof family - 1 && memcmp(text, family, sizeof family - 1) == 0)
        return fail_file(err, 1,
                         "this version of the format is not known "
                         "here (known: 1)");
    return fail_file(
        err, 1, "not a trace: the first line must be '" TRACE_FIRST_LINE "'");
}

/* Read all lines. Each is cut out in place: its newline becomes a terminator. A
 * last line without newline is a damaged one, also where it could be read: its
 * last number may have lost digits.
 */
static bool read_lines(struct trace *t, bool partial, struct trace_error *err)
{
    char *at = t->text, *stop = t->text + t->text_len;
    size_t records = 0;
    struct record r;

    for (size_t line = 1; at < stop; line++) {
        char *newline = memchr(at, '\n', (size_t)(stop - at));
        char *next = newline ? newline + 1 : stop;
        size_t len = (size_t)((newline ? newline : stop) - at);

        if (line == 1) {
            if (!check_first_line(at, len, err))
                return false;
        } else if (!newline && partial) {
            break;
        } else if (!newline) {
            return fail_file(err, line,
                             "truncated: the last line is cut "
                             "(--partial shows what is there)");
        } else if (len > 0 && *at != '#') {
            if (!tl_record_split(at, len, line, &r, err) ||
                !read_record(t, &r, records))
                return false;
            records++;
        }
        at = next;
    }
    if (!t->complete && !partial)
        return fail_file(err, 0,
                         "truncated: there is no end record "
                         "(--partial shows what is there)");
    return true;
}

static int order_ids(const void *a, const void *b)
{
    return order_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static bool twice(struct trace_error *err, const char *what, uint64_t id)
{
    err->line = 0;
    snprintf(err->text, sizeof err->text, "%s id %" PRIu64 " is given twice",
             what, id);
    return false;
}

/* On a copy: the operations themselves are in the order of time. */
static bool check_op_ids(const struct trace *t, struct trace_error *err)
{
    uint64_t *ids = malloc((t->num_ops + 1) * sizeof *ids);
    bool good = true;

    if (!ids)
        return fail_file(err, 0, "out of memory");
    for (size_t i = 0; i < t->num_ops; i++)
        ids[i] = t->ops[i].id;
    qsort(ids, t->num_ops, sizeof *ids, order_ids);
    for (size_t i = 1; good && i < t->num_ops; i++)
        if (ids[i] == ids[i - 1])
            good = twice(err, "op", ids[i]);
    free(ids);
    return good;
}

static bool finish(struct trace *t, struct trace_error *err)
{
    trace_sort(t);
    for (size_t i = 1; i < t->num_calls; i++)
        if (t->calls[i].id == t->calls[i - 1].id)
            return twice(err, "call", t->calls[i].id);
    return check_op_ids(t, err);
}

/* The byte behind the text is the terminator of the last line. */
enum trace_status trace_read_memory(char *text, size_t len, bool partial,
                                    struct trace *t, struct trace_error *err)
{
    memset(t, 0, sizeof *t);
    t->text = text;
    t->text_len = len;
    text[len] = '\0';
    if (len == 0 ? fail_file(err, 0, "the file is empty")
                 : read_lines(t, partial, err) && finish(t, err))
        return TRACE_OK;
    trace_free(t);
    return TRACE_DAMAGED;
}
