/* options.c: the command line of timeline
 *
 * By hand and not with getopt_long(): files and options may stand in any order,
 * "--name VALUE" and "--name=VALUE" are the same, a name is never shortened,
 * and each error is one line that names what is wrong.
 */
#define _DEFAULT_SOURCE
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char tl_options_help[] =
    "usage: timeline [OPTION]... TRACE...\n"
    "Show what the engines of a GPU did, and when. Several traces are drawn\n"
    "above each other on one scale: give the baseline first. TRACE may be -.\n"
    "\n"
    "  --text             draw on the terminal (the default)\n"
    "  --stats            busy times, overlaps, gaps, and what is the limit\n"
    "  --svg FILE         write a picture\n"
    "  --html FILE        write an interactive page, one file\n"
    "  --source FOLDER    show source lines in the page, from files there\n"
    "  --perfetto FILE    write Chrome trace JSON for ui.perfetto.dev\n"
    "\n"
    "  --by engine|stream what a row is in text and pictures\n"
    "  --host             a row of the host's calls in the SVG picture\n"
    "  --waits            what waited for an event, as arrows between streams\n"
    "  --title TITLE      name of the first, second, ... trace\n"
    "  --heading TEXT     what stands first in the page's title\n"
    "  --width N          columns of the text, 40 to 1000\n"
    "  --ascii            draw with ASCII only; --unicode does the opposite\n"
    "  --color WHEN       auto, always or never; NO_COLOR means never\n"
    "  --partial          accept a trace that was cut off\n"
    "  --help             this text\n"
    "  --version          the version of this program\n"
    "\n"
    "Exit status: 0; 1 for a damaged trace or a failed write; 2 for a wrong\n"
    "option or a missing file.\n";

/* Where the reading is. Color and width are settled at the end, when it is
 * known whether an option stood anywhere. */
struct reader {
    int argc, at;
    char **argv;
    char *error;
    size_t size;
    const char *color;
    bool has_width;
};

/* Quote at most 100 bytes of what was typed. Return: false, for the callers. */
static bool fail(struct reader *r, const char *what, const char *arg)
{
    snprintf(r->error, r->size, "%s%s%.100s%s", what, arg ? " '" : "",
             arg ? arg : "", arg ? "'" : "");
    return false;
}

/* The value of "--name VALUE" or "--name=VALUE". *value stays NULL where the
 * current argument is another option.
 */
static bool value_of(struct reader *r, const char *name, const char **value)
{
    const char *arg = r->argv[r->at];
    size_t len = strlen(name);

    if (strncmp(arg, name, len) != 0 || (arg[len] && arg[len] != '='))
        return true;
    if (arg[len] == '=')
        *value = arg + len + 1;
    else if (r->at + 1 < r->argc)
        *value = r->argv[++r->at];
    else
        return fail(r, "a value is missing after", name);
    return true;
}

static bool read_width(struct reader *r, const char *value, struct options *opt)
{
    char *end;
    long width = strtol(value, &end, 10);

    if (!*value || *end || width < TERMINAL_MIN_WIDTH ||
        width > TERMINAL_MAX_WIDTH)
        return fail(r, "--width must be 40 to 1000, not", value);
    opt->style.width = (unsigned)width;
    r->has_width = true;
    return true;
}

static bool read_by(struct reader *r, const char *value, struct options *opt)
{
    if (strcmp(value, "engine") == 0)
        opt->by = VIEW_BY_ENGINE;
    else if (strcmp(value, "stream") == 0)
        opt->by = VIEW_BY_STREAM;
    else
        return fail(r, "--by must be engine or stream, not", value);
    return true;
}

/* Titles belong to traces by their order, and may stand before or behind them:
 * whether there are too many is checked at the end. */
static bool read_title(struct reader *r, const char *value, struct options *opt)
{
    if (opt->num_titles == OPTIONS_MAX_TRACES)
        return fail(r, "too many titles: at", value);
    opt->titles[opt->num_titles++] = value;
    return true;
}

static bool read_color(struct reader *r, const char *value)
{
    if (strcmp(value, "auto") != 0 && strcmp(value, "always") != 0 &&
        strcmp(value, "never") != 0)
        return fail(r, "--color must be auto, always or never, not", value);
    r->color = value;
    return true;
}

/* Options with a value. What has more than a file's name for a value is kept
 * here and read below, one for each argument. *known says whether the argument
 * was one of them.
 */
static bool read_valued(struct reader *r, struct options *opt, bool *known)
{
    const char *width = NULL, *by = NULL, *title = NULL, *color = NULL;
    const char **files[] = {&opt->svg, &opt->html, &opt->perfetto};
    /* Whatever has a value moves on; "--name=VALUE" stays in its place. */
    int start = r->at;

    if (!value_of(r, "--svg", files[0]) || !value_of(r, "--html", files[1]) ||
        !value_of(r, "--perfetto", files[2]) ||
        !value_of(r, "--source", &opt->source) ||
        !value_of(r, "--heading", &opt->heading) ||
        !value_of(r, "--width", &width) || !value_of(r, "--by", &by) ||
        !value_of(r, "--title", &title) || !value_of(r, "--color", &color))
        return false;
    *known = r->at > start || strchr(r->argv[r->at], '=');
    if (width)
        return read_width(r, width, opt);
    if (by)
        return read_by(r, by, opt);
    if (title)
        return read_title(r, title, opt);
    return !color || read_color(r, color);
}

static bool read_option(struct reader *r, struct options *opt)
{
    const char *arg = r->argv[r->at];
    bool known = false;

    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
        opt->help = true;
    else if (strcmp(arg, "--version") == 0)
        opt->version = true;
    else if (strcmp(arg, "--text") == 0)
        opt->text = true;
    else if (strcmp(arg, "--stats") == 0)
        opt->stats = true;
    else if (strcmp(arg, "--partial") == 0)
        opt->partial = true;
    else if (strcmp(arg, "--host") == 0)
        opt->host = true;
    else if (strcmp(arg, "--waits") == 0)
        opt->waits = true;
    else if (strcmp(arg, "--ascii") == 0)
        opt->style.ascii = true;
    else if (strcmp(arg, "--unicode") == 0)
        opt->style.ascii = false;
    else if (!read_valued(r, opt, &known))
        return false;
    else if (!known)
        return fail(r, "unknown option", arg);
    return true;
}

/* ASCII where the locale is set, and to something else than UTF-8. Without any
 * setting, as in a bare container, most terminals know UTF-8.
 */
static bool locale_is_ascii(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return !strstr(value, "UTF-8") && !strstr(value, "utf8") &&
                   !strstr(value, "UTF8") && !strstr(value, "utf-8");
    }
    return false;
}

/* Of COLUMNS, which a test or a script sets; else of the terminal; 80 for a
 * pipe or a file. Within the limits, because a narrow window is no mistake.
 */
static unsigned terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;

    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        width = 80;
    if (width < TERMINAL_MIN_WIDTH)
        width = TERMINAL_MIN_WIDTH;
    return width > TERMINAL_MAX_WIDTH ? TERMINAL_MAX_WIDTH : (unsigned)width;
}

/* NO_COLOR is a convention of many programs: https://no-color.org. Who says
 * --color always is obeyed, for instance to page the output. */
static bool wants_color(const char *when)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
           !(term && strcmp(term, "dumb") == 0);
}

/* "--" ends the options, so that a file may begin with a dash; a dash alone is
 * standard input, and so a file. */
bool tl_options_read(int argc, char **argv, struct options *opt, char *error,
                     size_t size)
{
    struct reader r = {argc, 1, argv, error, size, "auto", false};
    bool only_files = false;

    *opt = (struct options){.style.ascii = locale_is_ascii()};
    for (; r.at < argc; r.at++) {
        const char *arg = argv[r.at];

        if (!only_files && strcmp(arg, "--") == 0) {
            only_files = true;
        } else if (!only_files && arg[0] == '-' && arg[1]) {
            if (!read_option(&r, opt))
                return false;
        } else if (opt->num_files == OPTIONS_MAX_TRACES) {
            return fail(&r, "more than 16 traces: at", arg);
        } else {
            opt->files[opt->num_files++] = arg;
        }
    }
    if (!r.has_width)
        opt->style.width = terminal_width();
    opt->style.color = wants_color(r.color);
    if (!opt->stats && !opt->svg && !opt->html && !opt->perfetto)
        opt->text = true;
    if (opt->help || opt->version)
        return true;
    if (opt->num_files == 0)
        return fail(&r, "no trace given; see timeline --help", NULL);
    if (opt->num_titles > opt->num_files)
        return fail(&r, "more titles than traces: at",
                    opt->titles[opt->num_files]);
    return true;
}
