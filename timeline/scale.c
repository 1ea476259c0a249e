/* scale.c: times as people read them, and the ticks of an axis
 *
 * Everything is printed with a point and no separators, in all locales: the
 * program never calls setlocale().
 */
#include "scale.h"

#include <stdio.h>

/* Largest first: the first one that is no longer than a value is its unit. */
static const struct {
    const char *name;
    uint64_t ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

struct scale tl_scale_make(uint64_t span_ns, unsigned max_ticks)
{
    /* 1, 2, 5, 10, 20, 50, ... until the steps are few enough. */
    static const unsigned factors[] = {2, 5, 10};
    struct scale s = {span_ns ? span_ns : 1, 1, "ns"};
    uint64_t power = 1, least_ns;
    unsigned i = 0;

    least_ns = s.span_ns / (max_ticks ? max_ticks : 1);
    while (s.step_ns < least_ns) {
        s.step_ns = power * factors[i++ % 3];
        if (i % 3 == 0)
            power *= 10;
    }
    for (i = 0; units[i].ns > s.span_ns; i++)
        ;
    s.unit = units[i].name;
    return s;
}

/* As many digits as a step has, so that no two ticks have one label and all of
 * them line up.
 */
void tl_scale_label(const struct scale *s, uint64_t t_ns, char *text,
                    size_t size)
{
    unsigned i = 0, digits = 0;

    while (units[i].name != s->unit && i < 3)
        i++;
    for (uint64_t step = s->step_ns; step % units[i].ns && digits < 9;
         step *= 10)
        digits++;
    snprintf(text, size, "%.*f", (int)digits,
             (double)t_ns / (double)units[i].ns);
}

/* Four significant digits, and no more than the value has. */
static const char *four_digits(double value, const char *unit, char text[16])
{
    int digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;

    snprintf(text, 16, "%.*f %s", digits, value, unit);
    return text;
}

const char *tl_scale_time(uint64_t t_ns, char text[16])
{
    unsigned i = 0;

    while (i < 3 && units[i].ns > t_ns)
        i++;
    if (i == 3)
        snprintf(text, 16, "%u ns", (unsigned)t_ns);
    else
        four_digits((double)t_ns / (double)units[i].ns, units[i].name, text);
    return text;
}

const char *tl_scale_compare(uint64_t baseline_ns, uint64_t run_ns,
                             char text[32])
{
    double a = (double)(baseline_ns ? baseline_ns : 1);
    double b = (double)(run_ns ? run_ns : 1);

    /* What rounds to 1.00 is as fast. */
    if (b < 1.005 * a)
        snprintf(text, 32, "%.2fx as fast", a / b);
    else
        snprintf(text, 32, "takes %.2fx as long", b / a);
    return text;
}

const char *tl_scale_bytes(uint64_t bytes, char text[16])
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned i = 0;

    while (i < 4 && value >= 1024) {
        value /= 1024;
        i++;
    }
    /* Sizes are mostly powers of two: "64 MiB", and not "64.00 MiB". */
    if (value == (double)(uint64_t)value)
        snprintf(text, 16, "%u %s", (unsigned)value, names[i]);
    else
        four_digits(value, names[i], text);
    return text;
}

double tl_scale_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}
