/* micro.c: microseconds as pages and pictures write them
 *
 * Terminals and files of any encoding get "us". A page says what it is encoded
 * in, and a picture is UTF-8, so they can have the sign.
 */
#include "micro.h"

#include <ctype.h>
#include <string.h>

static bool is_unit(const char *text, const char *at)
{
    const bool after_number =
        at - text >= 2 && at[-1] == ' ' && isdigit((unsigned char)at[-2]);
    const bool alone = at > text && at[-1] == '>' && at[2] == '<';

    return alone || (after_number && !isalnum((unsigned char)at[2]));
}

void tl_micro_put(struct out *words, struct out *o)
{
    const char *done = words->data ? words->data : "";

    for (const char *at = done; (at = strstr(at, "us")); at += 2) {
        if (!is_unit(words->data, at))
            continue;
        tl_out_bytes(o, done, (size_t)(at - done));
        tl_out_text(o, "\xc2\xb5s");
        done = at + 2;
    }
    tl_out_text(o, done);
    o->failed = o->failed || words->failed;
    tl_out_free(words);
}
