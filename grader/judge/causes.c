/* causes.c: what was seen, and the cause that it shows */
#include "judge/causes.h"

#include <string.h>

const struct trace_order *cause_worst_order(const struct case_run *run)
{
    const struct lab_rules *lab = run->evidence ? run->evidence->lab : NULL;
    const struct trace_order *worst = NULL;

    for (size_t i = 0; lab && i < lab->num_cases; i++) {
        const struct trace *const trace =
            case_trace(case_other(run, lab->cases[i].name));

        for (size_t k = 0; trace && k < trace->num_orders; k++) {
            const struct trace_order *const order = &trace->orders[k];

            if (strncmp(order->kind, "order_", 6) == 0 &&
                !query_is_own(order->at) &&
                (!worst || order->saved_ns > worst->saved_ns))
                worst = order;
        }
    }
    return worst;
}

/* By the words of the report, which begin with the call. */
static const char *name_of(const struct trace_order *order)
{
    static const struct {
        const char *kind, *call, *mistake;
    } causes[] = {
#define SLOW(KIND, CALL, MISTAKE) {KIND, CALL "*", MISTAKE},
#include "judge/causes.def"
    };

    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(order->kind, causes[i].kind) == 0 &&
            text_matches(order->text, causes[i].call))
            return causes[i].mistake;
    return NULL;
}

/* Below a twentieth of the run something else makes it slow. Why the host waits
 * there, a lab may know better than that it does. */
struct finding cause_of_order(const struct case_run *run, struct finding found)
{
    const struct trace_order *const order = cause_worst_order(run);
    const bool placed = strncmp(found.values, "at=", 3) == 0 ||
                        strstr(found.values, "\nat=") != NULL;
    const char *const name =
        order && 20 * order->saved_ns >= order->run_ns ? name_of(order) : NULL;

    return name && !placed && run->evidence->first_todo == 0 &&
                   !(found.id && strcmp(order->kind, "order_host") == 0)
               ? mistake_at(name, order->at)
               : found;
}

struct finding cause_of_error(const struct checked *seen, const char *error)
{
    const char *line = NULL;
    OWNED_TEXT call = {0}, at = {0};

    do
        line = checked_find(seen, REPORTED(call_failed), "error", error, line);
    while (line && report_is_drivers(line, "at"));
    if (!line)
        return mistake_with("cuda-error/unchecked", "error_left=%s", error);
    report_take_field(&call, line, "call");
    report_take_place(&at, line, "at");
    return mistake_with("cuda-error/unchecked-at",
                        "error_left=%s\ncall_left=%s\nat_left=%s", error,
                        text_string(&call), text_string(&at));
}
