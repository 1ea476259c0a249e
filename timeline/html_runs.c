/* html_runs.c: what each run means, in words and in figures
 *
 * For two pages: that of timeline and that of the report. The words stand
 * first, since they are the answer; the figures, which prove it, are folded.
 */
#include "html_runs.h"

#include "compare.h"
#include "difference.h"
#include "explain.h"
#include "micro.h"
#include "scale.h"

#include <string.h>

static void put_time(const struct view *views, size_t i, struct out *o)
{
    char time[16], ratio[COMPARE_ROOM];

    tl_out_text(o, "<dt>");
    tl_out_xml(o, views[i].title);
    tl_out_print(o, ": %s", tl_scale_time(views[i].span_ns, time));
    if (i > 0) {
        tl_out_text(o, ", ");
        tl_out_xml(o, tl_compare(&views[0], &views[i], ratio));
    }
    tl_out_text(o, "</dt>");
}

/* Line by line, because an escape of a newline would be a question mark. */
static void put_figures(char *lines, struct out *o)
{
    tl_out_text(o, "<details><summary>Figures</summary><pre>");
    for (char *line = lines; line && *line;) {
        char *end = strchr(line, '\n');

        *end = '\0';
        tl_out_xml(o, line);
        tl_out_text(o, "\n");
        line = end + 1;
    }
    tl_out_text(o, "</pre></details>\n");
}

/* What it does otherwise than the first one, where they can be compared. */
static void put_difference(const struct stats *first, const struct stats *s,
                           struct out *o)
{
    char ratio[COMPARE_ROOM];

    if (s == first || strncmp(tl_compare(first->view, s->view, ratio),
                              "not compared", 12) == 0)
        return;
    tl_out_text(o, " ");
    tl_difference_explain(first, s, o);
}

static void put_run(const struct view *views, size_t i, const struct stats *s,
                    const struct stats *first, struct out *o)
{
    put_time(views, i, o);
    tl_out_text(o, "<dd>");
    tl_explain_run(s, o);
    for (size_t k = 0; k < s->view->trace->num_orders; k++) {
        const struct trace_order *const order = &s->view->trace->orders[k];

        if (!tl_stats_has_order(s, order))
            continue;
        tl_out_text(o, "<br>");
        tl_out_xml(o, order->at);
        tl_out_text(o, ": ");
        tl_out_xml(o, order->text);
    }
    put_difference(first, s, o);
}

void tl_html_put_runs(const struct view *views, size_t num, const char *hazards,
                      struct out *o)
{
    struct out figures = {0}, words = {0};
    struct stats first = {0}, other = {0};

    tl_out_text(o, "<dl class=\"runs\">\n");
    for (size_t i = 0; i < num; i++) {
        const size_t found = views[i].trace->num_hazards;
        struct stats *s = i ? &other : &first;

        if (!tl_stats_make(&views[i], s)) {
            o->failed = true;
            break;
        }
        put_run(views, i, s, &first, &words);
        if (hazards && found)
            tl_out_print(&words,
                         " <a class=\"bad\" href=\"%s\">%zu hazard%s</a>",
                         hazards, found, found == 1 ? "" : "s");
        tl_out_text(&words, "</dd>\n");
        tl_explain_figures(s, &figures);
        tl_out_text(&figures, "\n"); /* an empty line between two runs */
        tl_stats_free(&other);
    }
    tl_stats_free(&first);
    tl_out_text(&words, "</dl>\n");
    put_figures(figures.data, &words);
    tl_out_free(&figures);
    tl_micro_put(&words, o);
}
