/* bar.c: speed against the limit, as a picture
 *
 * How far is it from serial to the hardware's limit, where does it pass, and
 * where is this program? A speed-up alone tells none of that: 1.5 is all there
 * is on one machine and half of it on another.
 */
#include "bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH  720.0
#define LEFT   8.0
#define RIGHT  8.0
#define TOP    26.0
#define THICK  26.0
#define LINE   18.0
#define HEIGHT 84 /* with one line below the bar */

/* @most: the limit, or the speed-up where a measurement went beyond it.
 * @ends: where the words of each line below the bar end. */
struct scale_x {
    double most, ends[3];
    int lines; /* more than one */
};

static double x_of(const struct scale_x *s, double speedup)
{
    double share = speedup / s->most;

    return LEFT + (share < 0   ? 0
                   : share > 1 ? 1
                               : share) *
                      (WIDTH - LEFT - RIGHT);
}

/* A mark on the bar with words above or below it, kept inside the picture. What
 * would touch the words before it, to the left, stands a line lower. */
static void put_mark(struct scale_x *s, double speedup, bool above,
                     const char *classes, const char *words, struct out *o)
{
    double x = x_of(s, speedup), half = 3.7 * (double)strlen(words);
    double words_x = x - half < LEFT            ? LEFT + half
                     : x + half > WIDTH - RIGHT ? WIDTH - RIGHT - half
                                                : x;
    int line = 0;

    while (!above && line < 2 && s->ends[line] > words_x - half)
        line++;
    if (!above)
        s->ends[line] = words_x + half + 8;
    s->lines = line > s->lines ? line : s->lines;
    tl_out_print(o,
                 "<path class=\"bar-mark %s\" d=\"M%.1f %.1fV%.1f\"/>\n"
                 "<text class=\"bar-text %s\" x=\"%.1f\" y=\"%.1f\">",
                 classes, x, TOP - (above ? 6 : 0),
                 TOP + THICK + (above ? 0 : 6 + LINE * line), classes, words_x,
                 above ? TOP - 10 : TOP + THICK + 20 + LINE * line);
    tl_out_xml(o, words);
    tl_out_text(o, "</text>\n");
}

void bar_put_words(const struct grade_result *g, const char *who, struct out *o)
{
    tl_out_print(o, "%s is %.2fx as fast as ", who, g->speedup);
    tl_out_xml(o, g->baseline);
    if (!isnan(g->needed))
        tl_out_print(o, "; %.2fx passes", g->needed);
    tl_out_print(o, "; the limit of this device is %.2fx", g->bound);
    if (!isnan(g->eta))
        tl_out_print(
            o, ". Of what overlap can gain here, that is %.0f%% (eta %.2f)",
            100 * g->eta, g->eta);
    tl_out_text(o, ".");
}

/* The ground ends at the limit and the fill at what was reached. Only the
 * reader's own mark is above: the others may crowd, and keep to one side, from
 * left to right.
 */
void bar_draw(const struct grade_result *g, const char *who, const char *id,
              struct out *o)
{
    struct scale_x s = {.most = fmax(g->bound, g->speedup) * 1.02};
    struct out marks = {0};
    char words[80];

    if (isnan(g->speedup) || isnan(g->bound) || !(s.most > 0))
        return;
    snprintf(words, sizeof words, "%.40s %.2fx", who, g->speedup);
    put_mark(&s, g->speedup, true, "strong", words, &marks);
    snprintf(words, sizeof words, "%.40s 1.00x", g->baseline);
    put_mark(&s, 1, false, "", words, &marks);
    if (!isnan(g->needed)) {
        snprintf(words, sizeof words, "needed %.2fx", g->needed);
        put_mark(&s, g->needed, false, "", words, &marks);
    }
    snprintf(words, sizeof words, "limit %.2fx", g->bound);
    put_mark(&s, g->bound, false, "", words, &marks);
    tl_out_print(o,
                 "<svg class=\"bar\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                 "aria-labelledby=\"%s-title\">\n<title id=\"%s-title\">",
                 WIDTH, HEIGHT + LINE * s.lines, id, id);
    bar_put_words(g, who, o);
    tl_out_print(o,
                 "</title>\n<rect class=\"bar-lane\" x=\"%.1f\" y=\"%.1f\" "
                 "width=\"%.1f\" height=\"%.1f\"/>\n"
                 "<rect class=\"bar-fill %s\" x=\"%.1f\" y=\"%.1f\" "
                 "width=\"%.1f\" height=\"%.1f\"/>\n",
                 LEFT, TOP, x_of(&s, g->bound) - LEFT, THICK,
                 isnan(g->needed) || g->speedup >= g->needed ? "pass" : "fail",
                 LEFT, TOP + 4, x_of(&s, g->speedup) - LEFT, THICK - 8);
    tl_out_bytes(o, marks.data, marks.length);
    tl_out_free(&marks);
    tl_out_text(o, "</svg>\n");
}
