/* json.c: verdicts as JSON; see json.h */
#include "say/json.h"

#include "utf8.h"

static void add_string(struct text *json, const char *value)
{
    text_add(json, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)value; *at; at++) {
        const size_t length = tl_utf8_length((const char *)at, UTF8_TERMINATED);

        if (length != 1) {
            text_add(json, length ? (const char *)at : "?",
                     length ? length : 1);
            at += length ? length - 1 : 0;
            continue;
        }
        if (*at == '"' || *at == '\\')
            text_printf(json, "\\%c", *at);
        else if (*at == '\n')
            text_printf(json, "\\n");
        else if (*at < 0x20 || *at == 0x7f)
            text_printf(json, "\\u%04x", *at);
        else
            text_add(json, (const char *)at, 1);
    }
    text_add(json, "\"", 1);
}

static void add_ratio(struct text *json, const char *key, bool known,
                      double value)
{
    if (known)
        text_printf(json, "      \"%s\": %.3f,\n", key, value);
    else
        text_printf(json, "      \"%s\": null,\n", key);
}

static void add_check(struct text *json, const struct check *check)
{
    struct text words = {0};

    if (!check->passed) {
        text_printf(&words, "%s", text_string(&check->seen));
        if (check->mistake[0])
            text_printf(&words, "%s%s", words.length ? ". " : "",
                        text_string(&check->sentence));
        if (check->words.length > 0)
            text_printf(&words, "\n%s", text_string(&check->words));
    }
    text_printf(json, "        {\"name\": ");
    add_string(json, check->name);
    text_printf(json, ", \"passed\": %s, \"score\": %g, \"max_score\": %d",
                check->passed ? "true" : "false", check->score,
                check->max_score);
    text_printf(json, ",\n         \"line\": ");
    add_string(json, text_string(&check->seen));
    text_printf(json, ",\n         \"diagnosis\": ");
    add_string(json, text_string(&words));
    text_printf(json, ",\n         \"diagnosis_id\": ");
    if (check->mistake[0])
        add_string(json, check->mistake);
    else
        text_printf(json, "null");
    text_printf(json, ",\n         \"read\": ");
    if (check->read.length > 0)
        add_string(json, text_string(&check->read));
    else
        text_printf(json, "null");
    text_printf(json, "}");
    text_free(&words);
}

void json_add_lab(struct text *json, const struct verdict *verdict)
{
    text_printf(json, "    {\n      \"lab\": ");
    add_string(json, verdict->lab->name);
    text_printf(json, ",\n      \"file\": ");
    add_string(json, verdict->file);
    text_printf(json, ",\n      \"backend\": ");
    add_string(json, backend_word(verdict->backend));
    text_printf(json, ",\n      \"device\": ");
    add_string(json, verdict->device);
    text_printf(json,
                ",\n      \"passed\": %s,\n      \"score\": %g,\n"
                "      \"max_score\": %d,\n",
                verdict->passed ? "true" : "false", verdict->score,
                verdict->max_score);
    add_ratio(json, "eta", verdict->timed, verdict->eta);
    text_printf(json, "      \"baseline\": \"%s\",\n",
                lab_baseline(verdict->lab));
    add_ratio(json, "speedup", verdict->timed, verdict->speedup);
    add_ratio(json, "bound_speedup", verdict->timed, verdict->bound_speedup);
    add_ratio(json, "needed_speedup",
              verdict->timed && verdict->needed_speedup > 0,
              verdict->needed_speedup);
    text_printf(json, "      \"seconds\": %.1f,\n      \"checks\": [\n",
                verdict->seconds);
    for (int i = 0; i < verdict->num_checks; i++) {
        add_check(json, &verdict->checks[i]);
        text_printf(json, i + 1 < verdict->num_checks ? ",\n" : "\n");
    }
    text_printf(json, "      ]\n    }");
}
