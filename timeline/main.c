/* main.c: the program timeline: from traces to text, pictures and pages
 *
 * All traces are read before anything is written: a damaged one must not leave
 * half of the files behind. Of each there are two views, by engine and by
 * stream, because a page and a Perfetto file show both.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain.h"
#include "html.h"
#include "options.h"
#include "perfetto.h"
#include "svg.h"
#include "terminal.h"
#include "trace_read.h"
#include "version.h"
#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2 };

struct program {
    struct options opt;
    struct trace traces[OPTIONS_MAX_TRACES];
    struct view engine_views[OPTIONS_MAX_TRACES];
    struct view stream_views[OPTIONS_MAX_TRACES];
    char titles[OPTIONS_MAX_TRACES][256];
    char days[OPTIONS_MAX_TRACES][32];
    unsigned num;
};

static int complain(const char *text, int status)
{
    fprintf(stderr, "timeline: %s\n", text);
    return status;
}

/* What a run is called where no --title says it: the file's name, without
 * folder and ending. */
static void name_title(const char *file, char *title, size_t size)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash && slash[1] ? slash + 1 : file;
    char *dot;

    snprintf(title, size, "%s", strcmp(file, "-") ? name : "standard input");
    dot = strrchr(title, '.');
    if (dot && dot != title)
        *dot = '\0';
}

/* The day on which a file was written. Return: NULL for what is no file. */
static const char *when(const char *file, char *text, size_t size)
{
    struct stat info;
    struct tm day;

    if (stat(file, &info) || !localtime_r(&info.st_mtime, &day) ||
        !strftime(text, size, "recorded on %Y-%m-%d", &day))
        return NULL;
    return text;
}

/* Read one trace and make its views. num counts what has to be freed, so it
 * grows as soon as the trace is there, whatever comes after.
 * Return: 0, or the exit status, with the reason said.
 */
static int load(struct program *p, unsigned i)
{
    const char *file = p->opt.files[i];
    struct trace_error err = {0, ""};
    enum trace_status status =
        trace_read(file, p->opt.partial, &p->traces[i], &err);

    if (status != TRACE_OK) {
        if (err.line)
            fprintf(stderr, "timeline: %s:%zu: %s\n", file, err.line, err.text);
        else
            fprintf(stderr, "timeline: %s: %s\n", file, err.text);
        return status == TRACE_NO_FILE ? EXIT_USAGE : EXIT_DAMAGED;
    }
    if (!p->traces[i].complete)
        fprintf(stderr,
                "timeline: %s: the trace is cut off; this is what "
                "is there\n",
                file);
    if (i < p->opt.num_titles)
        snprintf(p->titles[i], sizeof p->titles[i], "%s", p->opt.titles[i]);
    else
        name_title(file, p->titles[i], sizeof p->titles[i]);
    p->num = i + 1;
    if (!tl_view_make(&p->traces[i], VIEW_BY_ENGINE, p->titles[i],
                      &p->engine_views[i]) ||
        !tl_view_make(&p->traces[i], VIEW_BY_STREAM, p->titles[i],
                      &p->stream_views[i]))
        return complain("out of memory", EXIT_DAMAGED);
    p->engine_views[i].host = p->stream_views[i].host = p->opt.host;
    p->stream_views[i].waits = p->opt.waits;
    p->engine_views[i].recorded = when(file, p->days[i], sizeof p->days[i]);
    return 0;
}

/* Statistics are by engine, whatever is drawn. */
static bool add_stats(const struct program *p, struct out *o)
{
    struct stats s;

    for (unsigned i = 0; i < p->num; i++) {
        if (!tl_stats_make(&p->engine_views[i], &s))
            return false;
        if (o->length > 0)
            tl_out_text(o, "\n");
        tl_explain_figures(&s, o);
        tl_stats_free(&s);
    }
    return true;
}

/* Write what was collected and start anew. A writer that ran out of memory left
 * a mark in o, and then this fails. */
static int store(struct out *o, const char *path)
{
    int status = 0;

    if (!tl_out_write(o, path)) {
        fprintf(stderr, "timeline: %s: %s\n", path, strerror(errno));
        status = EXIT_DAMAGED;
    }
    tl_out_free(o);
    return status;
}

/* In the order of the help. The first file that cannot be written ends it: what
 * is next would fail for the same reason, as a rule a full disk. */
static int write_all(const struct program *p)
{
    const struct options *opt = &p->opt;
    const struct view *views =
        opt->by == VIEW_BY_STREAM ? p->stream_views : p->engine_views;
    struct out o = {0};
    int status = 0;

    if (opt->text)
        tl_terminal_draw(views, p->num, &opt->style, &o);
    if (opt->stats && !add_stats(p, &o))
        o.failed = true;
    if (opt->text || opt->stats)
        status = store(&o, "-");
    if (opt->svg && status == 0) {
        tl_svg_draw(views, p->num, "tl", &o);
        status = store(&o, opt->svg);
    }
    if (opt->html && status == 0) {
        tl_html_draw(p->engine_views, p->stream_views, p->num, opt->by,
                     opt->source, opt->heading, &o);
        status = store(&o, opt->html);
    }
    if (opt->perfetto && status == 0) {
        tl_perfetto_write(p->engine_views, p->stream_views, p->num, &o);
        status = store(&o, opt->perfetto);
    }
    return status;
}

int main(int argc, char **argv)
{
    /* All zero: what was never made can be freed like the rest. */
    static struct program p;
    char error[200];
    int status = 0;

    if (!tl_options_read(argc, argv, &p.opt, error, sizeof error))
        return complain(error, EXIT_USAGE);
    if (p.opt.version) {
        puts(VERSION_OF("timeline"));
        return 0;
    }
    if (p.opt.help) {
        fputs(tl_options_help, stdout);
        return 0;
    }
    for (unsigned i = 0; i < p.opt.num_files && status == 0; i++)
        status = load(&p, i);
    if (status == 0)
        status = write_all(&p);
    for (unsigned i = 0; i < p.num; i++) {
        tl_view_free(&p.engine_views[i]);
        tl_view_free(&p.stream_views[i]);
        trace_free(&p.traces[i]);
    }
    return status;
}
