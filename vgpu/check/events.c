/*
 * events.c: what events stood for, so that a hazard can say why none helps
 *
 * Who meets a hazard between two streams has often recorded an event, and waits
 * for it: too early, or for another record of it, or in another stream. That is
 * told in the hazard's words. And a time between two events is none of work
 * that the second does not wait for.
 */
#include <stdio.h>
#include <string.h>
#include "check_state.h"

MY_PART(events);

void events_act(uint64_t event, bool waits, struct vgpu_agent *agent,
                uint64_t pc, uint64_t seq)
{
    struct act *const act = &my->acts[my->next_act++ % ACTS];

    if (act->agent)
        agent_release(act->agent);
    *act = (struct act){event, seq, pc, agent_ref(agent), waits};
}

void events_work(struct origin *origin)
{
    struct origin **const work = &my->works[my->next_work % WORKS];

    if (!checker.arena.reporting || origin->does == VGPU_DOES_mark)
        return;
    origin_release(*work);
    *work = origin_ref(origin);
    my->next_work++;
}

const struct origin *events_kernel(uint64_t devices,
                                   const struct vgpu_clock *known)
{
    for (unsigned i = 0; i < WORKS && my->works[i]; i++) {
        const struct origin *const work = my->works[i];

        if (work->does == VGPU_DOES_kernel &&
            devices >> work->agent->device & 1 &&
            clock_get(known, work->slot) < work->epoch)
            return work;
    }
    return NULL;
}

/* ---- what lay between two --------------------------------------------------
 */

bool vgpu_check_elsewhere(const struct vgpu_check_op *first,
                          const struct vgpu_check_op *second,
                          struct vgpu_report *report, char text[256])
{
    const struct origin *const from = first->origin, *const to = second->origin;
    const struct origin *found = NULL, *work;

    if (!checker.arena.reporting)
        return false;
    check_lock();
    work = my->works[my->next_work % WORKS];
    if (work && work->seq > from->seq)
        goto out; /* older ones are forgotten */
    for (unsigned i = 0; i < WORKS && (work = my->works[i]); i++) {
        if (work->seq < from->seq || work->seq > to->seq)
            continue;
        if (origin_before(work, to)) {
            found = NULL;
            goto out;
        }
        if (work->agent->device == to->agent->device &&
            (!found || work->seq < found->seq))
            found = work;
    }
    if (found) {
        report->what = found->what;
        report->second_agent = found->agent->label;
        report->from = vgpu_line_format(found->pc, text, 256);
    }
out:
    check_unlock();
    return found != NULL;
}

/* ---- why no event orders the two sides of a hazard -------------------------
 */

/* The sides' own, and the calls that come near to ordering them. */
struct search {
    const struct origin *first, *second;
    const struct act *wait, *seen, *meant;
};

static bool is_of(const struct act *act, const struct vgpu_agent *agent,
                  const struct search *s)
{
    return act->agent == agent && act->seq > s->first->seq &&
           act->seq < s->second->seq;
}

/* The last record that was made before @wait, or else the first that was after
 * it, of @agent alone if there is one; NULL: none. */
static const struct act *record_of(const struct act *wait, bool after,
                                   const struct vgpu_agent *agent)
{
    const struct act *best = NULL;

    for (const struct act *a = my->acts; a < my->acts + ACTS && a->agent; a++)
        if (!a->waits && a->event == wait->event &&
            (a->seq > wait->seq) == after && (!agent || a->agent == agent) &&
            (!best || (a->seq < best->seq) == after))
            best = a;
    return best;
}

enum miss { MISS_NONE, MISS_AGAIN, MISS_EARLY, MISS_LATE, MISS_ELSEWHERE };

/* What of the wait in @s? */
static enum miss miss_of(struct search *s)
{
    const struct vgpu_agent *const agent = s->first->agent;

    s->seen = record_of(s->wait, false, NULL);
    s->meant = record_of(s->wait, false, agent);
    if (s->wait->agent != s->second->agent)
        return s->meant && s->seen == s->meant &&
                       s->meant->seq > s->first->seq && s->wait->agent != agent
                   ? MISS_ELSEWHERE
                   : MISS_NONE;
    if (s->meant && s->meant->seq > s->first->seq)
        return s->seen != s->meant ? MISS_AGAIN : MISS_NONE;
    if (s->meant && s->seen == s->meant)
        return MISS_EARLY;
    s->meant = record_of(s->wait, true, agent);
    return s->meant ? MISS_LATE : MISS_NONE;
}

/* The likeliest: a wait in the right place, and of these the last. */
static enum miss search(struct search *s)
{
    struct search best = *s;
    enum miss found = MISS_NONE;

    for (const struct act *a = my->acts; a < my->acts + ACTS && a->agent; a++) {
        struct search one = {s->first, s->second, a, NULL, NULL};
        enum miss miss;

        if (!a->waits || !is_of(a, a->agent, s))
            continue;
        miss = miss_of(&one);
        if (miss && (!found || miss < found ||
                     (miss == found && a->seq > best.wait->seq))) {
            found = miss;
            best = one;
        }
    }
    *s = best;
    return found;
}

static void say_again(const struct search *s, char line[3][LINE],
                      struct words *words)
{
    PUT(words->reason,
        "the wait at %s is for the record of %s in %s, and not for that "
        "of %s in %s: an event stands for its last record alone",
        line[0], line[1], s->seen->agent->label, line[2],
        s->meant->agent->label);
    PUT(words->help,
        "a second event for the record at %s, and a wait for each of the "
        "two ahead of %s",
        line[2], words->put[1]);
}

static void say_early(const struct search *s, char line[3][LINE],
                      struct words *words)
{
    PUT(words->reason,
        "the event that the wait at %s is for was recorded at %s, before "
        "the %s of %s was enqueued: it stands for what was there by then",
        line[0], line[2], s->first->what, words->put[0]);
    PUT(words->help, "move the cudaEventRecord of %s behind %s", line[2],
        words->put[0]);
}

static void say_late(const struct search *s, char line[3][LINE],
                     struct words *words)
{
    char before[2 * LINE] = "for nothing, since there was none yet";

    if (s->seen)
        snprintf(before, sizeof before, "for that of %s in %s", line[1],
                 s->seen->agent->label);
    PUT(words->reason,
        "the wait at %s came before the record at %s, and is %s: an event "
        "stands for the last record ahead of the wait",
        line[0], line[2], before);
    PUT(words->help, "move the wait of %s behind the record of %s", line[0],
        line[2]);
}

static void say_elsewhere(const struct search *s, char line[3][LINE],
                          struct words *words)
{
    PUT(words->reason,
        "the record at %s is waited for at %s, but by %s and not by %s",
        line[2], line[0], s->wait->agent->label, s->second->agent->label);
    if (s->second->is_host)
        PUT(words->help, "cudaEventSynchronize on that event before %s",
            words->at[1]);
    else
        PUT(words->help, "cudaStreamWaitEvent for that event in %s before %s",
            words->queue[1], words->put[1]);
}

bool events_explain(const struct hazard *hazard, struct words *words)
{
    static void (*const say[])(const struct search *, char[3][LINE],
                               struct words *) = {
        [MISS_AGAIN] = say_again,
        [MISS_EARLY] = say_early,
        [MISS_LATE] = say_late,
        [MISS_ELSEWHERE] = say_elsewhere,
    };
    struct search s = {hazard->origin[0], hazard->origin[1], NULL, NULL, NULL};
    char line[3][LINE];
    const enum miss miss =
        hazard->origin[0]->launched.id || hazard->origin[1]->launched.id
            ? MISS_NONE
            : search(&s);

    if (miss == MISS_NONE)
        return false;
    vgpu_line_format(s.wait->pc, line[0], LINE);
    vgpu_line_format(s.seen ? s.seen->pc : 0, line[1], LINE);
    vgpu_line_format(s.meant->pc, line[2], LINE);
    say[miss](&s, line, words);
    return true;
}
