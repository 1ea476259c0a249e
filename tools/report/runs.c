/* runs.c: the timelines of a lab's runs, for the report */
#include "runs.h"

#include "html.h"
#include "html_hazard.h"
#include "scale.h"
#include "stats.h"
#include "svg.h"

#include <string.h>

struct runs {
    struct trace traces[RUNS_MAX];
    struct view engines[RUNS_MAX], streams[RUNS_MAX];
    unsigned num;
};

static void load(struct runs *runs, const char *file, const char *title,
                 struct out *o)
{
    unsigned i = runs->num;
    struct trace_error err = {0, ""};
    enum trace_status status = trace_read(file, false, &runs->traces[i], &err);

    if (status == TRACE_NO_FILE)
        return;
    if (status == TRACE_OK) {
        if (tl_view_make(&runs->traces[i], VIEW_BY_ENGINE, title,
                         &runs->engines[i]) &&
            tl_view_make(&runs->traces[i], VIEW_BY_STREAM, title,
                         &runs->streams[i]))
            runs->num++;
        else
            o->failed = true;
        return;
    }
    tl_out_text(o, "<p class=\"note\">The timeline of <em>");
    tl_out_xml(o, title);
    tl_out_text(o, "</em> cannot be read: ");
    tl_out_xml(o, err.text);
    tl_out_text(o, ".</p>\n");
}

/* What each run means; and all figures, folded. */
static void put_words(const struct runs *runs, struct out *o)
{
    struct out figures = {0};
    char time[16], ratio[32];

    tl_out_text(o, "<dl class=\"runs\">\n");
    for (unsigned i = 0; i < runs->num; i++) {
        const struct view *v = &runs->engines[i];
        struct stats s;

        if (!tl_stats_make(v, &s)) {
            o->failed = true;
            break;
        }
        tl_out_text(o, "<dt>");
        tl_out_xml(o, v->title);
        tl_out_print(o, ": %s", tl_scale_time(v->span_ns, time));
        if (i > 0)
            tl_out_print(
                o, ", %s",
                tl_scale_compare(runs->engines[0].span_ns, v->span_ns, ratio));
        tl_out_text(o, "</dt><dd>");
        tl_stats_explain(&s, o);
        tl_out_text(o, "</dd>\n");
        tl_stats_report(&s, &figures);
        tl_out_text(&figures, "\n");
        tl_stats_free(&s);
    }
    tl_out_text(o, "</dl>\n<details><summary>Figures</summary>\n<pre>");
    for (char *line = strtok(figures.text, "\n"); line;
         line = strtok(NULL, "\n")) {
        tl_out_xml(o, line);
        tl_out_text(o, "\n");
    }
    tl_out_text(o, "</pre></details>\n");
    tl_out_free(&figures);
}

static void put_hazards(const struct runs *runs, struct out *o)
{
    for (unsigned i = 0; i < runs->num; i++)
        if (runs->traces[i].num_hazards) {
            tl_out_text(o, "<h3>Hazards: ");
            tl_out_xml(o, runs->engines[i].title);
            tl_out_text(o, "</h3>\n");
            tl_html_put_hazards(&runs->engines[i], ".", o);
        }
}

void runs_put(const char *const *files, const char *const *titles, unsigned num,
              const char *id, struct out *o)
{
    struct runs runs = {.num = 0};

    for (unsigned i = 0; i < num && runs.num < RUNS_MAX; i++)
        load(&runs, files[i], titles[i], o);
    if (runs.num > 0) {
        tl_out_text(o, "<figure class=\"timeline\">\n");
        tl_svg_draw(runs.engines, runs.num, id, o);
        tl_out_text(o, "</figure>\n");
        tl_out_print(o,
                     "<p class=\"tools\" hidden><button type=\"button\" "
                     "data-explore=\"%s\" aria-expanded=\"false\">Zoom and "
                     "explore</button></p>\n"
                     "<script type=\"application/json\" id=\"%s-data\">",
                     id, id);
        tl_html_put_data(runs.engines, runs.streams, runs.num, VIEW_BY_ENGINE,
                         ".", o);
        tl_out_text(o, "</script>\n");
        put_words(&runs, o);
        put_hazards(&runs, o);
    }
    for (unsigned i = 0; i < runs.num; i++) {
        tl_view_free(&runs.engines[i]);
        tl_view_free(&runs.streams[i]);
        trace_free(&runs.traces[i]);
    }
}
