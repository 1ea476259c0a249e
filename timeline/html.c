/* html.c: an interactive page in one file
 *
 * One file, so that it can be mailed, kept and opened without a server or a
 * network: style, scripts and data are all inside, and the policy in its head
 * forbids everything else. Names out of a trace are foreign text; with that
 * policy a mistake in an escape could still load nothing.
 *
 * Who has no scripts sees the same run: the words, a picture, the hazards.
 */
#include "html.h"

#include "html_data.h"
#include "html_hazard.h"
#include "html_runs.h"
#include "micro.h"
#include "page.h"
#include "svg.h"

#include <string.h>

static void put_titles(const struct view *views, size_t num,
                       const char *heading, struct out *o)
{
    tl_out_xml(o, heading ? heading : "");
    tl_out_text(o, heading ? ". Timeline: " : "Timeline: ");
    for (size_t i = 0; i < num; i++) {
        tl_out_text(o, i ? ", " : "");
        tl_out_xml(o, views[i].title);
    }
}

/* The id is what tl_html_put_runs() below links to. */
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

/* "NVIDIA H200 (virtual GPU)", each one once, and the day of the record. */
static void put_machine(const struct view *views, size_t num, struct out *o)
{
    const char *last = "";
    bool any = false;

    tl_out_text(o, "<p class=\"machine\">");
    for (size_t i = 0; i < num; i++)
        for (size_t d = 0; d < views[i].trace->num_devices; d++) {
            const struct trace_device *device = &views[i].trace->devices[d];

            if (strcmp(device->name, last) == 0)
                continue;
            last = device->name;
            tl_out_text(o, any ? ", " : "");
            tl_out_xml(o, device->name);
            tl_out_text(o, strcmp(device->backend, "vgpu") == 0
                               ? " (virtual GPU)"
                               : "");
            any = true;
        }
    if (num > 0 && views[0].recorded) {
        tl_out_print(o, "%s<span class=\"day\">", any ? ", " : "");
        tl_out_xml(o, views[0].recorded);
        tl_out_text(o, "</span>");
    }
    tl_out_text(o, "</p>\n");
}

void tl_html_put_scripts(struct out *o)
{
    tl_out_text(o, timeline_page_js);
    tl_out_text(o, timeline_waits_js);
    tl_out_text(o, timeline_overview_js);
    tl_out_text(o, timeline_panes_js);
    tl_out_text(o, timeline_input_js);
}

void tl_html_draw(const struct view *engine_views,
                  const struct view *stream_views, size_t num, enum view_by by,
                  const char *folder, const char *heading, struct out *o)
{
    /* The parts in page/ are fixed text of ours; all else is escaped. */
    tl_out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, "
                   "initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\""
                   "default-src 'none'; style-src 'unsafe-inline'; "
                   "script-src 'unsafe-inline'\">\n<title>");
    put_titles(engine_views, num, heading, o);
    tl_out_text(o, "</title>\n<style>\n");
    tl_out_text(o, timeline_page_css);
    tl_out_text(o, "</style>\n</head>\n<body>\n<main>\n<h1>");
    put_titles(engine_views, num, heading, o);
    tl_out_text(o, "</h1>\n");
    put_machine(engine_views, num, o);
    tl_html_put_runs(engine_views, num, "#hazards", o);
    tl_out_text(o, "<noscript><div class=\"static\" tabindex=\"0\">\n");
    tl_svg_draw(by == VIEW_BY_STREAM ? stream_views : engine_views, num, "tl",
                o);
    tl_out_text(o, "</div></noscript>\n<div id=\"picture\"></div>\n");
    tl_out_text(o, timeline_page_html);
    put_hazard_section(engine_views, num, folder, o);
    tl_out_text(o, "</main>\n");
    tl_out_text(o, "<script type=\"application/json\" id=\"data\">");
    tl_html_put_data(engine_views, stream_views, num, by, folder, o);
    tl_out_text(o, "</script>\n<script>\n");
    tl_html_put_scripts(o);
    tl_out_text(o, "</script>\n</body>\n</html>\n");
}
