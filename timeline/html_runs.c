/* html_runs.c: what each run means, in words and in figures
 *
 * For two pages: that of timeline and that of the report. The words stand
 * first, since they are the answer; the figures, which prove it, are folded.
 */
#include "html_runs.h"

#include "compare.h"
#include "explain.h"
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

void tl_html_put_runs(const struct view *views, size_t num, const char *hazards,
                      struct out *o)
{
    struct out figures = {0};

    tl_out_text(o, "<dl class=\"runs\">\n");
    for (size_t i = 0; i < num; i++) {
        const size_t found = views[i].trace->num_hazards;
        struct stats s;

        if (!tl_stats_make(&views[i], &s)) {
            o->failed = true;
            break;
        }
        put_time(views, i, o);
        tl_out_text(o, "<dd>");
        tl_explain_run(&s, o);
        if (hazards && found)
            tl_out_print(o, " <a class=\"bad\" href=\"%s\">%zu hazard%s</a>",
                         hazards, found, found == 1 ? "" : "s");
        tl_out_text(o, "</dd>\n");
        tl_explain_figures(&s, &figures);
        tl_out_text(&figures, "\n"); /* an empty line between two runs */
        tl_stats_free(&s);
    }
    tl_out_text(o, "</dl>\n");
    put_figures(figures.text, o);
    tl_out_free(&figures);
}
