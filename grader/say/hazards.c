/*
 * hazards.c: a timeline with its hazards. Under the checker the driver's own
 * reads follow in the same region of the trace, so a program is traced without
 * it, and once more with it; only the hazards are taken from there. On the
 * virtual GPU both runs have the same operations with the same numbers.
 */
#include "grade/grade.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"

enum { LARGEST_TRACE = 1 << 28 };

static unsigned copy_hazards(struct text *to, const char *from)
{
    unsigned count = 0;

    for (const char *at = from; at && *at;) {
        const char *const end = strchr(at, '\n');

        if (end && strncmp(at, "hazard ", 7) == 0) {
            text_add(to, at, (size_t)(end - at) + 1);
            count++;
        }
        at = end ? end + 1 : NULL;
    }
    return count;
}

bool hazards_take(const char *trace, const char *checked)
{
    struct text from = {0}, plain = {0}, both = {0};
    const char *end, *rest;
    unsigned long records;
    bool done = false;

    if (!text_read_file(&from, checked, LARGEST_TRACE) ||
        !text_read_file(&plain, trace, LARGEST_TRACE))
        goto out_free;
    end = strstr(text_string(&plain), "\nend records=");
    if (end == NULL)
        goto out_free;
    end++;
    records = strtoul(end + strlen("end records="), NULL, 10);
    rest = strchr(end + strlen("end "), ' ');
    text_add(&both, plain.data, (size_t)(end - plain.data));
    records += copy_hazards(&both, text_string(&from));
    text_printf(&both, "end records=%lu%s", records, rest ? rest : "\n");
    done = files_write_whole(trace, both.data, both.length);

out_free:
    text_free(&from);
    text_free(&plain);
    text_free(&both);
    return done;
}
