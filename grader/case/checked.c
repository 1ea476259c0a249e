/* checked.c: what the virtual GPU's checker reported of one run */
#include "case/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/query.h"

/* ---- one line ------------------------------------------------------------ */

/* The line behind it, or NULL. */
static const char *next_line(const char *line)
{
    const char *const end = strchr(line, '\n');

    return end && end[1] ? end + 1 : NULL;
}

/* A line is one word for its sort, then fields between tabs. */
void report_take_field(struct out *to, const char *line, const char *key)
{
    size_t length;
    const char *const value = text_find_field(line, key, '\t', &length);

    if (value)
        text_add(to, value, length);
}

void report_take_place(struct out *to, const char *line, const char *key)
{
    OWNED_TEXT whole = {0};

    report_take_field(&whole, line, key);
    text_printf(to, "%s", query_place(text_string(&whole)));
}

bool report_holds(const char *line, const char *key, const char *part)
{
    OWNED_TEXT value = {0};

    report_take_field(&value, line, key);
    return strstr(text_string(&value), part) != NULL;
}

bool report_is_drivers(const char *line, const char *key)
{
    return report_holds(line, key, "grader/drivers/");
}

int64_t report_number(const char *line, const char *key)
{
    size_t length;
    const char *const value = text_find_field(line, key, '\t', &length);

    return value ? strtoll(value, NULL, 10) : 0;
}

/* The place of the value of @key among @names; 0 where it is none of them, and
 * names begin with 1. */
static unsigned find_name(const char *line, const char *key,
                          const char *const *names, unsigned count)
{
    size_t length;
    const char *const value = text_find_field(line, key, '\t', &length);

    for (unsigned i = 1; value && i < count; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], value, length))
            return i;
    return 0;
}

static reported_t kind_of(const char *line)
{
    static const char *const names[] = {
        [VGPU_NO_REPORT] = "",
#define REPORT(SORT, NAME, WORDS, ALSO) [VGPU_REPORT_##NAME] = #NAME,
#include "vgpu/report.def"
    };
    const unsigned kind = find_name(line, "kind", names, VGPU_NUM_REPORTS);

    return kind ? (reported_t)1 << kind : 0;
}

unsigned report_does(const char *line, const char *key)
{
    static const char *const names[] = {
        [VGPU_DOES_NOTHING] = "",
#define DOES(NAME, WORDS) [VGPU_DOES_##NAME] = #NAME,
#include "vgpu/report.def"
    };
    const unsigned does = find_name(line, key, names, VGPU_NUM_DOES);

    return does ? 1U << does : 0;
}

/* "lab.cu:31"; the driver's lines are nobody's business. */
static void take_place(struct out *to, const char *line, const char *key)
{
    if (report_is_drivers(line, key))
        text_printf(to, "the grader");
    else
        report_take_place(to, line, key);
}

/* Nor is that which is "..., from grader/drivers/driver.cu:180)". */
static void take_words(struct out *to, const char *line)
{
    OWNED_TEXT text = {0};
    const char *at;

    report_take_field(&text, line, "text");
    at = strstr(text_string(&text), "from grader/drivers/");
    text_printf(to, "%.*s", at ? (int)(at - text.data) : (int)text.length,
                text_string(&text));
    if (at)
        text_printf(to, "the grader's%s", at + strcspn(at, ",)"));
}

bool fault_find(struct out *fault, const char *report, const char *sort)
{
    const size_t length = strlen(sort);
    const char *line = report;

    while (line && (strncmp(line, sort, length) || line[length] != '\t'))
        line = next_line(line);
    if (line == NULL)
        return false;
    take_place(fault, line, "at");
    text_printf(fault, ": ");
    take_words(fault, line);
    if (report_holds(line, "from", ":")) {
        text_printf(fault, "; launched at ");
        take_place(fault, line, "from");
    }
    return report_is_drivers(line, "at");
}

/* ---- all of them --------------------------------------------------------- */

/* The access on a @side: "copy in (lab.cu:31, stream 3 of device 0)". The line
 * is that of the call, for a kernel its launch: that one is the student's. */
static void describe_access(struct out *words, const char *line,
                            const char *side)
{
    char what[24], from[24], agent[24];

    snprintf(what, sizeof what, "%s_what", side);
    snprintf(from, sizeof from, "%s_from", side);
    snprintf(agent, sizeof agent, "%s_agent", side);
    report_take_field(words, line, what);
    text_printf(words, " (");
    take_place(words, line, from);
    text_printf(words, ", ");
    report_take_field(words, line, agent);
    text_printf(words, ")");
}

static void describe_hazard(struct out *words, const char *line)
{
    text_printf(words, "hazard: ");
    describe_access(words, line, "first");
    text_printf(words, " and ");
    describe_access(words, line, "second");
    text_printf(words, " touch the same bytes and nothing orders them");
}

static void note_line(struct checked *checked, const char *line)
{
    if (strncmp(line, "hazard\t", 7) == 0 ||
        (kind_of(line) & REPORTED_HAZARDS)) {
        checked->by_driver |= report_is_drivers(line, "second");
        if (checked->hazards++ == 0)
            describe_hazard(&checked->first_hazard, line);
    } else if (strncmp(line, "fault\t", 6) == 0) {
        if (checked->faults++ == 0)
            fault_find(&checked->first_fault, line, "fault");
    } else if (strncmp(line, "warning\t", 8) == 0) {
        if (report_is_drivers(line, "at") || report_is_drivers(line, "text"))
            return;
        /* That a copy cannot overlap shows in its time, and costs it there; no
         * grade asks for the end of a graph. */
        if (!(kind_of(line) &
              (REPORTED(pageable_copy) | REPORTED(graph_left))) &&
            checked->warnings++ == 0) {
            checked->warned = kind_of(line);
            report_take_place(&checked->first_warning, line, "at");
            text_printf(&checked->first_warning, ": ");
            report_take_field(&checked->first_warning, line, "text");
        }
    } else if (strncmp(line, "note\t", 5) != 0) {
        return;
    }
    text_printf(&checked->lines, "%.*s\n", (int)strcspn(line, "\n"), line);
}

void checked_read(struct checked *checked, const char *report)
{
    for (const char *line = report; line; line = next_line(line))
        note_line(checked, line);
}

void checked_free(struct checked *checked)
{
    tl_out_free(&checked->first_hazard);
    tl_out_free(&checked->first_fault);
    tl_out_free(&checked->first_warning);
    tl_out_free(&checked->lines);
    memset(checked, 0, sizeof *checked);
}

const char *report_find(const char *lines, reported_t kinds, const char *field,
                        const char *part, const char *after)
{
    const char *line = after ? next_line(after) : lines;

    while (line && ((kind_of(line) & kinds) == 0 ||
                    (field && !report_holds(line, field, part))))
        line = next_line(line);
    return line;
}

const char *checked_find(const struct checked *checked, reported_t kinds,
                         const char *field, const char *part, const char *after)
{
    return report_find(text_string(&checked->lines), kinds, field, part, after);
}
