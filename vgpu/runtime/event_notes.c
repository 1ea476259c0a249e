/*
 * event_notes.c: what is told of events that stand for something else than they
 * seem to, with VGPU_CHECK=1; why an event does not order a hazard's two sides
 * the checker says (check/events.c).
 */
#include "rt.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 3 /* of records: it is a loop */

static bool same_line(uint64_t a, uint64_t b)
{
    return a == b || vgpu_line_same(a, b);
}

/* To ask before there is a record is no mistake where a loop means it, whose
 * first rounds have nothing to wait for: the same line asks again when there is
 * one. So what is said waits for the event's end. */
void vgpu_event_warn_early(const struct vgpu_event *event)
{
    if (event->early_pc)
        vgpu_warn(event_unrecorded, event->early_pc);
    if (event->asked_pc)
        vgpu_warn(event_asked_early, event->asked_pc, .call = event->asked_by);
}

void vgpu_event_note_early(struct vgpu_event *event,
                           const struct vgpu_call *call)
{
    if (event->early_pc && !same_line(event->early_pc, call->pc))
        vgpu_warn(event_unrecorded, event->early_pc);
    event->early_pc = call->pc;
}

/* Recorded again in another stream, and nobody has asked for the last time. */
void vgpu_event_note_record(struct vgpu_event *event, const struct vgpu_op *op,
                            const struct vgpu_stream *stream)
{
    if (!vgpu_rt.checking)
        return;
    vgpu_check_event(event->number, false, stream->agent, op->pc);
    if (event->op && !event->used &&
        event->op->time_stream != op->time_stream) {
        event->lost_pc = event->op->pc;
        memcpy(event->lost_in, event->in, sizeof event->in);
    }
    event->rounds = event->op && !event->used ? event->rounds + 1 : 1;
    event->used = false;
    snprintf(event->in, sizeof event->in, "%s",
             vgpu_agent_label(stream->agent));
}

static void ask(struct vgpu_event *event, const struct vgpu_call *call)
{
    char first[256], second[256];

    event->used = true;
    if (event->early_pc && same_line(event->early_pc, call->pc))
        event->early_pc = 0;
    if (event->asked_pc && same_line(event->asked_pc, call->pc))
        event->asked_pc = 0;
    if (!event->lost_pc)
        return;
    vgpu_warn(event_again, call->pc,
              .first = vgpu_line_format(event->lost_pc, first, sizeof first),
              .first_agent = event->lost_in,
              .second = vgpu_line_format(event->op->pc, second, sizeof second),
              .second_agent = event->in);
    event->lost_pc = 0;
}

void vgpu_event_note_wait(struct vgpu_event *event, struct vgpu_agent *agent,
                          const struct vgpu_call *call)
{
    if (!vgpu_rt.checking)
        return;
    vgpu_check_event(event->number, true, agent, call->pc);
    if (event->op) {
        ask(event, call);
    } else if (agent == call->thread->agent && !event->asked_pc) {
        event->asked_pc = call->pc;
        event->asked_by = call->name;
    }
}

/* Both are recorded in a loop, and nobody asks before its end. */
static void note_last(const struct vgpu_event *start,
                      const struct vgpu_event *end,
                      const struct vgpu_call *call)
{
    char first[256], second[256];

    if (start->rounds >= ROUNDS && start->rounds == end->rounds)
        vgpu_warn(elapsed_last, call->pc, .times = end->rounds,
                  .first = vgpu_line_format(start->op->pc, first, sizeof first),
                  .second =
                      vgpu_line_format(end->op->pc, second, sizeof second));
}

/* A time of nothing, while another stream worked. */
void vgpu_event_note_elapsed(struct vgpu_event *start, struct vgpu_event *end,
                             const struct vgpu_call *call)
{
    struct vgpu_report report = {0};
    char first[256], second[256], from[256], in[160];

    if (!vgpu_rt.checking)
        return;
    note_last(start, end, call);
    ask(start, call);
    ask(end, call);
    if (!vgpu_check_elsewhere(start->op->check, end->op->check, &report, from))
        return;
    report.first = vgpu_line_format(start->op->pc, first, sizeof first);
    report.second = vgpu_line_format(end->op->pc, second, sizeof second);
    report.first_agent = end->in;
    snprintf(in, sizeof in,
             strcmp(start->in, end->in) ? "in %s and in %s" : "both in %s",
             start->in, end->in);
    report.reason = in;
    vgpu_check_warn(VGPU_REPORT_elapsed_elsewhere, call->pc, &report);
}
