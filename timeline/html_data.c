/* html_data.c: what the scripts of a page draw, as one JSON value
 *
 * A trace of a lab has thousands of operations, one of a real program a
 * million: an operation is an array, and a row holds positions in the list of
 * operations and not the operations again. The first array of a list has the
 * names of the places.
 *
 * Times are whole nanoseconds from the start of the region. A JSON number is a
 * double, exact up to 2^53, which the reader of traces guarantees.
 */
#include "html_data.h"

#include "compare.h"
#include "html_waits.h"
#include "number.h"
#include "sources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Calls may lie before the region: times in it are signed. */
static int64_t since(const struct view *v, uint64_t t_ns)
{
    return (int64_t)t_ns - (int64_t)v->zero_ns;
}

void tl_html_put_names(struct out *o, const char *list, const char *names)
{
    const char *before = "[\"";

    tl_out_print(o, "\"%s\":[", list);
    while (*names) {
        const int length = (int)strcspn(names, " ");

        tl_out_print(o, "%s%.*s\"", before, length, names);
        before = ",\"";
        names += length + (names[length] == ' ');
    }
    tl_out_text(o, "]");
}

static void put_ops(const struct view *v, struct out *o)
{
    tl_html_put_names(o, "ops",
                      "id kind engine device stream start end bytes mem call "
                      "peer name at grid block");
    for (size_t i = 0; i < v->num_ops; i++) {
        const struct trace_op *op = v->ops[i];

        tl_out_print(o,
                     ",\n[%" PRIu64 ",\"%s\",\"%s\",%u,%" PRIu64 ",%" PRId64
                     ",%" PRId64 ",%" PRIu64 ",\"%s\","
                     "%" PRIu64 ",%u,",
                     op->id, trace_kind_words[op->kind],
                     trace_engine_words[op->engine], op->device, op->stream,
                     since(v, op->start_ns), since(v, op->end_ns), op->bytes,
                     op->mem ? trace_mem_words[op->mem] : "", op->call,
                     op->peer);
        tl_out_json(o, op->name);
        tl_out_text(o, ",");
        tl_out_json(o, op->at);
        tl_out_text(o, ",");
        tl_out_json(o, op->grid);
        tl_out_text(o, ",");
        tl_out_json(o, op->block);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "],\n");
}

static int order_ids(const void *a, const void *b)
{
    return order_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* A call may lie before the region and still be the one that a reader looks
 * for: a launch that queued work long before it ran. So the ids of the calls
 * of all operations are collected first, to be searched in.
 */
static void put_calls(const struct view *v, struct out *o)
{
    uint64_t *ids = malloc((v->num_ops + 1) * sizeof *ids);
    int64_t span = (int64_t)v->span_ns;

    if (!ids) {
        o->failed = true;
        return;
    }
    for (size_t i = 0; i < v->num_ops; i++)
        ids[i] = v->ops[i]->call;
    qsort(ids, v->num_ops, sizeof *ids, order_ids);
    tl_html_put_names(o, "calls", "id thread start end name at");
    for (size_t i = 0; i < v->trace->num_calls; i++) {
        const struct trace_call *call = &v->trace->calls[i];
        int64_t start = since(v, call->start_ns);

        if ((start > span || since(v, call->end_ns) < 0) &&
            !bsearch(&call->id, ids, v->num_ops, sizeof *ids, order_ids))
            continue;
        tl_out_print(o, ",\n[%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",",
                     call->id, call->thread, start, since(v, call->end_ns));
        tl_out_json(o, call->name);
        tl_out_text(o, ",");
        tl_out_json(o, call->at);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "],\n");
    free(ids);
}

/* Operations of a view point into one array of the trace, in the order of
 * time: their addresses are in that order, too. */
static int order_pointers(const void *a, const void *b)
{
    const struct trace_op *x = *(const struct trace_op *const *)a;
    const struct trace_op *y = *(const struct trace_op *const *)b;

    return x < y ? -1 : x > y;
}

/* Rows with their operations, as positions in "ops". */
static void put_rows(const char *key, const struct view *v, struct out *o)
{
    tl_out_print(o, "\"%s\":[", key);
    for (size_t i = 0; i < v->num_rows; i++) {
        const struct view_row *row = &v->rows[i];

        tl_out_print(o, "%s{\"label\":\"%s\",\"busy\":%" PRIu64 ",\"ops\":[",
                     i ? ",\n" : "\n", row->label, row->busy_ns);
        for (size_t k = 0; k < row->num_ops; k++) {
            const struct trace_op **at =
                bsearch(&row->ops[k], v->ops, v->num_ops, sizeof *v->ops,
                        order_pointers);

            tl_out_print(o, "%s%zu", k ? "," : "", (size_t)(at - v->ops));
        }
        tl_out_text(o, "]}");
    }
    tl_out_text(o, "],\n");
}

static void put_hazards(const struct trace *t, struct out *o)
{
    /* The kind is a word of the format, and checked; the rest is free text. */
    tl_html_put_names(o, "hazards",
                      "firstOp firstCall secondOp secondCall kind firstAt "
                      "secondAt why");
    for (size_t i = 0; i < t->num_hazards; i++) {
        const struct trace_hazard *h = &t->hazards[i];

        tl_out_print(
            o, ",\n[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",\"%s\",",
            h->first_op, h->first_call, h->second_op, h->second_call, h->kind);
        tl_out_json(o, h->first_at);
        tl_out_text(o, ",");
        tl_out_json(o, h->second_at);
        tl_out_text(o, ",");
        tl_out_json(o, h->why);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "]}");
}

void tl_html_put_data(const struct view *engines, const struct view *streams,
                      size_t num, enum view_by by, const char *folder,
                      struct out *o)
{
    char ratio[COMPARE_ROOM];

    tl_out_print(o, "{\"by\":\"%s\",\"traces\":[\n",
                 by == VIEW_BY_STREAM ? "stream" : "engine");
    for (size_t i = 0; i < num; i++) {
        tl_out_text(o, i ? ",\n{\"title\":" : "{\"title\":");
        tl_out_json(o, engines[i].title);
        tl_out_print(o,
                     ",\"span\":%" PRIu64 ",\"compared\":", engines[i].span_ns);
        tl_out_json(o, i ? tl_compare(&engines[0], &engines[i], ratio) : "");
        tl_out_text(o, ",\n");
        put_ops(&engines[i], o);
        put_calls(&engines[i], o);
        put_rows("engine", &engines[i], o);
        put_rows("stream", &streams[i], o);
        tl_html_put_waits(&engines[i], o);
        put_hazards(engines[i].trace, o);
    }
    tl_out_text(o, "],\n\"sources\":");
    tl_sources_put(engines, num, folder, o);
    tl_out_text(o, "}");
}
