/*
 * flag.c: two that use the same memory since one waits for the other
 *
 * A loop that only looks (frontend/idle.c notes its lines) ends when somebody
 * writes what it reads. Where the read is a volatile or an atomic one and the
 * write is that of one element, this is no hazard but the two's order: who
 * waited knows all that the writer did before. Nothing is known of atomics that
 * change something, or of reads elsewhere: those are looked at as any.
 */
#include <stdio.h>
#include <string.h>
#include "check_state.h"

MY_PART(flag);

#define WIDEST 8 /* bytes of a flag */

/* What the front end wrote, in all of the program's files. */
struct look_lines {
    const char *file;
    unsigned from, to;
};
extern struct look_lines __start_vgpu_looks[]
    __attribute__((weak, visibility("hidden")));
extern struct look_lines __stop_vgpu_looks[]
    __attribute__((weak, visibility("hidden")));

/* A table of lines may have the whole path, or its end. */
static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_in_loop(uint64_t pc)
{
    const char *file = NULL;
    const unsigned line = (unsigned)vgpu_line_find(pc, &file);

    if (!line || !file)
        return false;
    for (const struct look_lines *l = __start_vgpu_looks;
         l != __stop_vgpu_looks; l++)
        if (l->from <= line && line <= l->to &&
            !strcmp(base_name(l->file), base_name(file)))
            return true;
    return false;
}

static size_t first_place(uint64_t pc)
{
    return pc * 0x9E3779B97F4A7C15ULL >> 32 & (LOOKERS - 1);
}

/* Return: NULL where the table is full. */
static struct looker *find(uint64_t pc)
{
    size_t at = first_place(pc);

    for (int i = 0; i < LOOKERS; i++, at++) {
        struct looker *const one = &my->lookers[at % LOOKERS];

        if (!one->pc)
            one->pc = pc;
        if (one->pc == pc)
            return one;
    }
    return NULL;
}

/* Most have been noted: those need no lock. */
void flag_sign(uint64_t pc)
{
    struct looker *looker = &my->lookers[first_place(pc)];

    if (looker->pc == pc && looker->signs)
        return;
    check_lock();
    looker = find(pc);
    if (looker)
        looker->signs = true;
    check_unlock();
}

void vgpu_check_waits(uint64_t pc)
{
    struct looker *looker;

    check_lock();
    looker = find(pc);
    if (looker)
        looker->waits = looker->known = true;
    check_unlock();
}

static bool waits_at(uint64_t pc)
{
    struct looker *const looker = find(pc);

    if (!looker)
        return is_in_loop(pc);
    if (!looker->known)
        looker->waits = is_in_loop(pc);
    looker->known = true;
    return looker->waits;
}

static bool signs_at(uint64_t pc, unsigned kind)
{
    const struct looker *const looker = find(pc);

    return kind == VGPU_ATOMIC || (looker && looker->signs);
}

/* A kernel's write is as good as its compiler makes it; the host's is there
 * when a call behind it is, and a copy's when it has been made. */
static bool writes_well(const struct flag_side *writer)
{
    return writer->origin->does != VGPU_DOES_kernel ||
           signs_at(writer->pc, writer->kind);
}

static enum flag_sort sort_of(const struct flag_side *reader,
                              const struct flag_side *writer)
{
    if (reader->kind == VGPU_WRITE || writer->kind == VGPU_READ ||
        writer->bytes > WIDEST || !waits_at(reader->pc))
        return FLAG_NONE;
    if (!signs_at(reader->pc, reader->kind))
        return FLAG_PLAIN_READ;
    return writes_well(writer) ? FLAG_FINE : FLAG_PLAIN_WRITE;
}

/* ---- first launches ---------------------------------------------------------
 */

void vgpu_check_loads(const struct vgpu_check_op *op)
{
    check_lock();
    if (my->loads_count < LOADS && op->origin->kernel)
        my->loads[my->loads_count++] = origin_ref(op->origin);
    check_unlock();
}

static void tell_load(const struct origin *load, const struct origin *waits,
                      const struct origin *writer)
{
    char from[LINE], at[LINE], reason[3 * LINE];

    if (!writer)
        snprintf(reason, sizeof reason, "the host, which waits for this one");
    else if (writer == load)
        snprintf(reason, sizeof reason, "what this kernel writes");
    else
        snprintf(reason, sizeof reason, "the %s of %s, which comes behind",
                 writer->what, vgpu_line_format(writer->pc, at, sizeof at));
    report_warning(VGPU_REPORT_lazy_loading, load->pc,
                   &(struct vgpu_report){
                       .kernel = load->kernel,
                       .what = waits->what,
                       .from = vgpu_line_format(waits->pc, from, sizeof from),
                       .reason = reason});
}

/* A kernel's code is loaded when it is launched first, behind all that runs,
 * and what is launched afterwards waits for that (runtime/load.c). */
void flag_loads(const struct origin *waits, const struct vgpu_clock *clock,
                const struct origin *writer)
{
    for (unsigned i = 0; i < my->loads_count; i++) {
        const struct origin *const load = my->loads[i];

        if (load->seq > waits->seq &&
            load->agent->device == waits->agent->device &&
            (clock_get(clock, load->slot) >= load->epoch ||
             (writer && writer->kernel && writer->seq >= load->seq)))
            tell_load(load, waits, writer);
    }
}

void vgpu_check_set_met(vgpu_met_fn *fn)
{
    my->met = fn;
}

/* ---- two that meet ----------------------------------------------------------
 */

enum flag_sort flag_find(const struct flag_side side[2],
                         const struct overlap *overlap, unsigned *reader)
{
    enum flag_sort sort = FLAG_NONE;

    if (overlap->bytes > WIDEST ||
        overlap->hi - overlap->lo != overlap->bytes ||
        overlap->lo % overlap->bytes)
        return FLAG_NONE;
    for (unsigned i = 0; i < 2 && !sort; i++) {
        sort = sort_of(&side[i], &side[!i]);
        *reader = i;
    }
    if (sort && !side[*reader].origin->is_host) {
        struct origin *const waits = side[*reader].origin;

        flag_loads(waits, side[!*reader].origin->clock, side[!*reader].origin);
        if (my->met && waits->kernel_id && side[!*reader].origin->kernel_id)
            my->met(waits->kernel_id, side[*reader].pc,
                    side[!*reader].origin->kernel_id);
        waits->clock = clock_join(waits->clock, side[!*reader].origin->clock);
    }
    return sort;
}
