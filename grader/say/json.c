/* json.c: verdicts as JSON; see json.h */
#include "say/json.h"

#include <stdio.h>
#include <string.h>

/* Whatever a student's program printed must come out as JSON. DEL is escaped
 * although JSON need not, since terminals act on it. */
static const char *special(char c)
{
    static char code[8];

    if (c == '"' || c == '\\')
        snprintf(code, sizeof code, "\\%c", c);
    else if (c == '\n')
        return "\\n";
    else if (c < 0x20 || c == 0x7f)
        snprintf(code, sizeof code, "\\u%04x", c);
    else
        return NULL;
    return code;
}

/* @before: what stands between it and the member before; NULL: null. */
static void add_member(struct out *json, const char *before, const char *value)
{
    text_printf(json, "%s", before);
    text_printf(json, value ? "\"" : "null");
    if (value)
        tl_out_escaped(json, value, special);
    text_printf(json, value ? "\"" : "");
}

static void add_ratio(struct out *json, const char *key, bool known,
                      double value)
{
    if (known)
        text_printf(json, "      \"%s\": %.3f,\n", key, value);
    else
        text_printf(json, "      \"%s\": null,\n", key);
}

/* The diagnosis is all that a person would read of the check, in one value:
 * who shows it need not know of what parts it is made. */
static void add_check(struct out *json, const struct check *check)
{
    const char *const id = check->mistake[0] ? check->mistake : NULL;
    OWNED_TEXT words = {0};

    if (!check->passed) {
        text_printf(&words, "%s", text_string(&check->seen));
        if (id)
            text_printf(&words, "%s%s", words.length ? ". " : "",
                        text_string(&check->sentence));
        if (check->words.length > 0)
            text_printf(&words, "\n%s", text_string(&check->words));
    }
    add_member(json, "        {\"name\": ", check->name);
    text_printf(json, ", \"passed\": %s, \"score\": %g, \"max_score\": %d",
                check->passed ? "true" : "false", check->score,
                check->max_score);
    add_member(json, ",\n         \"line\": ", text_string(&check->seen));
    add_member(json, ",\n         \"diagnosis\": ", text_string(&words));
    add_member(json, ",\n         \"diagnosis_id\": ", id);
    add_member(json, ",\n         \"read\": ",
               check->read.length > 0 ? text_string(&check->read) : NULL);
    text_printf(json, "}");
}

void json_add_missing(struct out *json, const char *names)
{
    const char *before = "  \"missing_fences\": [";

    for (; *names; names += strspn(names, ", ")) {
        const int length = (int)strcspn(names, ",");

        text_printf(json, "%s\"%.*s\"", before, length, names);
        before = ", ";
        names += length;
    }
    text_printf(json, "%s],\n", before[0] == ',' ? "" : before);
}

/* Laid out by hand, a check on few lines: so a class's results can be read and
 * compared with the tools that everybody has. */
void json_add_lab(struct out *json, const struct verdict *verdict)
{
    const struct speed *const speed = &verdict->speed;

    if (json->length > 0)
        text_printf(json, ",\n");
    add_member(json, "    {\n      \"lab\": ", verdict->lab->name);
    add_member(json, ",\n      \"file\": ", verdict->file);
    add_member(json, ",\n      \"backend\": ", backend_word(verdict->backend));
    add_member(json, ",\n      \"device\": ", verdict->device);
    text_printf(json,
                ",\n      \"passed\": %s,\n      \"score\": %g,\n"
                "      \"max_score\": %d,\n",
                verdict->passed ? "true" : "false", verdict->score,
                verdict->max_score);
    add_ratio(json, "eta", speed->known, speed->eta);
    text_printf(json, "      \"baseline\": \"%s\",\n",
                lab_baseline(verdict->lab));
    add_ratio(json, "speedup", speed->known, speed->yours);
    add_ratio(json, "bound_speedup", speed->known, speed->bound);
    add_ratio(json, "needed_speedup", speed->known && speed->needed > 0,
              speed->needed);
    text_printf(json, "      \"seconds\": %.1f,\n      \"checks\": [\n",
                verdict->seconds);
    for (int i = 0; i < verdict->num_checks; i++) {
        add_check(json, &verdict->checks[i]);
        text_printf(json, i + 1 < verdict->num_checks ? ",\n" : "\n");
    }
    text_printf(json, "      ]\n    }");
}
