/* options.c: the command line of timeline: each error is one line that names
 * what is wrong
 */
#define _DEFAULT_SOURCE
#include "options.h"

#include <getopt.h>
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

/* Color and width are settled at the end, when it is known whether an option
 * stood anywhere. */
struct reader {
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

static bool read_file(struct reader *r, const char *file, struct options *opt)
{
    if (opt->num_files == OPTIONS_MAX_TRACES)
        return fail(r, "more than 16 traces: at", file);
    opt->files[opt->num_files++] = file;
    return true;
}

/* @word: the argument as it stands there. */
static bool take_option(struct reader *r, struct options *opt, int option,
                        const char *word)
{
    switch (option) {
    case 0: /* it is set */
        return true;
    case 1: /* not an option */
        return read_file(r, optarg, opt);
    case 'h': /* -h */
        opt->help = 1;
        return true;
    case 'S':
        opt->svg = optarg;
        return true;
    case 'H':
        opt->html = optarg;
        return true;
    case 'P':
        opt->perfetto = optarg;
        return true;
    case 'o':
        opt->source = optarg;
        return true;
    case 'e':
        opt->heading = optarg;
        return true;
    case 'W':
        return read_width(r, optarg, opt);
    case 'b':
        return read_by(r, optarg, opt);
    case 'T':
        return read_title(r, optarg, opt);
    case 'C':
        return read_color(r, optarg);
    case ':':
        return fail(r, "a value is missing after", word);
    default:
        return fail(r, "unknown option", word);
    }
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
    struct reader r = {error, size, "auto", false};
    int option = 0, ascii = locale_is_ascii();
    const struct option names[] = {
        {"text", no_argument, &opt->text, 1},
        {"stats", no_argument, &opt->stats, 1},
        {"svg", required_argument, NULL, 'S'},
        {"html", required_argument, NULL, 'H'},
        {"source", required_argument, NULL, 'o'},
        {"perfetto", required_argument, NULL, 'P'},
        {"by", required_argument, NULL, 'b'},
        {"host", no_argument, &opt->host, 1},
        {"waits", no_argument, &opt->waits, 1},
        {"title", required_argument, NULL, 'T'},
        {"heading", required_argument, NULL, 'e'},
        {"width", required_argument, NULL, 'W'},
        {"ascii", no_argument, &ascii, 1},
        {"unicode", no_argument, &ascii, 0},
        {"color", required_argument, NULL, 'C'},
        {"partial", no_argument, &opt->partial, 1},
        {"help", no_argument, &opt->help, 1},
        {"version", no_argument, &opt->version, 1},
        {NULL, 0, NULL, 0},
    };

    *opt = (struct options){0};
    /* "-": arguments in their order; ":": no words of getopt's own. */
    for (const char *word; option != -1 && (word = argv[optind]);) {
        option = getopt_long(argc, argv, "-:h", names, NULL);
        if (option != -1 && !take_option(&r, opt, option, word))
            return false;
    }
    for (; optind < argc; optind++)
        if (!read_file(&r, argv[optind], opt))
            return false;
    opt->style.ascii = ascii;
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
