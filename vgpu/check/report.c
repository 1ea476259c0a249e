/*
 * report.c: what the checker tells people, and the grader
 *
 * The same facts in two forms. People get a few lines on stderr that say who,
 * where, which bytes, why nothing orders them and what would. Programs get one
 * line with tabs on the descriptor that VGPU_REPORT_FD names (vgpu/report.h).
 *
 * A mistake in a loop is one mistake: a pair of source lines is reported once,
 * and after ten reports the rest is counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "race.h"

MY_PART(report);

#define SHOWN 10 /* then reports are held back */

void report_init(void)
{
    const char *fd = getenv("VGPU_REPORT_FD");

    my->fd = fd && *fd ? atoi(fd) : -1;
    my->is_read = my->fd >= 0;
    say_init();
}

bool report_is_read(void)
{
    return my->is_read;
}

const char *access_name(unsigned kind)
{
    return kind == VGPU_READ ? "read" : kind == VGPU_WRITE ? "write" : "atomic";
}

const char *memory_kind_name(enum vgpu_memory_kind kind)
{
    static const char *const name[] = {
        "device memory",  "pinned memory",     "pinned memory",
        "managed memory", "registered memory",
    };

    return (unsigned)kind < 5 ? name[kind] : "?";
}

/* ---- lines for programs ------------------------------------------------ */

/* One line, one write; and none of those that hand something on (pipes.c). */
static void write_line(char *line, size_t length)
{
    line[length++] = '\n';
    for (size_t done = 0; done < length;) {
        const struct iovec rest = {line + done, length - done};
        ssize_t wrote = writev(my->fd, &rest, 1);

        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
}

/* @at, @text: NULL where the line has none. */
static void machine_line(enum vgpu_report_kind kind,
                         const struct vgpu_report *report, const char *at,
                         const char *text)
{
    char line[3 * 1024];
    size_t length, room = sizeof line - 2;

    if (!my->is_read)
        return;
    length = (size_t)snprintf(line, room, "%s\tkind=%s%s%.*s",
                              vgpu_report_sort(kind), vgpu_report_name(kind),
                              at ? "\tat=" : "", LINE, at ? at : "");
    length += vgpu_report_fields(line + length, room - length, kind, report);
    if (text) {
        snprintf(line + length, room - length, "\ttext=%s", text);
        length += strlen(line + length);
    }
    write_line(line, length);
}

/* A report of one line, to both. */
static void tell(enum vgpu_report_kind kind, const struct vgpu_report *report,
                 const char *at, bool people)
{
    char text[4 * LINE];

    vgpu_report_words(text, sizeof text, kind, report);
    machine_line(kind, report, at, text);
    if (people)
        say("vgpu: %s: %s: %s\n", vgpu_report_sort(kind), at, text);
}

/* ---- hazards ----------------------------------------------------------- */

/* A node of a graph was put where that was launched. */
static void find_queue(const struct origin *origin, int side,
                       struct words *words)
{
    const bool launched = origin->launched.id;

    origin_label(origin, words->agent[side]);
    words->launch[side][0] = '\0';
    if (launched)
        vgpu_line_format(origin->launched.pc, words->launch[side], LINE);
    words->put[side] = launched ? words->launch[side] : words->call[side];
    words->queue[side] =
        launched ? origin->launched.agent->label : words->agent[side];
}

static const char *from_words(const struct origin *origin)
{
    return origin->launched.id ? "node made at" : "from";
}

/* Lines are looked up only for what is reported: the table is large. */
static void find_words(const struct hazard *hazard, struct words *words)
{
    for (int i = 0; i < 2; i++) {
        uint64_t call = hazard->origin[i]->pc;

        vgpu_line_format(hazard->pc[i], words->at[i], LINE);
        vgpu_line_format(call ? call : hazard->pc[i], words->call[i], LINE);
        find_queue(hazard->origin[i], i, words);
    }
    vgpu_line_format(hazard->memory_pc, words->from, LINE);
    hazard_explain(hazard, words);
}

/* Has this pair of lines been reported? Remember it. */
static bool is_repeated(const struct words *words)
{
    for (unsigned i = 0; i < my->pairs_count; i++)
        if (!strncmp(my->pairs[i][0], words->at[0], 63) &&
            !strncmp(my->pairs[i][1], words->at[1], 63) &&
            words->at[0][0] != '?')
            return true;
    if (my->pairs_count < PAIRS) {
        for (int i = 0; i < 2; i++)
            snprintf(my->pairs[my->pairs_count][i], 64, "%.63s", words->at[i]);
        my->pairs_count++;
    }
    return false;
}

/* In elements too where the bounds allow it: a student thinks in indices. How
 * large an element is, nobody knows here. */
static void print_elements(uint64_t lo, uint64_t hi)
{
    const char *words = "\n          in elements";

    for (unsigned bytes = 4; bytes <= 8; bytes *= 2) {
        if ((lo | hi) % bytes != 0)
            break;
        say("%s of %u bytes [%" PRIu64 ", %" PRIu64 ")", words, bytes,
            lo / bytes, hi / bytes);
        words = ",";
    }
}

static void print_range(const struct hazard *hazard, const char *from)
{
    uint64_t span = hazard->hi - hazard->lo;

    say("  bytes   ");
    if (hazard->bytes < span)
        say("%" PRIu64 " bytes in ", hazard->bytes);
    if (hazard->variable)
        say("[%" PRIu64 ", %" PRIu64 ") of the variable %s (%" PRIu64
            " bytes, %s)",
            hazard->lo, hazard->hi, hazard->variable, hazard->memory_bytes,
            memory_kind_name(hazard->memory_kind));
    else if (hazard->memory)
        say("[%" PRIu64 ", %" PRIu64 ") of buffer %" PRIu32 " (%" PRIu64
            " bytes, %s, allocated at %s)",
            hazard->lo, hazard->hi, hazard->memory, hazard->memory_bytes,
            memory_kind_name(hazard->memory_kind), from);
    else
        say("%" PRIu64 " bytes of pageable host memory at %#" PRIx64, span,
            hazard->lo);
    if (hazard->memory || hazard->variable)
        print_elements(hazard->lo, hazard->hi);
    say("\n");
}

/* What is more than a line begins so. */
static void headline(enum vgpu_report_kind kind,
                     const struct vgpu_report *report)
{
    char text[3 * LINE];

    say("vgpu: ");
    say_loudly(vgpu_report_sort(kind));
    say(": %s\n", vgpu_report_words(text, sizeof text, kind, report));
}

/* The line of the call is shown where it is another than that of the access: in
 * a kernel the access is a line of device code, and the student looks for the
 * launch. */
static void print_hazard(const struct hazard *hazard, const struct words *words)
{
    static const char *const side[] = {"first ", "second"};

    headline(VGPU_REPORT_unordered,
             &(struct vgpu_report){.first_what = hazard->origin[0]->what,
                                   .second_what = hazard->origin[1]->what});
    for (int i = 0; i < 2; i++) {
        say("  %s  %s: %s by %s, in %s", side[i], words->at[i],
            access_name(hazard->kind[i]), hazard->origin[i]->what,
            words->agent[i]);
        if (strcmp(words->at[i], words->call[i]))
            say(" (%s %s)", from_words(hazard->origin[i]), words->call[i]);
        say("\n");
    }
    print_range(hazard, words->from);
    say("  why     %s\n  help    %s\n", words->why, words->help);
}

/* Both sides have the same fields; a name tells which. */
static struct vgpu_report report_of(const struct hazard *hazard,
                                    const struct words *words)
{
    const struct origin *const first = hazard->origin[0];
    const struct origin *const second = hazard->origin[1];

    return (struct vgpu_report){
        .buffer = hazard->memory,
        .lo = (int64_t)hazard->lo,
        .hi = (int64_t)hazard->hi,
        .first = words->at[0],
        .first_access = access_name(hazard->kind[0]),
        .first_does = vgpu_does_name(first->does),
        .first_kernel = first->kernel,
        .first_what = first->what,
        .first_agent = words->agent[0],
        .first_from = words->call[0],
        .first_launch = words->launch[0],
        .second = words->at[1],
        .second_access = access_name(hazard->kind[1]),
        .second_does = vgpu_does_name(second->does),
        .second_kernel = second->kernel,
        .second_what = second->what,
        .second_agent = words->agent[1],
        .second_from = words->call[1],
        .second_launch = words->launch[1],
        .why = words->why,
        .help = words->help,
        .verb = hazard->kind[1] == VGPU_READ ? "reads" : "writes",
    };
}

/* What no manual promises, and every GPU that was asked does, has come to the
 * right numbers: a warning. Return: whether it is that. */
static bool report_relied(const struct hazard *hazard,
                          const struct words *words)
{
    const struct vgpu_report report = report_of(hazard, words);

    if (!hazard_is_relied(hazard))
        return false;
    if (is_repeated(words))
        return true;
    my->warnings++;
    tell(VGPU_REPORT_pageable_relied, &report, words->at[1], true);
    return true;
}

void vgpu_check_set_hazard(vgpu_hazard_fn *fn, uint64_t (*tag)(void))
{
    my->told = fn;
    my->host_tag = tag;
}

uint64_t report_host_tag(void)
{
    return my->host_tag ? my->host_tag() : 0;
}

/* To the runtime, which knows the operations by their tags and writes them into
 * the trace. */
static void tell_hazard(const struct hazard *hazard, const struct words *words)
{
    struct vgpu_hazard report = {.buffer = hazard->memory,
                                 .lo = hazard->lo,
                                 .hi = hazard->hi,
                                 .why = words->why};

    for (int i = 0; i < 2; i++)
        report.side[i] = (struct vgpu_hazard_side){
            access_name(hazard->kind[i]), words->at[i],
            hazard->origin[i]->is_host, hazard->origin[i]->tag};
    my->told(&report);
}

/* The grader gets more than people do, and none of the repetitions; the trace
 * gets those, too: one of them may be where the picture begins. */
void report_hazard(const struct hazard *hazard)
{
    struct vgpu_report report;
    struct words words;

    find_words(hazard, &words);
    if (report_relied(hazard, &words))
        return;
    if (my->told && my->hazards <= PAIRS)
        tell_hazard(hazard, &words);
    if (is_repeated(&words)) {
        my->held_back++;
        return;
    }
    my->hazards++;
    report = report_of(hazard, &words);
    if (my->hazards <= PAIRS)
        machine_line(VGPU_REPORT_unordered, &report, NULL, NULL);
    if (my->hazards <= SHOWN)
        print_hazard(hazard, &words);
    else
        my->held_back++;
}

/* ---- races between the threads of a kernel ----------------------------- */

static uint64_t part(uint64_t n, const uint32_t *extent, int axis)
{
    for (int i = 0; i < axis; i++)
        n /= extent[i];
    return n % extent[axis];
}

static void print_place(uint64_t n, const uint32_t *extent, const char *what)
{
    say("%s (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", what, part(n, extent, 0),
        part(n, extent, 1), part(n, extent, 2));
}

static const char *race_why(const struct race *race)
{
    static const char *const why[] = {
        [RACE_WARP] = "lanes of a warp need not keep step (since Volta), and "
                      "no __syncwarp lies between",
        [RACE_BLOCK] = "threads of a block run in any order, and no barrier "
                       "lies between",
        [RACE_CLUSTER] = "blocks of a cluster run in any order, and no barrier "
                         "of the cluster lies between",
        [RACE_GRID] = "blocks run in any order, and a barrier is for the "
                      "threads of one block",
    };

    return why[race->scope];
}

/* A barrier has a place between two lines; where both are one line, it is
 * between two uses of it. Where several threads write, none helps. */
static void race_help(const struct race *race, struct words *words)
{
    const char *barrier = race->scope == RACE_WARP      ? "__syncwarp()"
                          : race->scope == RACE_CLUSTER ? "cluster.sync()"
                                                        : "__syncthreads()";
    const char *write = words->at[race->side[0].set != SET_WRITE];

    if (race->crowded)
        PUT(words->help,
            "an atomic (atomicAdd) at %s, or one thread that writes: "
            "several do",
            write);
    else if (race->no_fence)
        PUT(words->help,
            "__threadfence() after %s, before the atomic or flag that "
            "tells other blocks",
            words->at[0]);
    else if (race->scope == RACE_GRID)
        PUT(words->help,
            "an atomic (atomicAdd), or two kernels, one after the other, "
            "or grid.sync()");
    else if (!strcmp(words->at[0], words->at[1]))
        PUT(words->help,
            "%s between the two at %s: read into a local variable, "
            "%s, write; in a loop another one before the next round",
            barrier, words->at[0], barrier);
    else
        PUT(words->help, "%s between %s and %s", barrier, words->at[0],
            words->at[1]);
}

/* The accesses are lines of device code; the student looks for the launch. */
static void print_race(const struct race *race, const struct origin *origin,
                       const struct words *words)
{
    static const char *const side[] = {"first ", "second"};
    static const char *const access[] = {"read", "write", "atomic"};

    headline(VGPU_REPORT_race, &(struct vgpu_report){.what = origin->what});
    for (int i = 0; i < 2; i++) {
        const struct race_side *s = &race->side[i];

        say("  %s  %s: %s by ", side[i], words->at[i], access[s->set]);
        print_place(s->thread, race->block_dim, "thread");
        print_place(s->block, race->grid, " of block");
        say("\n");
    }
    say("  launch  %s, in %s\n", words->call[0], words->agent[0]);
    say("  bytes   [%" PRIu64 ", %" PRIu64 ") of %s; seen %" PRIu64 " time%s\n",
        race->at, race->at + (race->hi - race->lo), race->place, race->count,
        race->count == 1 ? "" : "s");
    say("  why     %s\n  help    %s\n", words->why, words->help);
}

/* Counts as a hazard: the exit status is that of one. */
void report_race(const struct race *race, const struct origin *origin)
{
    struct words words;

    for (int i = 0; i < 2; i++)
        vgpu_line_format(race->side[i].pc, words.at[i], LINE);
    vgpu_line_format(origin->pc, words.call[0], LINE);
    origin_label(origin, words.agent[0]);
    PUT(words.why, "%s", race_why(race));
    race_help(race, &words);
    if (is_repeated(&words)) {
        my->held_back++;
        return;
    }
    my->hazards++;
    machine_line(VGPU_REPORT_race,
                 &(struct vgpu_report){.first = words.at[0],
                                       .second = words.at[1],
                                       .what = origin->what,
                                       .from = words.call[0],
                                       .why = words.why,
                                       .help = words.help},
                 NULL, NULL);
    if (my->hazards <= SHOWN)
        print_race(race, origin, &words);
    else
        my->held_back++;
}

/* ---- memory that nobody wrote ---------------------------------------------
 */

/* A warning: what is read is anything, and whether that matters is not known
 * here. Kernels whose time is all that somebody wants may do so. */
static void print_unwritten(const struct unwritten *u,
                            const struct words *words)
{
    const char *const what = u->origin->what, *const from = words->from;

    headline(VGPU_REPORT_unwritten, &(struct vgpu_report){.what = what});
    say("  read    %s: %s by %s, in %s (%s %s)\n", words->at[0],
        access_name(u->kind), what, words->agent[0], from_words(u->origin),
        words->call[0]);
    print_range(&(struct hazard){.lo = u->lo,
                                 .hi = u->hi,
                                 .bytes = u->bytes,
                                 .memory = u->memory->id,
                                 .memory_bytes = u->memory->bytes},
                from);
    say("  why     %s\n  help    %s\n", words->why, words->help);
}

static void explain_unwritten(struct words *words)
{
    PUT(words->why,
        "memory that is allocated holds anything: here %#x in each byte, "
        "on a GPU what was there before",
        FILL_BYTE);
    PUT(words->help,
        "cudaMemset after %s; or a copy, or a kernel, that writes it "
        "before %s",
        words->from, words->put[0]);
}

void report_unwritten(const struct unwritten *u)
{
    struct words words;

    vgpu_line_format(u->pc, words.at[0], LINE);
    vgpu_line_format(u->origin->pc, words.call[0], LINE);
    find_queue(u->origin, 0, &words);
    vgpu_line_format(u->memory->pc, words.from, LINE);
    snprintf(words.at[1], LINE, "%s", words.from);
    if (is_repeated(&words))
        return;
    explain_unwritten(&words);
    my->warnings++;
    machine_line(VGPU_REPORT_unwritten,
                 &(struct vgpu_report){.access = access_name(u->kind),
                                       .what = u->origin->what,
                                       .agent = words.agent[0],
                                       .from = words.call[0],
                                       .buffer = u->memory->id,
                                       .lo = (int64_t)u->lo,
                                       .hi = (int64_t)u->hi,
                                       .allocated = words.from,
                                       .why = words.why,
                                       .help = words.help},
                 words.at[0], NULL);
    if (++my->unwritten_told <= SHOWN)
        print_unwritten(u, &words);
}

static void tell_freed(const struct vgpu_memory *memory,
                       const struct origin *origin, unsigned kind,
                       const struct words *words)
{
    const struct vgpu_hazard report = {
        {{"free", words->at[0], true, 0},
         {access_name(kind), words->at[1], false, origin->tag}},
        memory->id,
        0,
        memory->bytes,
        "the buffer was freed before its last use"};

    if (my->told)
        my->told(&report);
}

/* A use after a free has no second access that could be unordered, so it never
 * meets a layer: the free itself is the first side. No call of a graph's launch
 * holds pageable memory. */
void report_freed(const struct vgpu_memory *memory, const struct origin *origin,
                  unsigned kind)
{
    const bool is_hazard =
        memory->id || origin->launched.id || origin->does == VGPU_DOES_hostfn;
    const enum vgpu_report_kind sort =
        is_hazard ? VGPU_REPORT_freed_early : VGPU_REPORT_given_back_early;
    char buffer[32], free_of[64], text[4 * LINE];
    struct vgpu_report report;
    struct words words;
    char *const freed = words.at[0], *const at = words.at[1];

    if (!checker.arena.reporting)
        return;
    vgpu_line_format(origin->pc, at, LINE);
    /* A vector's is in a header, and which one depends on the compiler. */
    if (!strstr(
            vgpu_line_format(memory->left ? memory->left_pc : memory->free_pc,
                             freed, LINE),
            ".cu:"))
        snprintf(freed, LINE, "the end of its owner");
    if (is_repeated(&words)) {
        my->held_back += is_hazard;
        return;
    }
    my->hazards += is_hazard;
    my->warnings += !is_hazard;
    if (is_hazard)
        tell_freed(memory, origin, kind, &words);
    snprintf(buffer, sizeof buffer,
             memory->id ? "buffer %" PRIu32 : "pageable memory", memory->id);
    snprintf(free_of, sizeof free_of, "free of %s", buffer);
    report = (struct vgpu_report){
        .bytes = (int64_t)memory->bytes,
        .buffer = memory->id,
        .hi = (int64_t)memory->bytes,
        .first = freed,
        .first_access = "free",
        .first_does = vgpu_does_name(VGPU_DOES_free),
        .first_what = free_of,
        .first_agent = memory->left ? origin_label(memory->left, words.agent[0])
                                    : "the host",
        .first_from = freed,
        .second = at,
        .second_access = access_name(kind),
        .second_does = vgpu_does_name(origin->does),
        .second_kernel = origin->kernel,
        .second_what = origin->what,
        .second_agent = origin_label(origin, words.agent[1]),
        .second_from = at,
        .place = buffer,
        .why = "the buffer was freed before its last use",
    };
    vgpu_report_words(text, sizeof text, sort, &report);
    machine_line(sort, &report, is_hazard ? NULL : at, is_hazard ? NULL : text);
    say("vgpu: %s: %s%s%s\n", vgpu_report_sort(sort), is_hazard ? "" : at,
        is_hazard ? "" : ": ", text);
}

void report_fault(enum vgpu_report_kind kind, uint64_t pc,
                  const struct vgpu_report *report)
{
    char at[LINE], text[1024];

    machine_line(kind, report, vgpu_line_format(pc, at, sizeof at),
                 vgpu_report_words(text, sizeof text, kind, report));
}

void vgpu_check_crash(enum vgpu_report_kind kind, uint64_t pc,
                      const struct vgpu_report *report)
{
    char at[LINE], text[1024];

    vgpu_line_format(pc, at, sizeof at);
    vgpu_report_words(text, sizeof text, kind, report);
    say("vgpu: %s: %s\n", at, text);
    machine_line(kind, report, at, text);
}

/* Hazards are collected for a moment, so that one of many bytes is told as one:
 * what is still being collected is told now. */
unsigned vgpu_check_hazards(void)
{
    check_lock();
    hazard_flush();
    check_unlock();
    return my->hazards;
}

/* ---- warnings and notes ------------------------------------------------ */

unsigned vgpu_check_warnings(void)
{
    return my->warnings;
}

/* By place and kind: the fields may differ from call to call, the mistake does
 * not. */
static bool warned_before(uint64_t pc, enum vgpu_report_kind kind)
{
    for (unsigned i = 0; i < my->warned_count; i++)
        if (my->warned[i].pc == pc && my->warned[i].kind == kind)
            return true;
    if (my->warned_count < WARNED) {
        my->warned[my->warned_count].pc = pc;
        my->warned[my->warned_count++].kind = kind;
    }
    return false;
}

/* Which call has failed, and why, whoever reads the reports wants to know of
 * any run: it costs nothing where none fails. */
static bool is_for_reader(enum vgpu_report_kind kind)
{
    return my->is_read &&
           (kind == VGPU_REPORT_call_failed || kind == VGPU_REPORT_error_shown);
}

/* Hazards first: what a person reads is in the order in which it happened. A
 * note explains what a program may well want, and does not count. */
void report_warning(enum vgpu_report_kind kind, uint64_t pc,
                    const struct vgpu_report *report)
{
    const bool reporting = checker.arena.reporting;
    char at[LINE];

    if (!(reporting || is_for_reader(kind)) || warned_before(pc, kind))
        return;
    hazard_flush();
    my->warnings += strcmp(vgpu_report_sort(kind), "note") != 0;
    tell(kind, report, vgpu_line_format(pc, at, sizeof at), reporting);
}

void vgpu_check_warn(enum vgpu_report_kind kind, uint64_t pc,
                     const struct vgpu_report *report)
{
    check_lock();
    report_warning(kind, pc, report);
    check_unlock();
}

static void summary_line(void)
{
    char line[128];

    if (my->is_read)
        write_line(line,
                   (size_t)snprintf(line, sizeof line,
                                    "summary\thazards=%u\twarnings=%u\t"
                                    "held_back=%u",
                                    my->hazards, my->warnings, my->held_back));
}

/* Said only where something was kept back: a report that seems whole must be
 * whole. */
void vgpu_check_summary(FILE *out)
{
    check_lock();
    hazard_flush();
    unwritten_tell(NULL);
    if (my->unwritten_told > SHOWN)
        fprintf(out, "vgpu: unwritten memory is read in %u more places\n",
                my->unwritten_told - SHOWN);
    if (my->held_back)
        fprintf(out,
                "vgpu: %u more hazard report%s held back (same lines, "
                "or more than %d)\n",
                my->held_back, my->held_back == 1 ? "" : "s", SHOWN);
    if (shadow_dropped())
        fprintf(out, "vgpu: too much to remember: some hazards may have "
                     "been missed\n");
    summary_line();
    check_unlock();
}
