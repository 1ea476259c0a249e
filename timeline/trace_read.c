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

/* ---- keys by the table ----------------------------------------------------
 */

/* Where the keys of records go that are no part of a trace as they are. */
struct trace_note {
    const char *text;
};
struct trace_result {
    const char *failed;
};
struct trace_end {
    uint64_t records, ops, calls;
};

enum type { NUMBER, COUNT, DEVICE, TEXT, KIND, ENGINE, MEM };
enum { NEED, MAY };

/* One after the other as the records are, each with the first of its keys. */
static const struct key {
    const char *name;
    size_t at; /* in the record's structure */
    enum type type;
    int need;
} keys[] = {
#define KEY(RECORD, NAME, TYPE, NEED, MEANING)                                 \
    {#NAME, offsetof(struct trace_##RECORD, NAME), TYPE, NEED},
#include "vgpu/trace.def"
};

enum {
#define RECORD(NAME, WORD)                     FIRST_##NAME, BEFORE_##NAME = FIRST_##NAME - 1,
#define KEY(RECORD, NAME, TYPE, NEED, MEANING) AT_##RECORD##_##NAME,
#include "vgpu/trace.def"
    NUM_KEYS
};

static const size_t first_keys[] = {
#define RECORD(NAME, WORD) FIRST_##NAME,
#include "vgpu/trace.def"
    NUM_KEYS};

static bool read_word(struct record *r, const struct key *key,
                      const char *const *words, unsigned num, void *into)
{
    unsigned word;

    if (!tl_record_word(r, key->name, words, num, &word))
        return false;
    *(unsigned *)into = word; /* an enumeration without a value below 0 */
    return true;
}

static bool read_key(struct record *r, const struct key *key, void *into)
{
    switch (key->type) {
    case NUMBER:
        return tl_record_number(r, key->name, into);
    case COUNT:
        return tl_record_index(r, key->name, 1000000, into);
    case DEVICE:
        return tl_record_index(r, key->name, TRACE_MAX_DEVICES, into);
    case TEXT:
        *(const char **)into = tl_record_get(r, key->name);
        return true;
    case KIND:
        return read_word(r, key, trace_kind_words, TRACE_NUM_KINDS, into);
    case ENGINE:
        return read_word(r, key, trace_engine_words, TRACE_NUM_ENGINES, into);
    case MEM:
        return read_word(r, key, trace_mem_words, TRACE_NUM_MEMS, into);
    }
    return false;
}

/* All keys that the table has for a record, into its structure. What is missing
 * and may be stays as it is there; a text is "" instead of nothing. */
static bool read_keys(struct record *r, enum trace_record_kind kind,
                      void *structure)
{
    for (size_t i = first_keys[kind]; i < first_keys[kind + 1]; i++) {
        const struct key *const key = &keys[i];
        void *const into = (char *)structure + key->at;

        if (key->type == TEXT && *(const char **)into == NULL)
            *(const char **)into = "";
        if (!tl_record_get(r, key->name)) {
            if (key->need == NEED)
                return tl_record_lacks(r, key->name);
        } else if (!read_key(r, key, into)) {
            return false;
        }
    }
    return true;
}

/* ---- records ---------------------------------------------------------------
 */

/* Into a local first: the search for its index must not find itself. */
static bool read_device(struct trace *t, struct record *r)
{
    struct trace_device d = {0}, *slot;

    if (!read_keys(r, TRACE_RECORD_device, &d))
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

static bool check_id(struct record *r, uint64_t id)
{
    return id > 0 || tl_record_fail(r, "id=0 is not an id");
}

/* after=1,2,3: the ids of all operations stand in one array, because most have
 * one or two. */
static bool read_ids(struct record *r, enum trace_key key, uint64_t **array,
                     size_t *num)
{
    const char *const name = trace_key_name(key);
    const char *rest = tl_record_get(r, name);

    while (rest) {
        uint64_t id, *slot;

        if (!tl_record_next_number(r, name, &rest, &id))
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
    if (!read_ids(r, TRACE_op_after, &t->after, &t->num_after) ||
        !read_ids(r, TRACE_op_via, &t->via, &t->num_via))
        return false;
    op->num_after = t->num_after - op->after_at;
    op->num_via = t->num_via - op->via_at;
    return true;
}

/* The element is made first and filled in place. Where that fails the trace is
 * dropped as a whole, so that half an element is never seen. An operation
 * without a name has that of its kind.
 */
static bool read_op(struct trace *t, struct record *r)
{
    struct trace_op *op =
        grow(r, (void **)&t->ops, &t->num_ops, sizeof *t->ops);

    if (!op || !read_keys(r, TRACE_RECORD_op, op))
        return false;
    if (!tl_record_get(r, trace_key_name(TRACE_op_name)))
        op->name = trace_kind_words[op->kind];
    return check_id(r, op->id) && read_after(t, r, op) &&
           check_times(r, op->start_ns, op->end_ns);
}

/* Both absences differ from number 0, which is a stream and a device. */
static bool read_call(struct trace *t, struct record *r)
{
    struct trace_call *call =
        grow(r, (void **)&t->calls, &t->num_calls, sizeof *t->calls);

    if (!call)
        return false;
    call->stream = TRACE_NO_STREAM;
    call->asked = TRACE_NO_DEVICE;
    return read_keys(r, TRACE_RECORD_call, call) && check_id(r, call->id) &&
           check_times(r, call->start_ns, call->end_ns);
}

static bool read_mark(struct trace *t, struct record *r)
{
    struct trace_mark *mark =
        grow(r, (void **)&t->marks, &t->num_marks, sizeof *t->marks);
    unsigned start;

    if (!mark || !tl_record_word(r, trace_key_name(TRACE_mark_what), mark_words,
                                 2, &start))
        return false;
    mark->start = start;
    return read_keys(r, TRACE_RECORD_mark, mark);
}

/* Sides name operations and calls by id, but need not find them: a recorder may
 * have lost some. What is missing is 0 or "".
 */
static bool read_hazard(struct trace *t, struct record *r)
{
    struct trace_hazard *h =
        grow(r, (void **)&t->hazards, &t->num_hazards, sizeof *t->hazards);
    unsigned kind;

    if (!h || !tl_record_word(r, trace_key_name(TRACE_hazard_kind),
                              hazard_words, 3, &kind))
        return false;
    h->kind = hazard_words[kind];
    h->has_range = tl_record_get(r, trace_key_name(TRACE_hazard_lo)) &&
                   tl_record_get(r, trace_key_name(TRACE_hazard_hi));
    return read_keys(r, TRACE_RECORD_hazard, h);
}

static bool read_note(struct trace *t, struct record *r)
{
    const char **slot =
        grow(r, (void **)&t->notes, &t->num_notes, sizeof *t->notes);
    struct trace_note note = {0};

    if (!slot || !read_keys(r, TRACE_RECORD_note, &note))
        return false;
    *slot = note.text;
    return true;
}

static bool read_event(struct trace *t, struct record *r)
{
    struct trace_event *e =
        grow(r, (void **)&t->events, &t->num_events, sizeof *t->events);

    if (!e)
        return false;
    e->t_ns = TRACE_NO_TIME;
    return read_keys(r, TRACE_RECORD_event, e);
}

static bool read_wait(struct trace *t, struct record *r)
{
    struct trace_wait *w =
        grow(r, (void **)&t->waits, &t->num_waits, sizeof *t->waits);

    return w && read_keys(r, TRACE_RECORD_wait, w);
}

static bool read_stream(struct trace *t, struct record *r)
{
    struct trace_stream *s =
        grow(r, (void **)&t->streams, &t->num_streams, sizeof *t->streams);

    return s && read_keys(r, TRACE_RECORD_stream, s);
}

static bool read_range(struct trace *t, struct record *r)
{
    struct trace_range *range =
        grow(r, (void **)&t->ranges, &t->num_ranges, sizeof *t->ranges);

    return range && read_keys(r, TRACE_RECORD_range, range) &&
           check_times(r, range->start_ns, range->end_ns);
}

static bool read_order(struct trace *t, struct record *r)
{
    struct trace_order *order =
        grow(r, (void **)&t->orders, &t->num_orders, sizeof *t->orders);

    return order && read_keys(r, TRACE_RECORD_order, order);
}

static bool read_result(struct trace *t, struct record *r)
{
    struct trace_result result = {0};

    if (!read_keys(r, TRACE_RECORD_result, &result))
        return false;
    t->failed = result.failed;
    return true;
}

/* The writer said how many there are; a line that was lost on the way, for
 * instance in a full file system, is noticed. */
static bool check_count(struct record *r, enum trace_key key, uint64_t said,
                        size_t found)
{
    const char *const name = trace_key_name(key);

    if (tl_record_get(r, name) && said != found)
        return tl_record_fail(r,
                              "%s=%s, but the file holds %zu: lines are lost",
                              name, tl_record_get(r, name), found);
    return true;
}

static bool read_end(struct trace *t, struct record *r, size_t records)
{
    struct trace_end end = {0};

    if (!read_keys(r, TRACE_RECORD_end, &end))
        return false;
    t->complete = true;
    return check_count(r, TRACE_end_records, end.records, records) &&
           check_count(r, TRACE_end_ops, end.ops, t->num_ops) &&
           check_count(r, TRACE_end_calls, end.calls, t->num_calls);
}

/* In the order of how frequent they are: most lines are operations or calls. */
static bool read_record(struct trace *t, struct record *r, size_t records)
{
    static bool (*const readers[])(struct trace *, struct record *) = {
        [TRACE_RECORD_op] = read_op,
        [TRACE_RECORD_call] = read_call,
        [TRACE_RECORD_device] = read_device,
        [TRACE_RECORD_mark] = read_mark,
        [TRACE_RECORD_hazard] = read_hazard,
        [TRACE_RECORD_note] = read_note,
        [TRACE_RECORD_event] = read_event,
        [TRACE_RECORD_wait] = read_wait,
        [TRACE_RECORD_stream] = read_stream,
        [TRACE_RECORD_range] = read_range,
        [TRACE_RECORD_order] = read_order,
        [TRACE_RECORD_result] = read_result,
    };
    unsigned kind = 0;

    if (t->complete)
        return tl_record_fail(r, "a record after the end record");
    if (records >= TRACE_MAX_RECORDS)
        return tl_record_fail(r, "more than %u records", TRACE_MAX_RECORDS);
    while (kind < TRACE_NUM_RECORDS &&
           strcmp(r->kind, trace_record_word(kind)) != 0)
        kind++;
    if (kind == TRACE_RECORD_end)
        return read_end(t, r, records);
    if (kind < TRACE_NUM_RECORDS)
        return readers[kind](t, r);
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
