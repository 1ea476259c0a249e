/* html_hazard.c: hazards in words, with their source lines
 *
 * A hazard is a sentence that a student has to believe: so both places are
 * quoted from the source, below the reason. A page of a
 * broken program may hold thousands; they are mostly the same mistake at
 * another place, and the first few are told.
 */
#include "html_hazard.h"

#include "hazard.h"
#include "sources.h"

#include <inttypes.h>
#include <string.h>

static void put_place(const char *what, const char *at, const char *folder,
                      struct out *o)
{
    tl_out_print(o, "<p>%s <code>", what);
    tl_out_xml(o, at);
    tl_out_text(o, "</code></p>\n");
    tl_sources_quote(at, folder, o);
}

/* A kernel's access is in the kernel; who looks for the mistake needs the
 * launch first. */
static void put_side(const struct view *v, const struct trace_hazard *h,
                     bool second, const char *folder, struct out *o)
{
    struct hazard_side side = tl_hazard_side(v, h, second);
    const char *call_at = side.op ? side.op->at : "";
    char name[160];

    tl_hazard_name_side(&side, name, sizeof name);
    tl_out_print(o, "<li><strong>%s: ", second ? "Second" : "First");
    tl_out_xml(o, name);
    tl_out_text(o, "</strong>\n");
    if (*call_at && strcmp(call_at, side.at) != 0) {
        put_place("made at", call_at, folder, o);
        if (*side.at)
            put_place("with the access at", side.at, folder, o);
    } else if (*side.at) {
        put_place("at", side.at, folder, o);
    }
    tl_out_text(o, "</li>\n");
}

static void put_hazard(const struct view *v, const struct trace_hazard *h,
                       const char *folder, struct out *o)
{
    tl_out_print(o,
                 "<div class=\"hazard\">\n<p><strong class=\"bad\">Hazard: "
                 "%s</strong>",
                 h->kind);
    if (h->has_range)
        tl_out_print(o, ", bytes %" PRIu64 " to %" PRIu64 " of buffer %" PRIu64,
                     h->lo, (h->hi ? h->hi - 1 : 0), h->buffer);
    tl_out_text(o, ". Nothing orders the two accesses: ");
    tl_out_xml(o, *h->why ? h->why : "no reason is known");
    tl_out_text(o, ".</p>\n<ul>\n");
    put_side(v, h, false, folder, o);
    put_side(v, h, true, folder, o);
    tl_out_text(o, "</ul>\n</div>\n");
}

void tl_html_put_hazards(const struct view *v, const char *folder,
                         struct out *o)
{
    const struct trace *t = v->trace;

    for (size_t i = 0; i < t->num_hazards && i < HTML_MAX_HAZARDS; i++)
        put_hazard(v, &t->hazards[i], folder, o);
    if (t->num_hazards > HTML_MAX_HAZARDS)
        tl_out_print(o, "<p class=\"bad\">%zu more hazards.</p>\n",
                     t->num_hazards - HTML_MAX_HAZARDS);
}
