/* runs.c: the timelines of a lab's runs, for the report
 *
 * All in one picture on one scale: the baseline, the student's, the solution.
 * The picture is there without scripts; its data lie beside it, and report.js
 * makes the interactive page of them when somebody asks for it.
 */
#include "runs.h"

#include "html_data.h"
#include "html_hazard.h"
#include "html_runs.h"
#include "svg.h"
#include "trace_read.h"

struct runs {
    struct trace traces[RUNS_MAX];
    struct view engines[RUNS_MAX], streams[RUNS_MAX];
    unsigned num;
};

/* No file is no mistake: most labs have not been graded yet, or not traced. */
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
        tl_out_text(o, "<figure class=\"timeline\" tabindex=\"0\">\n");
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
        tl_html_put_runs(runs.engines, runs.num, NULL, o);
        put_hazards(&runs, o);
    }
    for (unsigned i = 0; i < runs.num; i++) {
        tl_view_free(&runs.engines[i]);
        tl_view_free(&runs.streams[i]);
        trace_free(&runs.traces[i]);
    }
}
