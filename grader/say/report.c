/* report.c: a verdict for people */
#include "say/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 78, INDENT = 4, SEEN_INDENT = 8, REPEATED = 60 };

#define GREEN "\033[32m"
#define RED   "\033[31m"
#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

/* Colour is for a terminal whose owner has not asked for none. */
static const char *paint(const char *code)
{
    const char *const none = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && !(none && *none) ? code : "";
}

/* Words in lines of at most WIDTH; a newline in the text stays one. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        const int length = (int)strcspn(text, " \n");

        if (column > 0 && column + 1 + length > WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (column == 0 && length > 0)
            column = printf("%*s", indent, "");
        else if (length > 0)
            column += printf(" ");
        column += printf("%.*s", length, text);
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    if (column > 0)
        putchar('\n');
}

/* A terminal's lines, or as COLUMNS says; else lines of any length. */
static bool fits(int column, const char *text)
{
    const char *const columns = getenv("COLUMNS");
    struct winsize size = {0};

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    return (!isatty(STDOUT_FILENO) && !columns) ||
           column + (int)strlen(text) <= (size.ws_col ? size.ws_col
                                          : columns   ? atoi(columns)
                                                      : 80);
}

/* One mistake is often seen by several checks: it is told once. */
static bool told_before(const struct verdict *verdict, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(verdict->checks[i].mistake,
                   verdict->checks[index].mistake) == 0)
            return verdict->checks[index].mistake[0] != '\0';
    return false;
}

/* Why it was not tried is told of the first of several. */
static bool skipped_alike(const struct verdict *verdict, int index)
{
    return index > 0 && verdict->checks[index - 1].skipped &&
           strcmp(text_string(&verdict->checks[index - 1].seen),
                  text_string(&verdict->checks[index].seen)) == 0;
}

/* What was seen stands beside the check where it fits, and else below. */
static void print_check(const struct verdict *verdict, int index, bool points)
{
    const struct check *const check = &verdict->checks[index];
    const char *const mark = check->passed ? "ok" : check->skipped ? "-" : "NO";
    const char *const colour = check->passed    ? GREEN
                               : check->skipped ? ""
                                                : RED;
    const int width = points ? 44 : 33;
    const char *seen = text_string(&check->seen);
    bool beside = check->passed || check->skipped;
    char head[80];

    snprintf(head, sizeof head, points ? "%-33s %4g / %d" : "%s", check->name,
             check->score, check->max_score);
    if (check->skipped && skipped_alike(verdict, index)) {
        seen = "not tried";
    } else if (!beside && told_before(verdict, index) &&
               strlen(seen) > REPEATED) {
        seen = "the same mistake";
        beside = true;
    }
    beside = beside && *seen && fits(width + 8, seen);
    printf("  %s%-2s%s  %-*s%s%s\n", paint(colour), mark,
           paint(*colour ? PLAIN : ""), beside ? width : 0, head,
           beside ? "  " : "", beside ? seen : "");
    if (!beside)
        print_wrapped(seen, SEEN_INDENT);
}

/* Line by line, as they are. */
static void print_words(const char *words)
{
    while (*words) {
        const int length = (int)strcspn(words, "\n");

        printf("    %.*s\n", length, words);
        words += length;
        words += *words == '\n';
    }
}

void report_print_findings(const struct verdict *verdict, int most)
{
    for (int i = 0; i < verdict->num_checks && most > 0; i++) {
        const struct check *check = &verdict->checks[i];

        if (check->mistake[0] == '\0' || told_before(verdict, i))
            continue;
        most--;
        printf("\n  %s%s%s\n", paint(BOLD), check->name, paint(PLAIN));
        print_wrapped(text_string(&check->sentence), INDENT);
        print_words(text_string(&check->words));
        if (check->read.length > 0) {
            OWNED_TEXT read = {0};

            text_printf(&read, "Read: labs/%s/README.md, \"%s\"",
                        verdict->lab->name, text_string(&check->read));
            print_wrapped(text_string(&read), INDENT);
        }
    }
}

void report_print_checks(const struct verdict *verdict, bool points)
{
    printf("%slab %s%s on %s%s%s\n  %s\n\n", paint(BOLD), verdict->lab->name,
           paint(PLAIN),
           verdict->backend == BACKEND_CUDA ? "the GPU" : "the virtual GPU",
           verdict->device[0] ? ", " : "", verdict->device, verdict->file);
    for (int i = points ? 0 : 1; i < verdict->num_checks; i++)
        print_check(verdict, i, points);
}

void report_print(const struct verdict *verdict)
{
    int failed = 0;

    report_print_checks(verdict, true);
    for (int i = 0; i < verdict->num_checks; i++)
        failed += !verdict->checks[i].passed;
    report_print_findings(verdict, MAX_CHECKS);
    printf("\n  %s%s%s: %g of %d points", paint(verdict->passed ? GREEN : RED),
           verdict->passed ? "passed" : "not passed", paint(PLAIN),
           verdict->score, verdict->max_score);
    /* So near, it is asked what for. */
    if (failed > 0 && verdict->score >= 0.8 * verdict->max_score)
        printf(" (every check must pass, %d did not)", failed);
    putchar('\n');
}
