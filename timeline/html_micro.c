/* html_micro.c: microseconds as a page writes them
 *
 * Terminals and files of any encoding get "us". A page says what it is encoded
 * in, so it can have the sign.
 */
#include "html_micro.h"

#include "svg.h"

#include <ctype.h>
#include <string.h>

static bool is_unit(const char *text, const char *at)
{
    const bool after_number =
        at - text >= 2 && at[-1] == ' ' && isdigit((unsigned char)at[-2]);
    const bool alone = at > text && at[-1] == '>' && at[2] == '<';

    return alone || (after_number && !isalnum((unsigned char)at[2]));
}

void tl_html_put_micro(struct out *words, struct out *o)
{
    const char *done = words->text ? words->text : "";

    for (const char *at = done; (at = strstr(at, "us")); at += 2) {
        if (!is_unit(words->text, at))
            continue;
        tl_out_bytes(o, done, (size_t)(at - done));
        tl_out_text(o, "\xc2\xb5s");
        done = at + 2;
    }
    tl_out_text(o, done);
    o->failed = o->failed || words->failed;
    tl_out_free(words);
}

void tl_html_put_svg(const struct view *views, size_t num, const char *id,
                     struct out *o)
{
    struct out picture = {0};

    tl_svg_draw(views, num, id, &picture);
    tl_html_put_micro(&picture, o);
}
