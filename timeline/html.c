/* html.c: an interactive page in one file */
#include "html.h"

#include "html_hazard.h"
#include "page.h"
#include "scale.h"
#include "sources.h"
#include "stats.h"
#include "svg.h"

#include <stdlib.h>
#include <string.h>

#include "number.h"

static unsigned long long ull(uint64_t number)
{
    return number;
}

/* Calls may lie before the region: times in it are signed. */
static long long since(const struct view *v, uint64_t t_ns)
{
    return (long long)t_ns - (long long)v->zero_ns;
}

/* One array for each operation; page.js names its places. */
static void put_ops(const struct view *v, struct out *o)
{
    tl_out_text(o, "\"ops\":[");
    for (size_t i = 0; i < v->num_ops; i++) {
        const struct trace_op *op = v->ops[i];

        tl_out_print(o,
                     "%s[%llu,\"%s\",\"%s\",%u,%llu,%lld,%lld,%llu,\"%s\","
                     "%llu,%u,",
                     i ? ",\n" : "\n", ull(op->id), trace_kind_word(op->kind),
                     trace_engine_word(op->engine), op->device, ull(op->stream),
                     since(v, op->start_ns), since(v, op->end_ns),
                     ull(op->bytes), op->mem ? trace_mem_word(op->mem) : "",
                     ull(op->call), op->peer);
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

/* Calls in the region, and calls that made an operation in it. */
static void put_calls(const struct view *v, struct out *o)
{
    uint64_t *ids = malloc((v->num_ops + 1) * sizeof(*ids));
    long long span = (long long)v->span_ns;
    bool any = false;

    if (!ids) {
        o->failed = true;
        return;
    }
    for (size_t i = 0; i < v->num_ops; i++)
        ids[i] = v->ops[i]->call;
    qsort(ids, v->num_ops, sizeof(*ids), order_ids);
    tl_out_text(o, "\"calls\":[");
    for (size_t i = 0; i < v->trace->num_calls; i++) {
        const struct trace_call *call = &v->trace->calls[i];
        long long start = since(v, call->start_ns);

        if ((start > span || since(v, call->end_ns) < 0) &&
            !bsearch(&call->id, ids, v->num_ops, sizeof(*ids), order_ids))
            continue;
        tl_out_print(o, "%s[%llu,%llu,%lld,%lld,", any ? ",\n" : "\n",
                     ull(call->id), ull(call->thread), start,
                     since(v, call->end_ns));
        tl_out_json(o, call->name);
        tl_out_text(o, ",");
        tl_out_json(o, call->at);
        tl_out_text(o, "]");
        any = true;
    }
    tl_out_text(o, "],\n");
    free(ids);
}

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

        tl_out_print(o, "%s{\"label\":\"%s\",\"busy\":%llu,\"ops\":[",
                     i ? ",\n" : "\n", row->label, ull(row->busy_ns));
        for (size_t k = 0; k < row->num_ops; k++) {
            const struct trace_op **at =
                bsearch(&row->ops[k], v->ops, v->num_ops, sizeof(*v->ops),
                        order_pointers);

            tl_out_print(o, "%s%zu", k ? "," : "", (size_t)(at - v->ops));
        }
        tl_out_text(o, "]}");
    }
    tl_out_text(o, "],\n");
}

static void put_hazards(const struct trace *t, struct out *o)
{
    tl_out_text(o, "\"hazards\":[");
    for (size_t i = 0; i < t->num_hazards; i++) {
        const struct trace_hazard *h = &t->hazards[i];

        tl_out_print(o, "%s[%llu,%llu,%llu,%llu,\"%s\",", i ? "," : "",
                     ull(h->first_op), ull(h->first_call), ull(h->second_op),
                     ull(h->second_call), h->kind);
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
    tl_out_print(o, "{\"by\":\"%s\",\"traces\":[\n",
                 by == VIEW_BY_STREAM ? "stream" : "engine");
    for (size_t i = 0; i < num; i++) {
        tl_out_text(o, i ? ",\n{\"title\":" : "{\"title\":");
        tl_out_json(o, engines[i].title);
        tl_out_print(o, ",\"span\":%llu,\n", ull(engines[i].span_ns));
        put_ops(&engines[i], o);
        put_calls(&engines[i], o);
        put_rows("engine", &engines[i], o);
        put_rows("stream", &streams[i], o);
        put_hazards(engines[i].trace, o);
    }
    tl_out_text(o, "],\n\"sources\":");
    tl_sources_put(engines, num, folder, o);
    tl_out_text(o, "}");
}

/* What holds without scripts, too: the time and the sentence of each run. */
static void put_runs(const struct view *views, size_t num, struct out *o)
{
    struct out report = {0};
    char time[16], ratio[32];

    tl_out_text(o, "<dl class=\"runs\">\n");
    for (size_t i = 0; i < num; i++) {
        struct stats s;

        if (!tl_stats_make(&views[i], &s)) {
            o->failed = true;
            break;
        }
        tl_out_text(o, "<dt>");
        tl_out_xml(o, views[i].title);
        tl_out_print(
            o, ": %s%s%s</dt><dd>", tl_scale_time(views[i].span_ns, time),
            i && views[i].num_rows ? ", " : "",
            i && views[i].num_rows
                ? tl_scale_compare(views[0].span_ns, views[i].span_ns, ratio)
                : "");
        tl_stats_explain(&s, o);
        if (views[i].trace->num_hazards)
            tl_out_print(o,
                         " <a class=\"bad\" href=\"#hazards\">%zu hazard%s</a>",
                         views[i].trace->num_hazards,
                         views[i].trace->num_hazards == 1 ? "" : "s");
        tl_out_text(o, "</dd>\n");
        tl_stats_report(&s, &report);
        tl_out_text(&report, "\n");
        tl_stats_free(&s);
    }
    tl_out_text(o, "</dl>\n<details><summary>Figures</summary><pre>");
    for (char *line = report.text; line && *line;) {
        char *end = strchr(line, '\n');

        *end = '\0';
        tl_out_xml(o, line);
        tl_out_text(o, "\n");
        line = end + 1;
    }
    tl_out_text(o, "</pre></details>\n");
    tl_out_free(&report);
}

static void put_hazard_section(const struct view *views, size_t num,
                               const char *folder, struct out *o)
{
    bool any = false;

    for (size_t i = 0; i < num; i++) {
        if (views[i].trace->num_hazards == 0)
            continue;
        tl_out_text(o,
                    any ? "" : "<section id=\"hazards\">\n<h2>Hazards</h2>\n");
        any = true;
        tl_out_text(o, "<h3>");
        tl_out_xml(o, views[i].title);
        tl_out_text(o, "</h3>\n");
        tl_html_put_hazards(&views[i], folder, o);
    }
    tl_out_text(o, any ? "</section>\n" : "");
}

void tl_html_draw(const struct view *engine_views,
                  const struct view *stream_views, size_t num, enum view_by by,
                  const char *folder, struct out *o)
{
    tl_out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, "
                   "initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\""
                   "default-src 'none'; style-src 'unsafe-inline'; "
                   "script-src 'unsafe-inline'\">\n<title>Timeline: ");
    for (size_t i = 0; i < num; i++) {
        tl_out_text(o, i ? ", " : "");
        tl_out_xml(o, engine_views[i].title);
    }
    tl_out_text(o, "</title>\n<style>\n");
    tl_out_text(o, timeline_page_css);
    tl_out_text(o, "</style>\n</head>\n<body>\n<main>\n<h1>Timeline</h1>\n");
    put_runs(engine_views, num, o);
    tl_out_text(o, "<noscript><div class=\"static\">\n");
    tl_svg_draw(by == VIEW_BY_STREAM ? stream_views : engine_views, num, "tl",
                o);
    tl_out_text(o, "</div></noscript>\n");
    tl_out_text(o, timeline_page_html);
    put_hazard_section(engine_views, num, folder, o);
    tl_out_text(o, "</main>\n");
    tl_out_text(o, "<script type=\"application/json\" id=\"data\">");
    tl_html_put_data(engine_views, stream_views, num, by, folder, o);
    tl_out_text(o, "</script>\n<script>\n");
    tl_out_text(o, timeline_page_js);
    tl_out_text(o, timeline_input_js);
    tl_out_text(o, "</script>\n</body>\n</html>\n");
}
